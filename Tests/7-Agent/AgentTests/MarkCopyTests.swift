import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Readiness

/// Copies of a file of marks, which would draw everything twice.
@Suite(.onLoop)
struct MarkCopyTests {
    private typealias Dot = MarkText.Dot
    private static let dots = (0..<6).map { Dot(page: $0 % 2, x: Double($0) / 8) }
    private let a = AttachmentID("a")

    private static let names = [
        "x (copy).xopp", "x.sync-conflict-20261122-101112-ABCDEFG.xopp", "x (conflicted copy 2026-11-22 101112).xopp", "quite another.xopp",
        "sub/x.xopp",
    ]

    /// Sets a file's time to so many seconds after a common start.
    @LoopActor
    private func date(_ name: String, _ seconds: Int, in stage: MarkStage) {
        var times = [timespec](repeating: timespec(tv_sec: 1_700_000_000 + seconds, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, stage.music.path(name), &times, 0) == 0)
        stage.music.close(name)
    }

    /// A chart with one file of marks, and a second one with `dots`, so many seconds older.
    @LoopActor
    private func marked(_ name: String, _ dots: [Dot], older seconds: Int) async throws -> (MarkStage, link: String) {
        let stage = try await MarkStage(["a"])
        let link = stage.music.path(try stage.link("a"))
        try stage.music.makeFolder("sub")
        try stage.music.save(MarkText.journal(link, Self.dots), as: "x.xopp")
        date("x.xopp", 100, in: stage)
        await stage.quiet()
        try stage.music.save(MarkText.journal(link, dots), as: name)
        date(name, 100 - seconds, in: stage)
        return (stage, link)
    }

    @Test(arguments: names, [-10, 0, 10]) @LoopActor func aCopyChangesNothingOnThePages(name: String, older: Int) async throws {
        let (stage, _) = try await marked(name, Self.dots, older: older)
        let before = try await stage.wanted()
        await stage.quiet()
        #expect(try await stage.wanted() == before)
        let copies = try stage.stage.library.drawings.copiesLeftOut(of: a)
        #expect(copies.map(\.ownMarks) == [0])
        // The agent saw it saved last, whatever its date; but its name may show that it is only a copy.
        let isCalledCopy = name.hasPrefix("x (") || name.contains("conflict")
        #expect(copies.map(\.path) == [stage.music.path(isCalledCopy ? name : "x.xopp")])
        #expect(try stage.stage.library.markFiles.all().count == 2, "it is known all the same")
        #expect(try stage.stage.library.drawings.visibleLayers(of: a).count == 1)
    }

    @Test @LoopActor func marksOfACopyAloneAreCountedUntilSomebodyChooses() async throws {
        let own = Dot(page: 0, x: 0.9)
        let (stage, _) = try await marked("x (copy).xopp", Self.dots.dropLast() + [own], older: 10)
        let library = stage.stage.library
        await stage.quiet()
        let path = stage.music.path("x (copy).xopp")
        #expect(try library.drawings.copiesLeftOut() == [a: [MarkCopies.Copy(path: path, other: stage.music.path("x.xopp"), ownMarks: 1)]])
        var facts = ChartFacts(attachment: Attachment(id: a, filename: "a.pdf"))
        facts.marks.copies = try library.drawings.copiesLeftOut(of: a)
        #expect(facts.lacks.contains { $0.name == "marks-in-copy" })
        let before = try await stage.wanted()

        #expect(try library.drawings.setHidden(false, layer: LocalFile.layerID(ofFile: path), of: a))
        await stage.stage.settle()
        #expect(try library.drawings.copiesLeftOut() == [:])
        #expect(try library.drawings.visibleLayers(of: a).count == 2)
        #expect(try await stage.wanted() != before)
        #expect(try !library.drawings.setHidden(false, layer: LocalFile.layerID(ofFile: path), of: a), "it was so before")
        // It also stays chosen under another name.
        try stage.music.rename("x (copy).xopp", to: "kept.xopp")
        await stage.quiet()
        #expect(try library.drawings.copiesLeftOut() == [:])

        #expect(try library.drawings.setHidden(true, layer: LocalFile.layerID(ofFile: stage.music.path("kept.xopp")), of: a))
        #expect(try library.drawings.copiesLeftOut() == [:], "it was chosen to be hidden")
        #expect(try library.drawings.visibleLayers(of: a).count == 1)
    }

    /// Each file has marks that the other lacks.
    @Test @LoopActor func theFileThatIsSavedLastIsDrawnWhateverTheDateOfTheOther() async throws {
        let own = Dot(page: 0, x: 0.9)
        let (stage, link) = try await marked("second.xopp", Self.dots.dropLast() + [own], older: -200_000_000)
        await stage.quiet()
        func leftOut() throws -> [String] { try stage.stage.library.drawings.copiesLeftOut(of: a).map(\.path) }
        #expect(try leftOut() == [stage.music.path("x.xopp")])
        try stage.music.save(MarkText.journal(link, Self.dots + [Dot(page: 1, x: 0.95)]), as: "x.xopp")
        date("x.xopp", 110, in: stage)
        await stage.quiet()
        #expect(try leftOut() == [stage.music.path("second.xopp")])
        // Nor does it matter after the next start.
        await stage.end()
        try await stage.beginAgain()
        #expect(try leftOut() == [stage.music.path("second.xopp")])
    }

    @Test @LoopActor func filesWithDifferentMarksAreBothDrawn() async throws {
        let stage = try await MarkStage(["a"])
        let link = stage.music.path(try stage.link("a"))
        try stage.music.save(MarkText.journal(link, Self.dots), as: "bowings.xopp")
        try stage.music.save(MarkText.journal(link, Self.dots.map { Dot(page: $0.page, x: $0.x + 0.01) }), as: "fingerings.xopp")
        await stage.quiet()
        #expect(try stage.stage.library.drawings.copiesLeftOut() == [:])
        #expect(try stage.stage.library.drawings.visibleLayers(of: a).count == 2)
    }

    @Test @LoopActor func theCopyIsDrawnWhenTheFileIsDeletedOrHidden() async throws {
        for isDeleted in [true, false] {
            let (stage, _) = try await marked("x (copy).xopp", Self.dots, older: 10)
            await stage.quiet()
            let before = try await stage.wanted()
            if isDeleted {
                try stage.music.delete("x.xopp")
                await stage.quiet()
            } else {
                try stage.stage.library.drawings.setHidden(true, layer: LocalFile.layerID(ofFile: stage.music.path("x.xopp")), of: a)
                await stage.stage.settle()
            }
            #expect(try stage.stage.library.drawings.visibleLayers(of: a).map(\.name) == ["x (copy)"])
            #expect(try await stage.wanted() == before)
        }
    }
}
