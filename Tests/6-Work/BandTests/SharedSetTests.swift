import Band
import BandLayout
import Catalogue
import Library
import Model
import Platform
import Sets
import TestSupport
import Testing

/// Sets that members of a band share with each other.
@Suite(.onLoop)
struct SharedSetTests {
    private let plan = PlanID.ofSet("2026-11-22 1030 Advent")
    private let grace = Player.pdf("grace")
    private var bytes: Digest { SHA256.digest(of: grace) }

    /// Two members, of whom Anna has a set with a chart in a folder of her own.
    @LoopActor private func duo(size: Int? = nil) async throws -> Duo {
        let duo = try Duo()
        let folder = duo.folder.path("Sets/2026-11-22 1030 Advent")
        try FileTree.write(grace, to: "\(folder)/Grace.pdf")
        try give(duo, size: size ?? grace.count)
        try duo.anna.library.sets.note(
            [folder: .init(plan: plan, number: nil)],
            files: ["\(folder)/Grace.pdf": .init(stamp: FileStamp(device: 1, inode: 8, size: grace.count, modified: 1), digest: bytes)])
        try await duo.look()
        return duo
    }

    @LoopActor private func give(_ duo: Duo, size: Int) throws {
        let start = Timestamp("2026-11-22T10:30:00Z")
        let chart = Model.Attachment(id: AttachmentID(ofBytes: bytes), filename: "Grace.pdf", fileSize: size)
        try duo.anna.library.plans.update(
            [
                PlanContents(
                    plan: Plan(id: plan, serviceType: ServiceTypeID("set"), title: "Advent", firstTime: start),
                    items: [PlanItem(id: ItemID("1"), sequence: 1, title: "Grace", keyName: "G", attachments: [chart], kind: "song")])
            ], of: .sets, at: Samples.monday)
    }

    @LoopActor private func isFileThere(_ duo: Duo) -> Bool {
        FileTree.isThere(duo.path(BandPath.name(ofObject: bytes)))
    }

    @LoopActor private func seen(_ duo: Duo) throws -> [String] {
        try duo.ben.library.band.setsOfOthers().map { other in
            let titles = other.set.items.map { "\($0.title.title) \($0.title.key ?? "")" }
            return "\(other.person): \(other.set.name.text) \(titles.joined(separator: ","))"
        }
    }

    @Test @LoopActor func nothingIsSharedUnasked() async throws {
        let duo = try await duo()
        defer { duo.end() }
        #expect(try duo.said.sets.isEmpty && seen(duo).isEmpty)
        #expect(try duo.names() == ["head.json"])
    }

    @Test @LoopActor func aSetIsSeenUntilItIsTakenBack() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: false)
        try await duo.look()
        #expect(try seen(duo) == ["Anna: 2026-11-22 1030 Advent Grace G"])
        #expect(try duo.ben.library.band.setsOfOthers()[0].plan == .ofBand(duo.anna.device, plan.sharedID))
        #expect(!isFileThere(duo), "the chart itself is not shared")
        let written = duo.written.count
        try await duo.look()
        #expect(duo.written.count == written, "what is the same is not written again")
        try duo.anna.library.band.endSharing(set: plan)
        try await duo.look()
        #expect(try seen(duo).isEmpty)
        #expect(try duo.names() == ["head.json"])
    }

    @Test @LoopActor func itsChartsComeWithItAndGoWhenItIsOver() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        let files = try duo.ben.library.band.setsOfOthers()[0].files
        #expect(files == [bytes: grace.count])
        #expect(await duo.ben.reader.chart(bytes, of: duo.anna.device, length: grace.count) == grace)
        try duo.anna.library.band.share(set: plan, withCharts: false)
        try await duo.look()
        #expect(try seen(duo).count == 1 && !isFileThere(duo))
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        #expect(isFileThere(duo))
        duo.anna.clock.wallTimeAtStart += .seconds(3 * 86_400)
        try await duo.look()
        #expect(try seen(duo).isEmpty && !isFileThere(duo))
        #expect(try duo.anna.library.band.sharedSets().isEmpty, "it would not be shared again without a word")
    }

    /// Plans of one's own folders do not say how long their files are.
    @Test @LoopActor func aChartIsSharedThoughItsPlanDoesNotSayItsSize() async throws {
        let duo = try await duo(size: 0)
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        #expect(try duo.ben.library.band.setsOfOthers()[0].files == [bytes: grace.count])
        #expect(isFileThere(duo))
    }

    @Test @LoopActor func whoLeavesTakesSetsAndChartsAlong() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        try duo.anna.setLeft(true)
        try await duo.look()
        #expect(try duo.names() == ["head.json"])
        #expect(try seen(duo).isEmpty)
    }

    @Test @LoopActor func whoIsLeftOutShowsNoSets() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: false)
        try await duo.look()
        try duo.ben.library.band.setLeftOut(true, .person("Anna"))
        #expect(try seen(duo).isEmpty)
        try await duo.look()
        try duo.ben.library.band.setLeftOut(false, .person("Anna"))
        try await duo.look()
        #expect(try seen(duo).count == 1)
    }

    @Test @LoopActor func forMoreChartsThanABandHasRoomForThereIsAComplaint() async throws {
        let duo = try await duo(size: BandHead.longestChart + 1)
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        #expect(try seen(duo).count == 1 && !isFileThere(duo))
        #expect(duo.anna.writer.complaints.count == 1 && duo.anna.writer.complaints[0].contains("Advent"))
    }

    @Test @LoopActor func aChartWithOtherBytesThanItsNameSaysIsNotBelieved() async throws {
        let duo = try await duo()
        defer { duo.end() }
        try duo.anna.library.band.share(set: plan, withCharts: true)
        try await duo.look()
        try FileTree.write(Player.pdf("other"), to: duo.path(BandPath.name(ofObject: bytes)))
        #expect(await duo.ben.reader.chart(bytes, of: duo.anna.device, length: grace.count) == nil)
    }

    /// A set that leaves out what is usual is shorter than this program would write it.
    @Test @LoopActor func aSetThatOnlyJustFitsDisturbsNobody() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let chart = #"{"name":"a.pdf","sha256":"\#(bytes.hex)","size":1}"#
        let charts = Array(repeating: chart, count: 16).joined(separator: ",")
        let item = #"{"kind":"song","title":"a","charts":[\#(charts)]}"#
        let items = Array(repeating: item, count: SharedSet.limit / (item.utf8.count + 2)).joined(separator: ",")
        let set = Array(#"{"format":1,"set":"2026-11-22","items":[\#(items)]}"#.utf8)
        #expect(try SharedSet(reading: set).bytes.count > SharedSet.limit)
        let eve = BandDevice("eeeeeeeeeeeeeeee")
        let object = SHA256.digest(of: set)
        try FileTree.write(set, to: duo.folder.path("band/\(BandPath.object(object, of: eve))"))
        var head = BandHead(device: eve, counter: 1, person: "Eve", name: "laptop")
        head.sets = [BandHead.SetEntry(id: "s1", object: object, length: set.count, files: [])]
        try FileTree.write(head.bytes, to: duo.folder.path("band/\(BandPath.head(of: eve))"))
        try duo.anna.library.band.share(set: plan, withCharts: false)
        try await duo.look()
        #expect(try seen(duo) == ["Anna: 2026-11-22 1030 Advent Grace G"])
    }

    @Test @LoopActor func setsThatAreNoneAreReadOnceAndDisturbNobody() async throws {
        let duo = try await duo()
        defer { duo.end() }
        let eve = BandDevice("eeeeeeeeeeeeeeee")
        let objects = [(UInt8(0x20), 6), (0x7b, 100_000), (0x20, SharedSet.limit + 1)].map { [UInt8](repeating: $0, count: $1) }
        for bytes in objects {
            try FileTree.write(bytes, to: duo.folder.path("band/\(BandPath.object(SHA256.digest(of: bytes), of: eve))"))
        }
        var head = BandHead(device: eve, counter: 1, person: "Eve", name: "laptop")
        head.sets = objects.enumerated().map { number, bytes in
            BandHead.SetEntry(id: "s\(number)", object: SHA256.digest(of: bytes), length: bytes.count, files: [])
        }
        try FileTree.write(head.bytes, to: duo.folder.path("band/\(BandPath.head(of: eve))"))
        try duo.anna.library.band.share(set: plan, withCharts: false)
        try await duo.look()
        #expect(try seen(duo) == ["Anna: 2026-11-22 1030 Advent Grace G"])
        duo.ben.carrier.forget()
        try await duo.look()
        #expect(duo.ben.carrier.asked.count { $0.contains("o-") } == 0)
    }
}
