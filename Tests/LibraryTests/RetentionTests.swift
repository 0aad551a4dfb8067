import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop, .timeLimit(.minutes(15)))
struct RetentionTests {
    private let home = TemporaryFolder()
    private let a = Samples.attachment("a")
    private let b = Samples.attachment("b")
    private let hashA = Samples.hash(Samples.pdf("a"))
    private let hashB = Samples.hash(Samples.pdf("b"))
    private let later = Samples.monday + .seconds(31 * 86400)

    /// An old plan with `a` and `b`, and one of a week later with `b`.
    @LoopActor private func library() throws -> Library {
        let library = try Library(folder: home.path("data"))
        try library.update(
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
        #expect(try library.prune(now: Samples.monday + .seconds(30 * 86400 + 3600)) == [])
        #expect(try library.plans().count == 2)

        #expect(try library.prune(now: later) == [hashA])
        #expect(try library.plans().map(\.plan.id.text) == ["2"])
        #expect(try library.chartFiles() == ["\(hashB.digest.hex).pdf"])
        #expect(try library.chart(of: a.id) == nil)
        #expect(try library.database.rows("PRAGMA foreign_key_check") { $0.text(0) } == [])

        let bytes = try library.diskBytes()
        #expect(try library.prune(now: later) == [])
        #expect(try library.diskBytes() == bytes)
    }

    @Test @LoopActor func itStaysForAsLongAsMarksAreOnItsCharts() throws {
        let library = try library()
        try library.update(layers: [layer(true)], of: PlanID("1"), at: Samples.monday)
        #expect(try library.prune(now: later) == [])
        #expect(try library.plans().count == 2)

        var deleted = layer(true)
        deleted.deletedAt = later
        try library.update(layers: [deleted], of: PlanID("1"), at: later)
        #expect(try library.prune(now: later) == [hashA])
        #expect(try library.layers(of: a.id) == [])
    }

    @Test @LoopActor func anEmptyLayerKeepsNothing() throws {
        let library = try library()
        try library.update(layers: [layer(false)], of: PlanID("1"), at: Samples.monday)
        #expect(try library.prune(now: later) == [hashA])
    }

    @Test @LoopActor func itStaysForAsLongAsTheUsersOwnFilesDrawOnItsCharts() throws {
        let library = try library()
        let file = Samples.localFile("/elsewhere/a.xopp", for: a.id, marks: ["x"])
        try library.store([file])
        try library.setHidden(true, layer: file.layerID, of: a.id)
        #expect(try library.prune(now: later) == [])
        #expect(try library.plans().count == 2)
        #expect(try library.hiddenLayers(of: a.id) == [file.layerID])

        // It may come back from wherever the user put it.
        try library.forget(localFiles: [file.path])
        #expect(try library.prune(now: later) == [])
        #expect(try library.prune(now: later + .seconds(30 * 86_400)) == [])
        #expect(try library.plans().map(\.plan.id.text) == ["1"])
        #expect(try Set(library.prune(now: later + .seconds(31 * 86_400))) == [hashA, hashB])
        #expect(try library.plans() == [])
        #expect(try library.hiddenLayers(of: a.id) == [])
    }

    @Test @LoopActor func aFileWithoutMarksKeepsNothing() throws {
        let library = try library()
        try library.store([Samples.localFile("/elsewhere/a.xopp", for: a.id, marks: [])])
        #expect(try library.prune(now: later) == [hashA])
    }

    @Test(arguments: ["01 Song 0.xopp", ".01 Song 0.autosave.xopp", "01 song 0.PNG"]) @LoopActor
    func itStaysForAsLongAsTheUsersFileLiesBesideALink(name: String) throws {
        let library = try library()
        let root = home.path("music")
        let folder = "\(root)/\(Samples.monday.date) Plan 1"
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(folder)/\(name)")
        #expect(try library.prune(now: later) == [])
        #expect(try library.plans().count == 2)

        // Whatever the user calls the folder.
        rename(folder, root + "/old times")
        #expect(try library.prune(now: later) == [])
        unlink("\(root)/old times/\(name)")
        #expect(try library.prune(now: later) == [], "it was seen just now")
        _ = try library.linkCharts(into: root)
        #expect(try library.prune(now: later + .seconds(31 * 86_400)).contains(hashA))
    }

    @Test @LoopActor func aFolderThatIsAwayLooksLikeNoMissingMarks() throws {
        let library = try library()
        let root = home.path("music")
        _ = try library.linkCharts(into: root)
        try AtomicFile.write("my marks", to: "\(root)/\(Samples.monday.date) Plan 1/01 Song 0.xopp")
        #expect(try library.prune(now: later) == [])

        // The disk is away; what is made again in its place holds no marks.
        rename(root, home.path("away"))
        #expect(try library.prune(now: later + .seconds(86_400)) == [])
        _ = try library.linkCharts(into: root)
        #expect(try library.prune(now: later + .seconds(2 * 86_400)) == [])
        #expect(try library.hasBytes(of: hashA))
    }

    @Test @LoopActor func replacedChartStaysAMonthAndAsLongAsMarksMayLieOnIt() throws {
        let library = try library()
        try library.download(Samples.pdf("b, new edition"), for: b)
        let day = Duration.seconds(86_400)
        #expect(try library.prune(now: Samples.monday) == [])
        #expect(try library.prune(now: Samples.monday + day * 29) == [])
        #expect(try library.hasBytes(of: hashB))

        var marked = layer(true)
        marked.attachment = b.id
        try library.update(layers: [marked], of: PlanID("2"), at: Samples.monday)
        #expect(try !library.prune(now: Samples.monday + day * 60).contains(hashB))

        marked.marks = []
        try library.update(layers: [marked], of: PlanID("2"), at: Samples.monday)
        #expect(try library.prune(now: Samples.monday + day * 60).contains(hashB))
        #expect(try !library.chartFiles().contains("\(hashB.digest.hex).pdf"))
    }

    @Test @LoopActor func chartsThatAHeldBackPlanIsSaidToHaveStay() throws {
        let library = try library()
        try library.update([Samples.contents("2", day: 7, attachments: [b])], at: Samples.monday)
        var told = Samples.contents("2", day: 7, attachments: [])
        told.items = []
        try library.update([told], at: Samples.monday)
        #expect(try library.heldBack().count == 1)
        #expect(try library.prune(now: later) == [hashA])
        #expect(try library.hasBytes(of: hashB))
    }

    @Test @LoopActor func whatFailsRemovesNothing() throws {
        let library = try library()
        try library.database.script(
            "CREATE TEMP TRIGGER fault BEFORE DELETE ON charts BEGIN SELECT raise(ABORT, 'fault'); END")
        #expect(throws: LibraryError.self) { try library.prune(now: later) }
        #expect(try library.plans().count == 2)
        #expect(try library.hasBytes(of: hashA))
    }
}
