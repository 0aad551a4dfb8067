import Catalogue
import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// When a chart is uploaded again, marks that somebody made on the former one belong to its successor.
@Suite(.onLoop)
struct SuccessorTests {
    private let home = TemporaryFolder()
    private let old = Samples.attachment("old", filename: "Lead.pdf")
    private let new = Samples.attachment("new", filename: "Lead.pdf")
    private let path = "/music/x.marks.json"
    private let one = Samples.pdf("1")
    private let two = Samples.pdf("2")
    /// At this time, a plan of the first day is past, and a plan a week later is not.
    private let later = Samples.monday + .seconds(3 * 86400)

    /// A library whose plan in a week shows the new attachment under `title`, with a file of marks for the old one. The plan of
    /// the first day, which shows the old one, may still be here.
    @LoopActor private func library(_ title: String, withPastPlan: Bool = true, bytes: [UInt8]) throws -> Library {
        let library = try Library(folder: home.path)
        let past = Samples.contents("1", attachments: [old, Samples.attachment("stays")])
        try library.plans.update([past], at: Samples.monday)
        try library.download(one, for: old)
        try library.markFiles.store([Samples.localFile(path, for: old.id, marks: ["x"])])
        var next = Samples.contents("2", day: 7, attachments: [new])
        next.items[0].title = title
        try library.plans.update([next], at: Samples.monday)
        let without = Samples.contents("1", attachments: [Samples.attachment("other"), Samples.attachment("stays")])
        if !withPastPlan { try library.plans.update([without], at: Samples.monday) }
        try library.download(bytes, for: new)
        return library
    }

    @Test @LoopActor func equalBytesAreAsGoodAsSoonAsNoPlanToComeShowsTheOthers() throws {
        let library = try library("Any", bytes: one)
        let match = MarkFileMatch(old.id)
        #expect(try library.matches.present(match, at: Samples.monday) == match, "its plan is still to come")
        #expect(try library.matches.filesOfFormerCharts(at: Samples.monday).isEmpty)
        #expect(try library.matches.present(match, at: later) == MarkFileMatch(new.id))
        #expect(try library.matches.filesOfFormerCharts(at: later).map(\.path) == [path])
        #expect(try library.matches.present(MarkFileMatch(new.id), at: later) == MarkFileMatch(new.id))
        try library.plans.pin(PlanID("1"))
        #expect(try library.matches.present(match, at: later) == match, "a plan that is pinned is looked at")
    }

    @Test @LoopActor func otherBytesOfTheSameNameAreForTheSameTitleOnly() throws {
        let library = try library("song 0", bytes: two)
        #expect(try library.matches.present(MarkFileMatch(old.id), at: later) == MarkFileMatch(new.id, markedOn: Samples.hash(one)))
    }

    /// A file is saved for another chart. Its marks count as vanished from the first chart, unless the other chart is its successor.
    @Test(arguments: [("song 0", 0), ("Another", 1)]) @LoopActor
    func marksVanishFromTheirChartUnlessTheOtherTookItsPlace(title: String, states: Int) throws {
        let library = try library(title, bytes: two)
        for attachment in [old.id, new.id] {
            var file = Samples.localFile(path, for: attachment, marks: ["x"])
            file.content?.reference = MarkFile.Reference(attachment: attachment)
            try library.markFiles.store(written: [WrittenFile(file)], history: MarkHistory(now: later))
        }
        #expect(try library.markFiles.history(of: old.id).map(\.missing) == [Int](repeating: 1, count: states))
    }

    @Test @LoopActor func aFileOfTheSameNameForAnotherSongIsAnother() throws {
        let library = try library("Another", bytes: two)
        #expect(try library.matches.present(MarkFileMatch(old.id), at: later) == MarkFileMatch(old.id))
        #expect(try library.matches.marksOnOthers(at: later).isEmpty)
    }

    @Test @LoopActor func ofWhichSongItIsMayBeUnknownAndIsSaid() throws {
        let library = try library("Another", withPastPlan: false, bytes: two)
        #expect(try library.matches.present(MarkFileMatch(old.id), at: later) == MarkFileMatch(old.id))
        let told = MarksOnAnother(
            path: path, filename: "Lead.pdf", attachment: old.id, other: new.id, otherName: "Lead.pdf", isShown: false)
        #expect(try library.matches.marksOnOthers(at: later) == [told])
    }

    @Test @LoopActor func aFilePassesWithAllThatIsKnownOfIt() throws {
        let library = try library("Song 0", bytes: two)
        let layer = LocalFile.layerID(ofFile: path)
        try library.drawings.setHidden(true, layer: layer, of: old.id)
        let match = try library.matches.present(MarkFileMatch(old.id), at: later)
        #expect(try library.matches.pass(path, from: old.id, to: match))
        #expect(try !library.matches.pass(path, from: old.id, to: match))
        #expect(try library.markFiles.file(at: path)?.attachment == new.id)
        #expect(try library.drawings.hiddenLayers(of: new.id) == [layer] && library.drawings.hiddenLayers(of: old.id) == [])
        #expect(try library.olderMarks.all().map(\.layers) == [[layer: Samples.hash(one)]])
    }

    /// A chart that a file names stays in the index even after the chart has left all plans.
    @Test(arguments: [true, false]) @LoopActor func whatFilesNameIsKept(byBytes: Bool) throws {
        let library = try library("Song 0", withPastPlan: false, bytes: two)
        var file = Samples.localFile(path, for: new.id, marks: ["x"])
        file.content?.reference = byBytes ? MarkFile.Reference(chart: Samples.hash(one)) : MarkFile.Reference(attachment: old.id)
        try library.markFiles.store([file])
        _ = try library.pruneWatched(now: Samples.monday + .seconds(60 * 86400))
        #expect(try library.matches.index().has(old.id))
        try library.markFiles.store([], forgetting: [path])
        for days in [60, 120] { _ = try library.pruneWatched(now: Samples.monday + .seconds(days * 86400)) }
        #expect(try !library.matches.index().has(old.id))
    }

    /// Each check of readiness looks through a musician's marks of many years, so its time must grow only with their number.
    @Test @LoopActor func marksOfYearsAreLookedThroughQuickly() throws {
        // Counts only this thread's time, because other tests run at the same time.
        func spent() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        var costs: [Duration] = []
        for count in [500, 4000] {
            let library = try library(ofPastCharts: count)
            let costsOfThis = try (0..<3).map { _ in
                let before = spent()
                let found = try library.matches.marksOnOthers(at: later)
                defer { #expect(found.map(\.path) == ["/music/7.marks.json"]) }
                return spent() - before
            }
            costs.append(costsOfThis.min() ?? .zero)
            library.close()
        }
        #expect(costs[1] < costs[0] * 20, "eight times as many take eight times as long, and not sixty-four: \(costs)")
    }

    /// A library in which each of `count` charts of a past plan has a file of marks, and the next plan shows a new chart with the
    /// name of the eighth.
    @LoopActor private func library(ofPastCharts count: Int) throws -> Library {
        let library = try Library(folder: home.path("\(count)"))
        let past = (0..<count).map { Samples.attachment("p\($0)", filename: "Song \($0).pdf") }
        try library.plans.update([Samples.contents("1", attachments: past)], at: Samples.monday)
        let next = Samples.attachment("new", filename: "Song 7.pdf")
        try library.plans.update([Samples.contents("2", day: 7, attachments: [next])], at: Samples.monday)
        try library.markFiles.store((0..<count).map { Samples.localFile("/music/\($0).marks.json", for: past[$0].id, marks: ["x"]) })
        return library
    }
}
