import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent

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

    /// Sets a file's time to `seconds` after a common start.
    @LoopActor
    private func date(_ name: String, _ seconds: Int, in stage: MarkStage) {
        var times = [timespec](repeating: timespec(tv_sec: 1_700_000_000 + seconds, tv_nsec: 0), count: 2)
        #expect(utimensat(AT_FDCWD, stage.music.path(name), &times, 0) == 0)
        stage.music.close(name)
    }

    /// A chart with one file of marks, and a second file with `dots`, older by `seconds`.
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
        #expect(copies.map(\.marksOnlyHere) == [0])
        // The agent received the second file's event last, whatever the file's date. So the first file is left out, unless the second
        // file's name shows that the second is a copy.
        let isCalledCopy = name.hasPrefix("x (") || name.contains("conflict")
        #expect(copies.map(\.path) == [stage.music.path(isCalledCopy ? name : "x.xopp")])
        #expect(try stage.stage.library.markFiles.all().count == 2, "it is known all the same")
        #expect(try stage.stage.library.drawings.visibleLayers(of: a).count == 1)
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
}
