import Catalogue
import Glibc
import Model
import Platform
import Sets
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct RetentionTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private let hashA = Samples.hash(Samples.pdf("a"))
    private let hashB = Samples.hash(Samples.pdf("b"))
    private let later = Samples.monday + .seconds(31 * 86400)

    /// A library with an old plan that shows `a` and `b`, and a plan a week later that shows `b`.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.plans.update(
            [Samples.contents("1", attachments: [a, b]), Samples.contents("2", day: 7, attachments: [b])], at: Samples.monday)
        try library.download(Samples.pdf("a"), for: a)
        try library.download(Samples.pdf("b"), for: b)
        return library
    }

    private func layer(_ marks: Bool) -> Layer {
        let mark = Mark(id: "m", page: PageIndex(0), kind: .pen, color: Color(red: 0, green: 0, blue: 0, alpha: 255), points: [])
        return Layer(id: LayerID("l"), attachment: a.id, name: "bowings", marks: marks ? [mark] : [])
    }

    @Test @LoopActor func thirtyDaysAfterItAPlanGoesWithTheChartsThatNothingElseUses() throws {
        let library = try library()
        #expect(try library.pruneWatched(now: Samples.monday + .seconds(30 * 86400 + 3600)) == [])
        #expect(try library.plans.all().count == 2)

        #expect(try library.pruneWatched(now: later) == [hashA])
        #expect(try library.plans.all().map(\.plan.id.text) == ["2"])
        #expect(try library.chartFiles() == ["\(hashB.digest.hex).pdf"])
        #expect(try library.charts.chart(of: a.id) == nil)
        #expect(try library.database.rows("PRAGMA foreign_key_check") { $0.text(0) } == [])

        let bytes = try library.diskBytes()
        #expect(try library.prune(now: later + .seconds(100_000), isTrusted: true) == [])
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func aSetStaysForAsLongAsItsFolderIsThere() throws {
        let library = try Library(folder: home.path("data"))
        var set = Samples.contents("1", attachments: [a])
        set.plan.id = .ofSet("2026-11-22")
        try library.plans.update([set], of: .sets, at: Samples.monday)
        try library.sets.note(["/m/2026-11-22": KnownSet(plan: set.plan.id, number: nil)], files: [:])
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.plans.all().map(\.plan.id) == [set.plan.id])
        try library.sets.note([:], files: [:])
        _ = try library.pruneWatched(now: later + .seconds(200_000))
        #expect(try library.plans.all().isEmpty)
    }

    @Test @LoopActor func itStaysForAsLongAsMarksAreOnItsCharts() throws {
        let library = try library()
        try library.layers.update(layers: [layer(true)], of: PlanID("1"), at: Samples.monday)
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.plans.all().count == 2)

        var deleted = layer(true)
        deleted.deletedAt = later
        try library.layers.update(layers: [deleted], of: PlanID("1"), at: later)
        #expect(try library.pruneWatched(now: later) == [hashA])
        #expect(try library.layers.all(of: a.id) == [])
    }

    @Test @LoopActor func anEmptyLayerKeepsNothing() throws {
        let library = try library()
        try library.layers.update(layers: [layer(false)], of: PlanID("1"), at: Samples.monday)
        #expect(try library.pruneWatched(now: later) == [hashA])
    }

    @Test @LoopActor func itStaysForAsLongAsTheUsersOwnFilesDrawOnItsCharts() throws {
        let library = try library()
        let file = Samples.localFile("/elsewhere/a.xopp", for: a.id, marks: ["x"])
        try library.markFiles.store([file])
        try library.drawings.setHidden(true, layer: file.layerID, of: a.id)
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.plans.all().count == 2)
        #expect(try library.drawings.hiddenLayers(of: a.id) == [file.layerID])

        // The plan stays for a month, since the user may still have the file elsewhere and bring it back.
        try library.markFiles.store([], forgetting: [file.path])
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.pruneWatched(now: later + .seconds(30 * 86_400)) == [])
        #expect(try library.plans.all().map(\.plan.id.text) == ["1"])
        #expect(try Set(library.pruneWatched(now: later + .seconds(32 * 86_400))) == [hashA, hashB])
        #expect(try library.plans.all() == [])
        #expect(try library.drawings.hiddenLayers(of: a.id) == [])
    }

    @Test @LoopActor func aFileWithoutMarksKeepsNothing() throws {
        let library = try library()
        try library.markFiles.store([Samples.localFile("/elsewhere/a.xopp", for: a.id, marks: [])])
        #expect(try library.pruneWatched(now: later) == [hashA])
    }

    @Test(arguments: ["01 Song 0.xopp", ".01 Song 0.autosave.xopp", "01 song 0.PNG"]) @LoopActor
    func itStaysForAsLongAsTheUsersFileLiesBesideALink(name: String) throws {
        let library = try library()
        let root = home.path("music")
        let folder = "\(root)/\(Samples.monday.date) Plan 1"
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(folder)/\(name)")
        #expect(try library.pruneWatched(now: later) == [])
        #expect(try library.plans.all().count == 2)

        // Marks keep the chart under any folder name.
        rename(folder, root + "/old times")
        #expect(try library.pruneWatched(now: later) == [])
        unlink("\(root)/old times/\(name)")
        #expect(try library.pruneWatched(now: later) == [], "it was seen just now")
        _ = try library.linkCharts(into: root)
        #expect(try library.pruneWatched(now: later + .seconds(31 * 86_400)).contains(hashA))
    }

    @Test @LoopActor func aFolderThatIsAwayLooksLikeNoMissingMarks() throws {
        let library = try library()
        let root = home.path("music")
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(root)/\(Samples.monday.date) Plan 1/01 Song 0.xopp")
        #expect(try library.pruneWatched(now: later) == [])

        // The disk with the marks is away. The folder made in its place has no marks, but the missing marks must not count as deleted.
        rename(root, home.path("away"))
        #expect(try library.pruneWatched(now: later + .seconds(86_400)) == [])
        _ = try library.linkCharts(into: root)
        #expect(try library.pruneWatched(now: later + .seconds(2 * 86_400)) == [])
        #expect(try library.charts.hasBytes(of: hashA))
    }

    @Test @LoopActor func replacedChartStaysAMonthAndAsLongAsMarksMayLieOnIt() throws {
        let library = try library()
        try library.download(Samples.pdf("b, new edition"), for: b)
        let day = Duration.seconds(86_400)
        #expect(try library.pruneWatched(now: Samples.monday) == [])
        #expect(try library.pruneWatched(now: Samples.monday + day * 29) == [])
        #expect(try library.charts.hasBytes(of: hashB))

        var marked = layer(true)
        marked.attachment = b.id
        try library.layers.update(layers: [marked], of: PlanID("2"), at: Samples.monday)
        #expect(try !library.pruneWatched(now: Samples.monday + day * 60).contains(hashB))

        marked.marks = []
        marked.revision += 1
        // A layer that has lost all its marks is believed only if it is still empty an hour later, so it is sent twice.
        for age in [0, 3600] { try library.layers.update(layers: [marked], of: PlanID("2"), at: Samples.monday + .seconds(age)) }
        #expect(try library.pruneWatched(now: Samples.monday + day * 60).contains(hashB))
        #expect(try !library.chartFiles().contains("\(hashB.digest.hex).pdf"))
    }

    @Test @LoopActor func chartsThatAHeldBackPlanIsSaidToHaveStay() throws {
        let library = try library()
        try library.plans.update([Samples.contents("2", day: 7, attachments: [b])], at: Samples.monday)
        var told = Samples.contents("2", day: 7, attachments: [])
        told.items = []
        try library.plans.update([told], at: Samples.monday)
        #expect(try library.plans.heldBack().count == 1)
        #expect(try library.pruneWatched(now: later) == [hashA])
        #expect(try library.charts.hasBytes(of: hashB))
    }

    @Test @LoopActor func whatFailsRemovesNothing() throws {
        let library = try library()
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE DELETE ON charts BEGIN SELECT raise(ABORT, 'fault'); END")
        #expect(throws: LibraryError.self) { try library.pruneWatched(now: later) }
        #expect(try library.plans.all().count == 2)
        #expect(try library.charts.hasBytes(of: hashA))
    }

    private let day = Duration.seconds(86_400)

    @Test @LoopActor func nothingGoesByAClockThatNobodyVouchesFor() throws {
        let library = try library()
        for days in [31, 32, 60, 3650] { #expect(try library.prune(now: Samples.monday + day * days, isTrusted: false) == []) }
        // A single trusted poll removes nothing, since all clocks may have jumped by years.
        #expect(try library.prune(now: Samples.monday, isTrusted: true) == [])
        #expect(try library.prune(now: Samples.monday + day * 3650, isTrusted: true) == [])
        #expect(try library.prune(now: Samples.monday + day * 3650 + .seconds(86_399), isTrusted: true) == [])
        #expect(try library.plans.all().count == 2)
        #expect(try library.prune(now: Samples.monday + day * 3651, isTrusted: true).count == 2)
    }

    @Test @LoopActor func aPlanThatIsToldWithAnotherYearIsNotGoneForADay() throws {
        let library = try library()
        let now = Samples.monday - day
        for hour in -48...0 { _ = try library.prune(now: now + .seconds(hour * 3600), isTrusted: true) }
        var told = Samples.contents("1", attachments: [a, b])
        told.plan.firstTime = told.plan.firstTime.map { $0 - day * 365 }
        told.plan.lastTime = told.plan.lastTime.map { $0 - day * 365 }
        try library.plans.update([told], at: now)
        // A person accepts the wrong year by mistake.
        #expect(try library.accept(plan: told.plan.id, at: now))
        for hour in 0...23 { #expect(try library.prune(now: now + .seconds(hour * 3600), isTrusted: true) == []) }
        #expect(try library.charts.hasBytes(of: hashA))
    }

    @Test @LoopActor func chartsThatAPlanLostStayForAWeek() throws {
        let library = try library()
        let now = Samples.monday - day
        try library.plans.update([Samples.contents("1", attachments: [b])], at: now)
        #expect(try library.plans.all().first?.attachments == [b])
        for days in 0...8 { #expect(try library.prune(now: now + day * days, isTrusted: true) == []) }
        #expect(try library.prune(now: now + day * 9, isTrusted: true) == [hashA])
    }

    @Test @LoopActor func chartsThatAPlanLostStayForAWeekWhateverTheClockSaidThen() throws {
        let library = try library()
        try library.plans.update([Samples.contents("1", attachments: [b])], at: Timestamp(nanoseconds: 0))
        for days in -1...7 { #expect(try library.prune(now: Samples.monday + day * days, isTrusted: true) == []) }
        #expect(try library.prune(now: Samples.monday + day * 8, isTrusted: true) == [hashA])
    }

    @Test @LoopActor func theJournalStaysWhateverTheClockSays() throws {
        let library = try library()
        let change = LibraryChange.planGone(.init(Samples.contents("1", attachments: []).plan))
        let entries = try library.journal.entries().count
        try library.database.write { () throws(LibraryError) in try library.journal.record([change], at: Samples.monday + day * 3650) }
        _ = try library.prune(now: Samples.monday + day * 3650, isTrusted: false)
        #expect(try library.journal.entries().count == entries + 1)
    }

    /// Simulates months with a clock that jumps, a service whose `Date` is wrong, and polls that are not trusted. Everything that is
    /// removed must truly be older than the promised time, unless both clocks are wrong by the same amount for a day.
    @Test(arguments: 0..<60 as Range<UInt64>) @LoopActor func onlyWhatIsReallyOverGoes(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let library = try Library(folder: home.path("\(seed)"))
        try library.database.run("PRAGMA synchronous = OFF")
        let charts = (0..<6).map { Samples.attachment("p\($0)") }
        let plans = charts.enumerated().map { Samples.contents("\($0.offset)", day: $0.offset * 20, attachments: [$0.element]) }
        try library.plans.update(plans, at: Samples.monday - day * 10)
        for chart in charts { try library.download(Samples.pdf(chart.filename), for: chart) }
        var (ours, its) = (Duration.zero, Duration.zero)
        var hours = -240
        while hours < 24 * 100 {
            hours += Int.random(in: 1...40, using: &random)
            let truth = Samples.monday + .seconds(hours * 3600)
            func lie() -> Duration {
                let days = [-3650, -400, -60, -2, 0, 0, 0, 0, 2, 60, 400, 3650].randomElement(using: &random) ?? 0
                return day * days
            }
            if Int.random(in: 0..<6, using: &random) == 0 { ours = lie() }
            if Int.random(in: 0..<6, using: &random) == 0 { its = lie() }
            let isCommonLie = ours == its && ours != .zero
            // A poll may be trusted even if both clocks are wrong by the same amount. They are corrected right after this one poll.
            let isTrusted = ours == its && Int.random(in: 0..<8, using: &random) > 0
            let before = Set(try library.plans.all().map(\.plan.id))
            _ = try library.prune(now: truth + ours, isTrusted: isTrusted)
            if isCommonLie {
                (ours, its) = (.zero, .zero)
                _ = try library.prune(now: truth, isTrusted: true)
            }
            for gone in before.subtracting(try library.plans.all().map(\.plan.id)) {
                let over = try #require(plans.first { $0.plan.id == gone }?.plan.lastTime)
                #expect(truth > over + Library.retention, "hour \(hours)")
            }
        }
        (ours, its) = (.zero, .zero)
        let end = Samples.monday + day * 400
        _ = try library.pruneWatched(now: end)
        #expect(try library.plans.all().isEmpty)
    }
}
