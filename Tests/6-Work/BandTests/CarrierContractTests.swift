import BandLayout
import Model
import Platform
import TestSupport
import Testing

/// The contract of every carrier, for every kind of place. A new kind must pass these tests before any others.
@Suite(.onLoop, .needs(.manyTries))
struct CarrierContractTests {
    @LoopActor private func heads(_ carrier: any BandCarrier, _ bench: CarrierBench) async throws -> [String] {
        try await carrier.heads(known: [bench.one, bench.two]).heads.map(\.path)
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func whatIsPutIsThereAndCanBeReplacedAndRemoved(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let (carrier, path) = (bench.carrier(), BandPath.head(of: bench.one))
        #expect(try await carrier.get(path, limit: 100) == nil)
        for text in ["one", "another", "last"] {
            try await carrier.put(Array(text.utf8), as: path)
            #expect(try await carrier.get(path, limit: 100) == Array(text.utf8))
            #expect(try await bench.carrier().get(path, limit: 100) == Array(text.utf8))
            #expect(try await bench.bytes(at: path) == Array(text.utf8))
        }
        for _ in 0..<2 {
            try await carrier.remove(path)
            #expect(try await carrier.get(path, limit: 100) == nil)
        }
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func whatIsLongerThanItMayBeIsNotThere(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let path = BandPath.head(of: bench.one)
        try await bench.set("12345", at: path)
        #expect(try await bench.carrier().get(path, limit: 5)?.count == 5)
        #expect(try await bench.carrier().get(path, limit: 4) == nil)
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func anObjectIsWhatItsNameSaysOrNotThere(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let (carrier, path) = (bench.carrier(), BandPath.object(bench.sum, of: bench.one))
        for text in ["", "mar", "skram", "marks and more"] {
            try await bench.set(text, at: path)
            #expect(try await carrier.get(path, limit: 100) == nil, "\(text)")
            bench.later()
        }
        try await bench.set("marks", at: path)
        #expect(try await carrier.get(path, limit: 5) == bench.marks, "though it was another one before")
        #expect(try await carrier.get(BandPath.object(bench.sum, of: bench.two), limit: 5) == nil, "each in its own folder")
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func aHeadIsToldOnceAndAgainIfItIsAnotherOrInDoubt(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let carrier = bench.carrier()
        let (first, second) = (BandPath.head(of: bench.one), BandPath.head(of: bench.two))
        #expect(try await heads(carrier, bench) == [])
        try await bench.set("one", at: first)
        #expect(try await heads(carrier, bench) == [first])
        try await bench.set("two", at: second)
        bench.later()
        #expect(try await heads(carrier, bench) == [second])
        #expect(try await heads(carrier, bench) == [])
        try await bench.set("eno", at: first)
        #expect(try await heads(carrier, bench) == [first], "of the same length")
        carrier.doubt()
        #expect(try await heads(carrier, bench) == [first, second])
        #expect(try await heads(bench.carrier(), bench) == [first, second], "to another carrier nothing was told")
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func aDeviceWhoseHeadWentIsNotThereAndIsToldWhenItIsBack(kind: CarrierKind)
        async throws
    {
        let bench = try await CarrierBench(kind)
        let (carrier, path) = (bench.carrier(), BandPath.head(of: bench.one))
        try await bench.set("one", at: path)
        #expect(try await carrier.heads(known: [bench.one]).devices == [bench.one])
        try await bench.set(nil, at: path)
        #expect(try await carrier.heads(known: [bench.one]).devices == [])
        try await bench.set("one", at: path)
        #expect(try await heads(carrier, bench) == [path])
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func objectsAreListedWithTheirLengthsOrNotAtAll(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let carrier = bench.carrier()
        try await carrier.put(bench.marks, as: BandPath.object(bench.sum, of: bench.one))
        try await bench.set("ma", at: BandPath.object(bench.sum, of: bench.two))
        try await bench.set("one", at: BandPath.head(of: bench.one))
        #expect(try await carrier.objects(of: bench.one) == (bench.canList ? [bench.sum: 5] : nil))
        #expect(try await carrier.objects(of: bench.two) == (bench.canList ? [bench.sum: 2] : nil), "as it is there")
        #expect(try await carrier.objects(of: BandDevice("cccccccccccccccc")) == (bench.canList ? [:] : nil))
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func whatIsNoDeviceIsNotToldOf(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        for path in ["d/desktop.ini", "d/short/head.json", "d/aaaaaaaaaaaaaaaa.json", "head.json", "e/aaaaaaaaaaaaaaaa/head.json"] {
            try await bench.set("x", at: path)
        }
        let listing = try await bench.carrier().heads(known: [bench.one])
        #expect(listing.heads == [] && listing.devices == [])
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func aPlaceThatIsAwayIsNotEmptyAndNothingIsMadeThere(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let (carrier, path) = (bench.carrier(), BandPath.head(of: bench.one))
        try await carrier.put(Array("one".utf8), as: path)
        _ = try await heads(carrier, bench)
        try await bench.setAway(true)
        await #expect { try await heads(carrier, bench) } throws: { ($0 as? Trouble)?.kind == .away }
        await #expect(throws: Trouble.self) { try await carrier.put(bench.marks, as: path) }
        await #expect(throws: Trouble.self) { try await carrier.objects(of: bench.one) }
        #expect((try? await carrier.get(path, limit: 100)) == nil)
        #expect(!bench.isHaunted)
        try await bench.setAway(false)
        #expect(try await carrier.heads(known: [bench.one]).devices == [bench.one])
        #expect(try await carrier.get(path, limit: 100) == Array("one".utf8))
    }

    @Test(arguments: CarrierKind.allCases) @LoopActor func whatCannotBeWrittenIsSaidAndLeavesWhatIsThere(kind: CarrierKind) async throws {
        let bench = try await CarrierBench(kind)
        let (carrier, path) = (bench.carrier(), BandPath.head(of: bench.one))
        try await carrier.put(Array("one".utf8), as: path)
        let target = try bench.fill()
        await #expect(throws: Trouble.self) { try await carrier.put(bench.marks, as: target) }
        #expect(try await bench.bytes(at: path) == Array("one".utf8))
        #expect(try await carrier.objects(of: bench.one) ?? [:] == [:])
    }
}
