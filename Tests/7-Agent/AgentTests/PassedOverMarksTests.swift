import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Marks
@testable import Readiness

/// Files in the folders of marks that are not read, although a musician may expect it.
@Suite(.onLoop)
struct PassedOverMarksTests {
    private typealias Dot = MarkText.Dot
    private static let dots = [Dot(page: 0, x: 0.5)]

    /// The running agent's messages, by the files' names in the folder. Expects the same messages from a command without an agent.
    @LoopActor
    private func told(_ stage: MarkStage) async throws -> [String: String] {
        let library = try Library(readingFrom: stage.folder.path("data"))
        defer { library.close() }
        let found = try await UnreadMarks(
            in: MarkRoots([stage.music.path]), library, knowing: library.markFiles.states(),
            at: stage.stage.clock.timestamp, side: SideThread(inline: true), atMost: 100
        ).folders.entries.map(\.setback)
        let agent = stage.stage.agent.markFolders.troubles
        #expect(agent == found, "the agent and a look at the disk say the same")
        return Dictionary(uniqueKeysWithValues: found.map { (String($0.subject.dropFirst(stage.music.path.count + 1)), $0.message) })
    }

    @Test(arguments: ["start", "news", "a look at a folder"])
    @LoopActor func linksToFoldersAndMisleadingNamesAreTold(way: String) async throws {
        let stage = try await MarkStage(["a"])
        try stage.music.makeFolder("in/deep")
        let outside = stage.folder.path("outside")
        try Folder.create(outside)
        try AtomicFile.write(MarkText.native("a", Self.dots), to: outside + "/a.marks.json")
        try AtomicFile.write("", to: stage.folder.path("notes.txt"))
        await stage.quiet()
        if way == "start" { await stage.end() }
        let events = stage.music.events
        stage.music.events = way == "news" ? events : nil
        func link(_ target: String, _ name: String) {
            symlink(target, stage.music.path(name))
            stage.music.events?.send(.written(stage.music.path(name)))
        }
        link(outside, "in/deep/bowings")
        link("../../outside", "in/deep/here as well")
        // These links need no message: to a folder that is read at its own place, from an ignored name, and to files.
        link(stage.music.path("in"), "in/deep/around")
        link(outside, ".hidden")
        link(stage.folder.path("notes.txt"), "in/deep/notes")
        link(outside, "in/deep/set.pdf")
        try stage.music.save("{}", as: "in/deep/a.marks.json.txt")
        try stage.music.save("a picture", as: "in/deep/a.xopp.bg_1.png")
        stage.music.events = events
        switch way {
        case "start": try await stage.beginAgain()
        case "a look at a folder": stage.music.events?.send(.rescan(stage.music.path("in")))
        default: break
        }
        await stage.quiet()
        let words = try await told(stage)
        #expect(words.keys.sorted() == ["in/deep/a.marks.json.txt", "in/deep/bowings", "in/deep/here as well"], "\(words)")
        #expect(words["in/deep/bowings"]?.contains("add that folder to annotations.folders") == true)
        #expect(words["in/deep/a.marks.json.txt"]?.contains("ends in .marks.json") == true)
        func count(_ name: String) -> Int { stage.stage.logged.count { $0.contains(stage.music.path(name) + " is ") } }
        for name in words.keys { #expect(count(name) == 1, "\(stage.stage.logged)") }
        // Each link is reported once, and is not reported any more after it was removed.
        stage.music.rescan()
        await stage.quiet()
        for name in words.keys { #expect(count(name) == 1) }
        for name in ["in/deep/bowings", "in/deep/here as well"] {
            unlink(stage.music.path(name))
            stage.music.events?.send(.removed(stage.music.path(name)))
        }
        try stage.music.rename("in/deep/a.marks.json.txt", to: "in/deep/a.marks.json")
        await stage.quiet()
        #expect(try await told(stage).isEmpty)
        await stage.end()
    }
}
