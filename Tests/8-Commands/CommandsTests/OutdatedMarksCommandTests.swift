import Catalogue
import CommandTestSupport
import Exporting
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

/// `woodshed layers`, `plans`, `log` and `accept` on marks that were made on an older version of a chart.
@Suite(.onLoop)
struct OutdatedMarksCommandTests {
    private let session = Session()
    private var home: String { session.folder.path }
    private let attachment = AttachmentID("790")
    private let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    @LoopActor private func download(_ text: String, _ library: Library) throws -> ChartHash {
        let bytes = Array("%PDF-1.7\n\(text)\n%%EOF\n".utf8)
        let file = try library.charts.beginChart()
        try bytes.withUnsafeBytes { try file.write($0) }
        let hash = ChartHash(SHA256.digest(of: bytes))
        try library.charts.keep(file, hash: hash, size: bytes.count, for: attachment, version: text)
        return hash
    }

    /// A chart that was replaced under Ann's marks on its two pages; only the second page looks different.
    @LoopActor private func library() throws -> (Library, former: ChartHash) {
        let library = try Library(folder: home + "/data")
        let chart = Model.Attachment(
            id: attachment, filename: "Riverside.pdf", fileSize: 9, updatedAt: time, isGenerated: false, generatedFrom: "")
        try library.plans.update(
            [
                PlanContents(
                    plan: Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"), title: "", firstTime: time, lastTime: time),
                    items: [PlanItem(id: ItemID("1"), sequence: 1, title: "Grace", keyName: "", attachments: [chart])])
            ], at: time)
        let former = try download("old", library)
        let marks = [0, 1].map { Mark(id: "\($0)", page: PageIndex($0), kind: .pen, points: [Mark.Point(x: 0.5, y: 0.5)]) }
        try library.layers.update(
            layers: [Layer(id: LayerID("51"), attachment: attachment, personName: "Ann", name: "Bowings", marks: marks)],
            of: PlanID("1"), at: time)
        let present = try download("new", library)
        try library.olderMarks.record(
            [
                PagePair(former: former, chart: present, page: PageIndex(0)): false,
                PagePair(former: former, chart: present, page: PageIndex(1)): true,
            ], at: time)
        return (library, former)
    }

    @Test @LoopActor func theyAreToldUntilTheyAreAccepted() async throws {
        let (library, former) = try library()
        // The commands work while an agent holds the lock.
        let lock = try AgentLock.take(in: library.folder)
        defer { withExtendedLifetime(lock) {} }

        let layers = await session.run("layers", "790", "--home", home).results
        #expect(layers.contains("'Bowings' has marks made on an older version of this chart, on page 2"), "\(layers)")
        #expect(layers.contains(library.charts.path(of: former)))
        #expect(layers.contains("woodshed accept 790"))
        let json = await session.run("layers", "790", "--json", "--home", home).results
        #expect(
            json.contains(#"{"page":1,"marks":1,"exists":true,"older":false},{"page":2,"marks":1,"exists":true,"older":true}"#), "\(json)")
        let plans = await session.run("plans", "--all", "--home", home).results
        #expect(plans.contains("Riverside.pdf: marks made on an older version of this chart on page 2; "), "\(plans)")
        #expect(await session.run("plans", "--all", "--json", "--home", home).results.contains(#""older_marks":[2]"#))
        let log = await session.run("log", "--home", home).results
        #expect(log.contains("marks made on an older version of 'Riverside' are on page 2"), "\(log)")
        #expect(await session.run("log", "--json", "--home", home).results.contains(#""kind":"marksOutdated","chart":"790","pages":[2]"#))

        func files() throws -> [[UInt8]] {
            try Folder.names(in: library.folder).filter { $0.hasPrefix("catalogue") && !$0.hasSuffix("-shm") }.map {
                try AtomicFile.read(library.folder + "/" + $0, limit: 1 << 26)
            }
        }
        let before = try files()
        let dry = await session.run("accept", "riverside", "--dry-run", "--home", home)
        #expect(dry.results.contains("without --dry-run: Riverside.pdf: its marks are accepted"), "\(dry)")
        #expect(try library.olderMarks.outdatedMarks().count == 1, "nothing was accepted")
        #expect(try files() == before)
        let accepted = await session.run("accept", "riverside", "--home", home)
        #expect(accepted.code == .fine, "\(accepted.messages)")
        #expect(accepted.results.contains("Riverside.pdf: its marks are accepted"))
        #expect(try library.olderMarks.outdatedMarks() == [])
        #expect(await !session.run("layers", "790", "--home", home).results.contains("older"))
        #expect(await !session.run("plans", "--all", "--home", home).results.contains("older"))
        let again = await session.run("accept", "790", "--home", home)
        #expect(again.code == .fine)
        #expect(again.results.contains("there is nothing left to accept about Riverside.pdf (790)"))
        #expect(await session.run("accept", "790", "--dry-run", "--home", home).results == again.results)
    }

    @Test @LoopActor func whatIsExportedSaysItOnThePage() async throws {
        let (library, _) = try library()
        let contents = try ExportContents(try #require(try library.plans.plan(PlanID("1"))), title: "", in: library)
        func lines(_ choice: MarkChoice) throws -> [PageIndex] {
            let chart = contents.charts[0]
            let pages = try MarksToExport(choice, of: contents, in: library).pages(of: chart.attachment, on: #require(chart.hash))
            return pages.filter { $0.value.marks.contains { $0.text?.contains("made on another version") == true } }.keys.sorted()
        }
        #expect(try lines(.annotated) == [PageIndex(1)])
        #expect(try lines(.layers(["bowings"])) == [PageIndex(1)])
        #expect(try lines(.plain) == [])
        try library.accept(chart: attachment)
        #expect(try lines(.annotated) == [])
    }

    @Test @LoopActor func marksThatAreHiddenAreNotToldOf() async throws {
        let (library, _) = try library()
        try library.drawings.setHidden(true, layer: LayerID("51"), of: attachment)
        #expect(await !session.run("plans", "--all", "--home", home).results.contains("older version"))
        #expect(await session.run("layers", "790", "--home", home).results.contains("older version"))
    }

    @Test @LoopActor func whatIsNeitherPlanNorChartIsNotAccepted() async throws {
        let (library, _) = try library()
        let unknown = await session.run("accept", "easter", "--home", home)
        #expect(unknown.code == .failed)
        #expect(unknown.messages.contains("there is no plan or chart 'easter' here"), "\(unknown.messages)")
        let plan = await session.run("accept", "1", "--home", home)
        #expect(plan.code == .fine)
        #expect(plan.results.contains("nothing is held back for"), "\(plan)")
        #expect(try library.olderMarks.outdatedMarks().count == 1)
    }

    @Test @LoopActor func whatSeveralPlansAreCalledIsAsked() async throws {
        let (library, _) = try library()
        let soon = Timestamp(nanoseconds: 4_000_000_000_000_000_000)
        let plans = ["1", "2", "3"].map {
            Plan(id: PlanID($0), serviceType: ServiceTypeID("1"), title: "Harvest", firstTime: soon, lastTime: soon)
        }
        try library.plans.update(plans.map { PlanContents(plan: $0, items: []) }, at: time)
        let several = await session.run("accept", "harvest", "--home", home)
        #expect(several.code == .failed)
        #expect(several.messages.contains("'harvest' matches several plans; name one by its id"), "\(several.messages)")
    }

    /// Only the chart's file is missing. Its marks and images, and the troubles with it, are still here, so commands must still
    /// find it by name.
    @Test @LoopActor func aChartWhoseFileIsGoneIsStillCalledByItsName() async throws {
        let (library, _) = try library()
        let path = library.charts.path(of: try #require(try library.charts.chart(of: ChartUse(attachment))).hash)
        #expect(unlink(path) == 0)
        let page = await session.run("why", "riverside", "1", "-o", home + "/page.png", "--home", home)
        #expect(page.code == .failed)
        #expect(page.messages.contains("there is no file \(path) any more; the next sync fetches the chart again"), "\(page.messages)")
        #expect(await session.run("layers", "riverside", "--home", home).code == .fine)
        let export = await session.run("export", "riverside", "-o", home + "/r.pdf", "--home", home)
        #expect(export.code == .failed && export.messages.contains("the next sync fetches the chart again"), "\(export.messages)")
        let clear = await session.run("cache", "clear", "--chart", "riverside", "--home", home)
        #expect(clear.code == .fine, "\(clear.messages)")
        let dry = await session.run("accept", "riverside", "--dry-run", "--json", "--home", home)
        #expect(dry.results.contains(#""name":"790""#), "\(dry)")
        #expect(await session.run("accept", "riverside", "--home", home).code == .fine)
    }

    @Test @LoopActor func aChartThatWasNeverFetchedIsSaidToBe() async throws {
        let (library, _) = try library()
        let charts = [("800", "Gra.pdf"), ("801", "Advent 1.pdf"), ("802", "Advent 2.pdf")].map { id, name in
            Model.Attachment(id: AttachmentID(id), filename: name, fileSize: 9, updatedAt: time, isGenerated: false, generatedFrom: "")
        }
        let plan = Plan(id: PlanID("2"), serviceType: ServiceTypeID("1"), title: "", firstTime: time, lastTime: time)
        let item = PlanItem(id: ItemID("2"), sequence: 1, title: "Song", keyName: "", attachments: charts)
        try library.plans.update([PlanContents(plan: plan, items: [item])], at: time)
        // The chart "Grace" is here, but its name only contains these letters.
        for words in [["layers", "gra"], ["why", "gra", "1"], ["accept", "gra"]] {
            let told = await session.run(words + ["--home", home])
            #expect(told.code == .failed && told.messages.contains("Gra.pdf is not fetched yet"), "\(told.messages)")
            #expect(told.messages.contains("sync --chart 800"), "\(told.messages)")
        }
        let several = await session.run("layers", "advent", "--home", home)
        #expect(several.code == .failed && several.messages.contains("'advent' matches several charts"), "\(several.messages)")
    }

    @Test @LoopActor func withoutAnotherAccountNothingIsToBeAccepted() async throws {
        _ = try library()
        for words in [["--dry-run"], []] {
            let told = await session.run(["accept", "--account", "--home", home] + words)
            #expect(told.code == .failed && told.messages.contains("nothing to accept about the account"), "\(told)")
        }
    }

    @Test @LoopActor func filesThatAreGoneAreLetGoOfBesideAnAgent() async throws {
        let (library, _) = try library()
        let lock = try AgentLock.take(in: library.folder)
        defer { withExtendedLifetime(lock) {} }
        let marks = [Mark(id: "m", page: PageIndex(0), kind: .pen, points: [Mark.Point(x: 0.5, y: 0.5)])]
        try library.markFiles.store(
            ["x", "y"].map {
                LocalFile(
                    path: home + "/stick/\($0).xopp", stamp: FileStamp(device: 1, inode: 2, size: 3, modified: 4), firstSeen: time,
                    attachment: attachment, content: MarkFile(name: nil, reference: .init(), marks: marks))
            })
        for words in [[], ["--dry-run"]] {
            let asked = await session.run(["accept", "--gone", home + "/stick/", "--home", home] + words)
            #expect(asked.code == (words.isEmpty ? .usage : .fine), "\(asked.messages)")
            #expect((asked.messages + asked.results).contains("2 marks on 1 chart would go: Riverside.pdf"), "\(asked)")
            #expect(try library.markFiles.all().count == 2)
        }
        let accepted = await session.run("accept", "--gone", home + "/stick/", "--yes", "--home", home)
        #expect(accepted.code == .fine, "\(accepted.messages)")
        #expect(accepted.results.contains("/stick: 2 files dropped with 2 marks on 1 chart"), "\(accepted.results)")
        #expect(accepted.results.contains("Riverside.pdf: 2 marks"))
        #expect(try library.markFiles.all().isEmpty)

        // A folder that exists can be dropped only if it is no longer configured.
        try Folder.create(home + "/former")
        for folder in [home + "/former", library.folder + "/annotations"] {
            try Folder.create(folder)
            try AtomicFile.write("x", to: folder + "/z.xopp")
            let stamp = FileStamp(device: 1, inode: 2, size: 3, modified: 4)
            let file = LocalFile(
                path: folder + "/z.xopp", stamp: stamp, firstSeen: time, attachment: attachment, content: MarkFile(marks: []))
            try library.markFiles.store([file])
        }
        let former = await session.run("accept", "--gone", home, "--home", home)
        #expect(former.code == .fine && former.results.contains("1 file dropped"), "\(former)")
        #expect(try library.markFiles.all().map(\.path) == [library.folder + "/annotations/z.xopp"])

        let again = await session.run("accept", "--gone", home + "/stick", "--home", home)
        #expect(again.code == .failed && again.messages.contains("no mark files are known in"), "\(again.messages)")
        #expect(await session.run("accept", "--home", home).code == .usage)
        #expect(await session.run("accept", "riverside", "--gone", home, "--home", home).code == .usage)
    }
}
