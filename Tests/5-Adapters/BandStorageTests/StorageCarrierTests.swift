import BandLayout
import BandStorage
import Model
import Platform
import TestSupport
import Testing

/// The requests to a band's server, and how its answers are understood.
@Suite(.onLoop)
struct StorageCarrierTests {
    @LoopActor
    private final class Bench {
        let store: FakeStore
        let clock = SimulatedClock()
        let carrier: StorageCarrier
        let device = BandDevice("aaaaaaaaaaaaaaaa")

        init(isSigned: Bool = false, hasKey: Bool = false) throws {
            store = FakeStore(isSigned ? "https://example.org/bucket/band" : "https://example.org/dav/band", hasFolders: !isSigned)
            store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
            let address =
                try isSigned
                ? StorageAddress("s3://bucket/band", endpoint: "https://example.org") : StorageAddress("https://example.org/dav/band")
            carrier = StorageCarrier(
                address, transport: store, key: { _ in hasKey ? StorageKey(Secret("anna:word")) : nil }, time: clock,
                side: SideThread(inline: true))
        }

        func object(_ bytes: [UInt8]) -> String { BandPath.object(SHA256.digest(of: bytes), of: device) }

        /// Looks once, and returns the trouble.
        func trouble() async -> Trouble? {
            do {
                _ = try await carrier.heads(known: [device])
                return nil
            } catch {
                return error
            }
        }
    }

    /// A server's demand for a pause also counts if it comes with a long body.
    @Test @LoopActor func aServerThatWantsToBeLeftAloneIsLeftAlone() async throws {
        let bench = try Bench()
        bench.store.fault = { _, _ in .longStatus(503) }
        #expect(await bench.trouble()?.description.contains("asks to be left alone") == true)
        bench.store.forget()
        bench.clock.skip(.seconds(590))
        #expect(await bench.trouble() != nil && bench.store.requests.isEmpty)
    }

    /// If a server demands a pause, all commands of this home observe the pause, even if the clock is set in the meantime.
    @Test @LoopActor func whoAsksToBeLeftAloneIsNotAskedByOtherCommandsEither() async throws {
        let (folder, clock) = (TemporaryFolder(), SimulatedClock())
        let store = FakeStore("https://example.org/dav/band", hasFolders: true)
        store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
        func carrier() throws -> StorageCarrier {
            StorageCarrier(
                try StorageAddress("https://example.org/dav/band"), transport: store,
                rest: ServerRest(folder.path("run/rests-example.org"), time: clock), time: clock, side: SideThread(inline: true))
        }
        func ask() async throws -> Trouble? {
            do {
                _ = try await carrier().get(BandPath.marker, limit: BandMarker.limit)
                return nil
            } catch let trouble as Trouble {
                return trouble
            }
        }
        store.fault = { _, _ in .status(503, retryAfter: 600) }
        #expect(try await ask() != nil)
        store.fault = nil
        store.forget()
        clock.skip(.seconds(120))
        #expect(try await ask()?.description == "example.org asks to be left alone, and is asked again after 8 minutes")
        #expect(store.requests.isEmpty)
        clock.skip(.seconds(481))
        #expect(try await ask() == nil)
        // A time this far ahead must come from a wrong clock and not from a server, so it is ignored.
        try AtomicFile.write("2199-01-01T00:00:00Z\n", to: folder.path("run/rests-example.org"))
        #expect(try await ask() == nil)
    }

    @Test @LoopActor func aBandBeginsWhereThereIsNone() async throws {
        for conditions in [FakeStore.Conditions.known, .refused, .ignored] {
            let bench = try Bench()
            bench.store.conditions = conditions
            bench.store.set(nil, at: BandPath.marker)
            let marker = BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes
            try await bench.carrier.put(marker, as: BandPath.marker)
            #expect(bench.store.files[BandPath.marker] == marker)
        }
    }

    @Test @LoopActor func anObjectGoesOnWhereItBrokeOff() async throws {
        let bench = try Bench()
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 / 7) }
        let path = bench.object(bytes)
        bench.store.set(bytes, at: path)
        _ = try await bench.carrier.heads(known: [])
        bench.store.fault = { _, _ in .breaksOff }
        await #expect(throws: Trouble.self) { try await bench.carrier.get(path, limit: bytes.count) }
        bench.store.fault = nil
        _ = try await bench.carrier.heads(known: [])
        bench.store.forget()
        #expect(try await bench.carrier.get(path, limit: bytes.count) == bytes)
        #expect(bench.store.requests.map { request in request.headers.first { $0.name == "Range" }?.value } == ["bytes=50000-"])
    }

    /// An owner may drop an object whose transfer broke off, so the rest is never requested. Such a part must make room for other objects.
    @Test @LoopActor func anObjectGoesOnWhereItBrokeOffHoweverManyOthersDidBefore() async throws {
        let bench = try Bench()
        let all = (0..<10).map { Array(repeating: UInt8($0), count: 1000) }
        bench.store.fault = { _, path in path == BandPath.marker ? nil : .breaksOff }
        for bytes in all {
            bench.store.set(bytes, at: bench.object(bytes))
            _ = try await bench.carrier.heads(known: [])
            await #expect(throws: Trouble.self) { try await bench.carrier.get(bench.object(bytes), limit: bytes.count) }
        }
        bench.store.fault = nil
        _ = try await bench.carrier.heads(known: [])
        bench.store.forget()
        #expect(try await bench.carrier.get(bench.object(all[9]), limit: 1000) == all[9])
        #expect(bench.store.requests.map { request in request.headers.first { $0.name == "Range" }?.value } == ["bytes=500-"])
    }

    /// A transfer begins again if the server ignores the range and sends the whole file, or if the file has changed in the meantime.
    @Test(arguments: [true, false]) @LoopActor func whatDoesNotGoOnBeginsAgain(isOther: Bool) async throws {
        let bench = try Bench()
        let bytes = Array(repeating: UInt8(7), count: 1000)
        let path = bench.object(bytes)
        bench.store.set(isOther ? Array(repeating: 8, count: 1000) : bytes, at: path)
        _ = try await bench.carrier.heads(known: [])
        bench.store.fault = { _, _ in .breaksOff }
        await #expect(throws: Trouble.self) { try await bench.carrier.get(path, limit: bytes.count) }
        bench.store.fault = nil
        bench.store.hasRanges = isOther
        bench.store.set(bytes, at: path)
        _ = try await bench.carrier.heads(known: [])
        #expect(try await bench.carrier.get(path, limit: bytes.count) == bytes)
    }

    @Test(arguments: [429, 503]) @LoopActor func aServerThatWantsToBeLeftAloneIs(status: Int) async throws {
        let bench = try Bench()
        bench.store.fault = { _, _ in .status(status, retryAfter: 3000) }
        #expect(await bench.trouble()?.description == "example.org asks to be left alone, and is asked again after 50 minutes")
        bench.store.fault = nil
        bench.store.forget()
        for _ in 0..<49 {
            bench.clock.skip(.seconds(60))
            #expect(await bench.trouble()?.kind == .away)
        }
        #expect(bench.store.requests.isEmpty)
        bench.clock.skip(.seconds(61))
        #expect(await bench.trouble() == nil)
    }

    @Test @LoopActor func aServerThatDoesNotStateHowLongIsLeftAloneForLonger() async throws {
        let bench = try Bench()
        bench.store.fault = { _, _ in .status(503, retryAfter: 999_999_999) }
        for _ in 0..<(24 * 60) {
            _ = await bench.trouble()
            bench.clock.skip(.seconds(60))
        }
        #expect((23...26).contains(bench.store.requests.count), "once an hour, whatever it asks")
        bench.store.forget()
        bench.store.fault = { _, _ in .status(503) }
        for _ in 0..<(24 * 60) {
            bench.clock.skip(.seconds(60))
            _ = await bench.trouble()
        }
        #expect((20...40).contains(bench.store.requests.count))
    }

    @Test @LoopActor func whoIsNotThereIsAskedForEverMoreRarely() async throws {
        let bench = try Bench()
        for _ in 0..<(24 * 60) {
            bench.clock.skip(.seconds(60))
            _ = try await bench.carrier.heads(known: [bench.device])
        }
        let asked = bench.store.requests.count { $0.url.hasSuffix("head.json") }
        #expect((5...15).contains(asked), "\(asked) times in a day")
        // A new device is seen within a day, and then at each look.
        bench.store.set(Array("word".utf8), at: BandPath.head(of: bench.device))
        bench.clock.skip(.seconds(86_400))
        #expect(try await bench.carrier.heads(known: [bench.device]).devices == [bench.device])
    }

    @Test @LoopActor func aLookFetchesNoMoreThanFiveMegabytes() async throws {
        let bench = try Bench()
        // Use only a few objects, because checksums of large files take long in tests.
        let all = (0..<4).map { Array(repeating: UInt8($0), count: 2_000_000) }
        for bytes in all { bench.store.set(bytes, at: bench.object(bytes)) }
        var come = 0
        for look in 1...2 {
            _ = try await bench.carrier.heads(known: [])
            for bytes in all[come...] where try await bench.carrier.get(bench.object(bytes), limit: bytes.count) != nil { come += 1 }
            #expect(come == [3, 4][look - 1])
        }
    }

    /// A head that names many missing objects must not delay the other devices.
    @Test @LoopActor func whoNamesWhatIsNotThereIsNotAskedAllTheTime() async throws {
        let bench = try Bench()
        for _ in 0..<5 {
            _ = try await bench.carrier.heads(known: [])
            bench.store.forget()
            for number in 0..<1000 { _ = try await bench.carrier.get(bench.object([UInt8(number & 255), UInt8(number >> 8)]), limit: 10) }
            #expect(bench.store.requests.count <= 20)
        }
    }

    @Test(arguments: troubles) @LoopActor func eachTroubleIsReportedAsWhatItIs(trouble: Wrong) async throws {
        let bench = try Bench(isSigned: trouble.isSigned, hasKey: true)
        bench.store.fault = { _, _ in trouble.fault }
        let reported = try #require(await bench.trouble())
        #expect(reported.description.contains(trouble.words), "\(reported)")
        #expect(reported.kind == (trouble.isRefused ? .refused : .away))
        bench.store.fault = nil
        bench.clock.skip(.seconds(3600))
        #expect(await bench.trouble() == nil)
    }

    @Test(arguments: [
        Wrong(fault: .status(400, code: "UnsupportedAlgorithm"), words: "no key is set for this bucket"),
        Wrong(fault: .status(403, code: "AccessDenied"), words: "no key is set for this bucket"),
        Wrong(isSigned: false, fault: .status(401), words: "wants a user and a password"),
    ]) @LoopActor func aMissingKeyIsReported(trouble: Wrong) async throws {
        let bench = try Bench(isSigned: trouble.isSigned)
        bench.store.fault = { _, _ in trouble.fault }
        let reported = try #require(await bench.trouble())
        #expect(reported.description.contains(trouble.words) && reported.kind == .refused, "\(reported)")
    }

    struct Wrong: Sendable, CustomTestStringConvertible {
        var isSigned = true
        let fault: FakeStore.Fault
        let words: String
        var isRefused = false
        var testDescription: String { words }
    }

    private static let troubles = [
        Wrong(fault: .status(403, code: "RequestTimeTooSkewed"), words: "clock is off"),
        Wrong(fault: .status(403, code: "SignatureDoesNotMatch"), words: "does not accept the key", isRefused: true),
        Wrong(fault: .status(403, code: "InvalidAccessKeyId"), words: "does not accept the key", isRefused: true),
        Wrong(fault: .status(404, code: "NoSuchBucket"), words: "no such bucket"),
        Wrong(fault: .status(301, code: "PermanentRedirect"), words: "band.region"),
        Wrong(fault: .status(501, code: "NotImplemented"), words: "there is no S3"),
        Wrong(isSigned: false, fault: .status(401), words: "does not accept the user and password", isRefused: true),
        Wrong(isSigned: false, fault: .status(404), words: "has no team.json"),
        Wrong(isSigned: false, fault: .page, words: "log-in page"),
        Wrong(isSigned: false, fault: .leadsAway, words: "where nothing is sent"),
        Wrong(isSigned: false, fault: .wrongCertificate, words: "certificate"),
        Wrong(isSigned: false, fault: .status(500), words: "fault of its own"),
        Wrong(isSigned: false, fault: .garbage, words: "team.json cannot be read"),
        Wrong(isSigned: false, fault: .offline, words: "could not connect"),
    ]

    /// An unreadable head concerns only its owner; all other heads are read.
    @Test(arguments: [FakeStore.Fault.page, .status(423), .status(403), .status(500)]) @LoopActor
    func aHeadThatCannotBeReadStopsNobodyElse(fault: FakeStore.Fault) async throws {
        let bench = try Bench()
        let (bad, good) = (BandPath.head(of: bench.device), BandPath.head(of: BandDevice("bbbbbbbbbbbbbbbb")))
        for path in [bad, good, BandPath.door] { bench.store.set(Array("word".utf8), at: path) }
        bench.store.fault = { _, path in path == bad ? fault : nil }
        let listing = try await bench.carrier.heads(known: [bench.device, BandDevice("bbbbbbbbbbbbbbbb")])
        #expect(listing.heads.map(\.path) == [good])
        bench.store.fault = { _, path in path == BandPath.marker || path == bad ? fault : nil }
        await #expect(throws: Trouble.self) { try await bench.carrier.heads(known: [bench.device]) }
    }

    /// An unreadable object does not keep other objects from being read, even if they come after it.
    @Test(arguments: [FakeStore.Fault.status(423), .status(403), .status(500), .breaksOff]) @LoopActor
    func anObjectThatCannotBeReadStopsNoOther(fault: FakeStore.Fault) async throws {
        let bench = try Bench()
        let all = (0..<6).map { [UInt8($0), 1, 2, 3] }
        let bad = Set(all.prefix(4).map(bench.object))
        for bytes in all { bench.store.set(bytes, at: bench.object(bytes)) }
        bench.store.fault = { _, path in bad.contains(path) ? fault : nil }
        var come: Set<[UInt8]> = []
        for _ in 0..<4 {
            bench.clock.skip(.seconds(60))
            _ = try await bench.carrier.heads(known: [])
            for bytes in all { if let found = try? await bench.carrier.get(bench.object(bytes), limit: 10) { come.insert(found) } }
        }
        #expect(come == Set(all.suffix(2)))
    }

    @Test @LoopActor func headsThatAreTooLargeCostNoMoreThanALook() async throws {
        let bench = try Bench()
        let devices = (10..<50).map { BandDevice("largelargelarg\($0)") }
        let large = Array(repeating: UInt8(7), count: 1 << 20)
        for device in devices { bench.store.set(large, at: BandPath.head(of: device)) }
        _ = try await bench.carrier.heads(known: devices)
        #expect((16...20).contains(bench.store.requests.count { $0.url.hasSuffix("head.json") }))
    }

    @Test @LoopActor func aRefusedRemovalIsReported() async throws {
        let bench = try Bench(isSigned: true)
        let path = BandPath.head(of: bench.device)
        try await bench.carrier.put([1, 2, 3], as: path)
        bench.store.fault = { request, _ in request.method == .delete ? .status(403, code: "AccessDenied") : nil }
        await #expect(throws: Trouble.self) { try await bench.carrier.remove(path) }
        bench.store.fault = { request, _ in request.method == .put ? .status(401) : nil }
        await #expect { try await bench.carrier.put([4], as: path) } throws: { "\($0)".contains("does not allow this user to write") }
    }

    // MARK: - Keys

    @Test @LoopActor func aKeyThatWasRefusedIsReadAgainAndNotEachTime() async throws {
        let store = FakeStore("https://example.org/dav/band", hasFolders: true)
        store.set(BandMarker(id: BandDevice("bandbandbandband"), name: "Harmony").bytes, at: BandPath.marker)
        final class Key { var (password, reads) = ("old", 0) }
        let key = Key()
        let clock = SimulatedClock()
        let carrier = StorageCarrier(
            try StorageAddress(store.base), transport: store,
            key: { _ in
                key.reads += 1
                return StorageKey(Secret("anna:\(key.password)"))
            }, time: clock, side: SideThread(inline: true))
        store.fault = { request, _ in request.credentials?.revealed == "anna:new" ? nil : .status(401) }
        for _ in 0..<5 { await #expect(throws: Trouble.self) { try await carrier.heads(known: []) } }
        #expect(key.reads <= 3, "a command may ask a person")
        key.password = "new"
        clock.skip(.seconds(3600))
        _ = try await carrier.heads(known: [])
        #expect(store.requests.allSatisfy { $0.staysAtOrigin && $0.url.hasPrefix(store.base) })
    }
}

/// The URLs that follow from a place's address as the user wrote it.
@Suite(.onLoop)
struct StorageAddressTests {
    @LoopActor private func url(_ text: String, endpoint: String? = nil, region: String? = nil) async throws -> String {
        let network = SimulatedNetwork()
        let carrier = StorageCarrier(
            try StorageAddress(text, endpoint: endpoint, region: region), transport: network, time: SimulatedClock(),
            side: SideThread(inline: true))
        _ = try await carrier.get(BandPath.marker, limit: 100)
        return try #require(network.requests.last?.url)
    }

    @Test @LoopActor func aPlaceIsAtItsAddress() async throws {
        #expect(try await url("https://cloud.example/dav/anna/Our Band/") == "https://cloud.example/dav/anna/Our%20Band/team.json")
        #expect(try await url("https://cloud.example/dav/anna/Our%20Band") == "https://cloud.example/dav/anna/Our%20Band/team.json")
        #expect(try await url("https://cloud.example/dav//Anna's%20Bänd/") == "https://cloud.example/dav/Anna%27s%20B%C3%A4nd/team.json")
        #expect(try await url("https://bänd.example/dav") == "https://bänd.example/dav/team.json")
        #expect(try StorageAddress("https://Cloud.example:443/dav").host == "Cloud.example:443", "what it gave is kept under that name")
        #expect(
            try await url("s3://harmony/band", region: "eu-central-1") == "https://harmony.s3.eu-central-1.amazonaws.com/band/team.json")
        #expect(try await url("s3://our.band") == "https://s3.us-east-1.amazonaws.com/our.band/team.json", "no certificate fits two dots")
        #expect(try await url("s3://b/p/q/", endpoint: "https://minio.example:9000") == "https://minio.example:9000/b/p/q/team.json")
        #expect(try await url("s3://b/p", endpoint: "https://{bucket}.store.example/") == "https://b.store.example/p/team.json")
    }

    @Test(arguments: [
        "https://cloud.example", "https://cloud.example/", "https://anna:secret@cloud.example/dav", "https:///dav",
        "ftp://cloud.example/dav",
        "https://cloud.example/dav?x=1", "https://cloud.example/dav#x", "https://cloud.example/dav/../../etc", "s3://", "s3:///x",
        "s3://b/ä",
        "s3://b/..", "s3://b/a b", "://x",
    ])
    func whatIsNoPlaceIsRefusedWithASentence(text: String) {
        #expect { try StorageAddress(text) } throws: { "\($0)".contains(" ") && !"\($0)".contains("secret@") }
    }
}
