import Band
import BandLayout
import BandStorage
import Library
import Model
import Platform
import TestSupport
import Testing

/// A server may give any answer to any request of any operation: no file of another member is overwritten, no false message is
/// reported, and a server that requests a pause gets one.
@Suite(.onLoop)
struct AnswerTableTests {
    enum Operation: String, CaseIterable { case create, join, look, word, object, leave, doctor, ready }

    /// A band of two on a server. Anna carries out the operation; the files that are not hers must stay as they are.
    @LoopActor
    private final class Bench {
        let folder = TemporaryFolder()
        let store: FakeStore
        let anna: Player
        let ben: Player
        private let address: StorageAddress
        private var rest: ServerRest
        private(set) var living: [String: [UInt8]] = [:]
        private(set) var seen: Musician.Marks = [:]
        var number = 0
        /// Whether the odd answer was given in this run; and how many requests were sent during the pause that the answer requested.
        private(set) var (isGiven, tooEarly) = (false, 0)

        init(isSigned: Bool) async throws {
            store = FakeStore("https://example.org/\(isSigned ? "bucket" : "dav")/band", hasFolders: !isSigned)
            address = try store.address()
            store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
            try Player.prepare(folder.path("anna"))
            try FileTree.copy(folder.path("anna"), to: folder.path("ben"))
            anna = try Player("Anna", data: folder.path("anna"), place: store.base, at: store)
            ben = try Player("Ben", data: folder.path("ben"), place: store.base, at: store)
            rest = ServerRest(time: anna.clock)
            for player in [anna, ben] {
                try player.edit("a", on: "1a", x: 0.5)
                try player.shareAll(true)
            }
            for _ in 0..<4 {
                for player in [anna, ben] {
                    player.clock.skip(.seconds(60))
                    _ = try await player.round()
                }
            }
            // The note at the door is left out, because every device overwrites the notes of the others there.
            let own = "d/\(anna.device)/"
            living = store.files.filter { !$0.key.hasPrefix(own) && $0.key != BandPath.door }
            seen = try anna.shown(of: ben.device)
            try #require(living.count >= 3 && seen == ["1a": ["a": 0.5]])
        }

        /// A new carrier for each operation, because every `woodshed` command makes its own.
        func carrier() -> StorageCarrier {
            StorageCarrier(address, transport: store, rest: rest, time: anna.clock, side: SideThread(inline: true))
        }

        /// Lets the server give the odd answer to request number `place`, counted from 0, and its usual answers to all others.
        func begin(_ odd: OddAnswer, at place: Int) {
            anna.clock.skip(.seconds(7200))
            (isGiven, tooEarly, rest) = (false, 0, ServerRest(time: anna.clock))
            var (count, until) = (0, anna.clock.now)
            store.odd = { [unowned self] request, server throws(HTTPFailure) in
                defer { count += 1 }
                if anna.clock.now < until { tooEarly += 1 }
                guard count == place else { return nil }
                isGiven = true
                if odd.asksForRest { until = anna.clock.now + OddAnswer.rest }
                return try odd.response(request, from: server)
            }
        }

        func end() { for player in [anna, ben] { player.close() } }

        /// Whether the place has every object that Anna's head there names, with the right bytes. Also true if it has no head of
        /// hers.
        func isWordKept() throws -> Bool {
            guard let bytes = store.files[BandPath.head(of: anna.device)] else { return true }
            return try BandHead.read(bytes).head.layers.allSatisfy {
                store.files[BandPath.object($0.object, of: anna.device)].map { SHA256.digest(of: $0) } == $0.object
            }
        }

        var ownObjects: [String] {
            store.files.keys.filter { BandPath.object(at: $0)?.device == anna.device }
        }
    }

    @Test(arguments: Operation.allCases, [false, true]) @LoopActor
    func nothingIsLostAndOnlySaidIfItIsSo(operation: Operation, isSigned: Bool) async throws {
        let bench = try await Bench(isSigned: isSigned)
        defer { bench.end() }
        // Only founding a band sends a write on condition that the file does not exist.
        let conditions: [FakeStore.Conditions] = operation == .create ? [.known, .refused, .ignored] : [.known]
        for (odd, condition) in OddAnswer.allCases.flatMap({ odd in conditions.map { (odd, $0) } }) {
            bench.store.conditions = condition
            for place in 0..<40 {
                bench.begin(odd, at: place)
                let lie = try await lie(operation, odd, bench)
                #expect(lie == nil, "\(odd) in place of answer \(place): \(lie ?? "")")
                for (path, bytes) in bench.living {
                    #expect(bench.store.files[path] == bytes, "\(odd) in place of answer \(place): \(path) is another, or gone")
                }
                #expect(try bench.isWordKept(), "\(odd) in place of answer \(place): a word names what is not there")
                #expect(try bench.anna.shown(of: bench.ben.device) == bench.seen, "\(odd) in place of answer \(place)")
                #expect(bench.tooEarly == 0, "\(odd) in place of answer \(place): asked \(bench.tooEarly) times too early")
                guard bench.isGiven else { break }
                #expect(place < 39, "all answers were tried")
            }
            // Once the server gives its usual answers, Anna can write again.
            bench.store.odd = nil
            for _ in 0..<2 {
                bench.anna.clock.skip(.seconds(7200))
                _ = try await bench.anna.round()
            }
            #expect(bench.store.files[BandPath.head(of: bench.anna.device)] != nil && bench.ownObjects.count >= 1, "\(odd)")
        }
    }

    /// Carries out the operation once; returns a false message that was reported, if any.
    @LoopActor private func lie(_ operation: Operation, _ odd: OddAnswer, _ bench: Bench) async throws -> String? {
        bench.number += 1
        let anna = bench.anna
        switch operation {
        case .create:
            do throws(Trouble) {
                if try await bench.carrier().get(BandPath.marker, limit: BandMarker.limit) != nil { return nil }
                try await bench.carrier().put(OddAnswer.other.bytes, as: BandPath.marker)
                return "a band begins here"
            } catch {
                return falsehood(in: error, odd)
            }
        case .join, .ready:
            do throws(Trouble) {
                let bytes = try await bench.carrier().get(BandPath.marker, limit: BandMarker.limit)
                guard let bytes else { return odd == .missing ? nil : "no band is here" }
                guard let marker = try? BandMarker(reading: bytes), marker.id != BandDevice("bandbandbandband") else { return nil }
                return odd == .otherBand ? nil : "another band is here"
            } catch {
                return falsehood(in: error, odd)
            }
        case .look:
            return try await anna.reader.readBand().trouble.flatMap { falsehood(in: $0, odd) }
        case .word, .object:
            if operation == .object { try anna.edit("n\(bench.number % 3)", on: "1b", x: Double(bench.number % 90 + 1) / 100) }
            let plan = BandHead.Readiness(
                plan: PlanID("1"), title: "Plan \(bench.number)", time: nil, isReady: true, lacks: [], asOf: anna.clock.timestamp)
            if let trouble = try await anna.reader.readBand().trouble { return falsehood(in: trouble, odd) }
            do {
                _ = try await anna.writer.write([plan])
                let bytes = bench.store.files[BandPath.head(of: anna.device)] ?? []
                return try BandHead.read(bytes).head.readiness.first?.title == plan.title ? nil : "the word is out"
            } catch let trouble as Trouble {
                return falsehood(in: trouble, odd)
            }
        case .leave: return try await leave(odd, bench)
        case .doctor:
            let (path, bytes) = (BandPath.probe(of: anna.device), Array("a file to try the place with\n".utf8))
            defer { bench.store.set(nil, at: path) }
            do throws(Trouble) {
                let carrier = bench.carrier()
                guard try await carrier.get(BandPath.marker, limit: BandMarker.limit) != nil else { return nil }
                try await carrier.put(bytes, as: path)
                guard try await carrier.get(path, limit: bytes.count) == bytes else { return nil }
                try await carrier.remove(path)
                return bench.store.files[path] == nil ? nil : "this device may remove there"
            } catch {
                return falsehood(in: error, odd)
            }
        }
    }

    /// Leaves, checks whether all of Anna's marks are out of the place, as `woodshed band leave` does, and joins again.
    @LoopActor private func leave(_ odd: OddAnswer, _ bench: Bench) async throws -> String? {
        let anna = bench.anna
        try anna.setLeft(true)
        var said: String?
        do {
            if let trouble = try await anna.reader.readBand().trouble { throw trouble }
            _ = try await anna.writer.write([])
            let band = anna.library.band
            let bytes = try await anna.carrier.get(BandPath.head(of: anna.device), limit: BandHead.limit)
            // A head that cannot be read does not count as a leave.
            let hasLeft = bytes.map { (try? BandHead.read($0).head.hasLeft) ?? false } ?? true
            let isOut =
                try hasLeft && band.toBeCleared().isEmpty && anna.writer.word.dropped().isEmpty && band.unsharedByKin().isEmpty
            if isOut, !bench.ownObjects.isEmpty { said = "your marks are out" }
        } catch let trouble as Trouble {
            said = falsehood(in: trouble, odd)
        }
        try anna.shareAll(true)
        let former = bench.store.odd
        bench.store.odd = nil
        for _ in 0..<2 {
            anna.clock.skip(.seconds(7200))
            _ = try await anna.round()
        }
        bench.store.odd = former
        return said
    }

    /// The trouble's message if it is false: if it reports another band, or no band, although the server's answer did not.
    private func falsehood(in trouble: Trouble, _ odd: OddAnswer) -> String? {
        let words = trouble.description
        let isOfOthers = words.contains("another band") && odd != .otherBand
        let isOfNone = words.contains("has no team.json") && odd != .missing
        return isOfOthers || isOfNone ? words : nil
    }
}
