import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

@testable import Marks

/// The fate of marks when the configured folders have changed.
@Suite(.onLoop)
struct MarkRootFateTests {
    private let folder = TemporaryFolder()
    private let attachment = AttachmentID("1a")

    private func text(_ x: Double) -> String { MarkText.native("1a", [MarkText.Dot(page: 0, x: x)]) }

    private func write(_ x: Double, to path: String) throws {
        try Folder.create(Folder.parent(of: folder.path(path)))
        try AtomicFile.write(text(x), to: folder.path(path))
    }

    @LoopActor private func start(_ roots: [String], ignoring: [String] = [".*"]) async throws -> MarkHome {
        try await MarkHome(MarkRoots(roots.map { folder.path($0) }, ignoring: ignoring), in: folder)
    }

    @LoopActor private func known(_ home: MarkHome) throws -> [String] {
        try home.library.markFiles.all().map { String($0.path.dropFirst(folder.path.count + 1)) }
    }

    // MARK: A folder that goes away

    @Test @LoopActor func aRootThatWentAwayAboveItForgetsNothing() async throws {
        try write(0.1, to: "par/deep/p1.marks.json")
        try write(0.2, to: "par/deep/p2.marks.json")
        let home = try await start(["par/deep"])
        #expect(rename(folder.path("par"), folder.path("par2")) == 0)
        // The kernel reports a file in the moved folder by its former path.
        try write(0.3, to: "par2/deep/p1.marks.json")
        home.events.send(.written(folder.path("par/deep/p1.marks.json")))
        await home.settle()
        #expect(try known(home) == ["par/deep/p1.marks.json", "par/deep/p2.marks.json"])
        #expect(!home.logged.contains { $0.contains("is gone; what it had is kept") })
        #expect(home.logged.contains { $0.contains("until they are back") })
        #expect(home.keeper.folders.emptied == [folder.path("par/deep")])
        #expect(rename(folder.path("par2"), folder.path("par")) == 0)
        home.events.send(.rescan(folder.path("par/deep")))
        await home.settle()
        #expect(try home.library.markFiles.localLayers(of: attachment).map { $0.marks.map { $0.points[0].x } } == [[0.3], [0.2]])
        #expect(home.keeper.folders.emptied == [])
        home.end()
    }

    @Test(arguments: [true, false]) @LoopActor func aRootThatGoesAwayWhileAFileSettlesForgetsNothing(isAnother: Bool) async throws {
        try write(0.1, to: "m/p1.marks.json")
        try write(0.2, to: "m/p2.marks.json")
        let home = try await start(["m"])
        try write(0.3, to: "m/p1.marks.json")
        home.events.send(.written(folder.path("m/p1.marks.json")))
        #expect(rename(folder.path("m"), folder.path("away")) == 0)
        if isAnother { try Folder.create(folder.path("m")) }
        await home.settle()
        // Nothing is forgotten after a later event about a file there, either.
        home.events.send(.removed(folder.path("m/p2.marks.json")))
        await home.settle()
        #expect(try known(home) == ["m/p1.marks.json", "m/p2.marks.json"])
        home.end()
    }

    @Test @LoopActor func theLastFileOfARootThatStandsIsForgotten() async throws {
        try write(0.1, to: "m/p1.marks.json")
        let home = try await start(["m"])
        unlink(folder.path("m/p1.marks.json"))
        home.events.send(.removed(folder.path("m/p1.marks.json")))
        await home.settle()
        #expect(try known(home) == [])
        home.end()
    }

    // MARK: Folders that are configured otherwise

    /// A musician may move the whole folder, and configure its new place.
    @Test @LoopActor func filesThatMovedWithTheirFolderAreNotReportedAsNotDrawn() async throws {
        try write(0.1, to: "m/p1.marks.json")
        var home = try await start(["m"])
        home.end()
        #expect(rename(folder.path("m"), folder.path("n")) == 0)
        home = try await start(["n"])
        #expect(try known(home) == ["n/p1.marks.json"])
        #expect(!home.logged.contains { $0.contains("not drawn") }, "\(home.logged)")
        #expect(home.logged.count { $0.contains("m/p1.marks.json: no longer read, because it is not there") } == 1)
        home.end()
    }

    @Test(arguments: [["m"], ["m", "othre"]])
    @LoopActor func filesOfAFolderThatIsNotConfiguredAnyMoreStayUntilTheyAreGone(roots: [String]) async throws {
        for (place, path) in ["m/p1", "other/p2", "other/p3"].enumerated() { try write(Double(place + 1) / 10, to: path + ".marks.json") }
        var home = try await start(["m", "other"])
        let before = try home.library.markFiles.all()
        home.end()
        for round in 0..<3 {
            // Files saved in that folder are not read any more.
            if round == 2 { try write(0.9, to: "other/p3.marks.json") }
            home = try await start(roots)
            #expect(try home.library.markFiles.all() == before && before.count == 3)
            #expect(home.logged.count { $0.contains("\(folder.path("other")) is no longer in annotations.folders") } == 1)
            #expect(home.keeper.folders.former == [folder.path("other"): 2])
            home.end()
        }
        unlink(folder.path("other/p3.marks.json"))
        for times in [1, 0] {
            home = try await start(roots)
            #expect(try known(home) == ["m/p1.marks.json", "other/p2.marks.json"])
            #expect(home.logged.count { $0.contains("no longer read") } == times)
            home.end()
        }
    }

    /// A link may take a folder's place, or a disk may list fewer files than it has.
    @Test @LoopActor func filesThatAreThereButNotListedStayAndAreRead() async throws {
        for name in ["m/in/p1", "m/in/p2", "m/p3"] { try write(0.1, to: name + ".marks.json") }
        let home = try await start(["m"])
        let before = try home.library.markFiles.all()
        #expect(rename(folder.path("m/in"), folder.path("elsewhere")) == 0)
        #expect(symlink(folder.path("elsewhere"), folder.path("m/in")) == 0)
        for x in [0.1, 0.2] {
            try write(x, to: "elsewhere/p2.marks.json")
            home.events.send(.rescan(folder.path("m")))
            await home.lookAgain()
            #expect(try home.library.markFiles.all().map(\.path) == before.map(\.path))
            #expect(try home.library.markFiles.all()[1].content?.marks.first?.points.first?.x == x)
        }
        #expect(home.logged.count { $0.contains("listed without 2 mark files that are there") } == 1, "\(home.logged)")
        home.end()
    }

    @Test @LoopActor func eachFolderThatIsNotConfiguredAnyMoreHasAName() async throws {
        for path in ["m/p1", "old/a/p2", "old/b/p3", "set/in/p4", "set/p5"] { try write(0.1, to: path + ".marks.json") }
        var home = try await start(["m", "old", "set"])
        home.end()
        home = try await start(["m", "set/in"])
        #expect(home.keeper.folders.former == [folder.path("old"): 2, folder.path("set"): 1])
        home.end()
    }

    @Test @LoopActor func filesThatAreIgnoredNowStayUntilTheyAreGone() async throws {
        for (place, path) in ["m/p1", "m/old/p2", "m/old/p3"].enumerated() { try write(Double(place + 1) / 10, to: path + ".marks.json") }
        var home = try await start(["m"])
        let before = try home.library.markFiles.all()
        home.end()
        home = try await start(["m"], ignoring: ["old"])
        #expect(try home.library.markFiles.all() == before && before.count == 3)
        #expect(home.keeper.folders.ignored == [folder.path("m/old"): 2])
        #expect(home.logged.count { $0.contains("\(folder.path("m/old")) has 2 mark files that are ignored by now") } == 1)
        // Files that are saved while they are ignored are not read, whether their folder or everything is looked at.
        try write(0.9, to: "m/old/p3.marks.json")
        home.events.send(.written(folder.path("m/old/p3.marks.json")))
        home.events.send(.rescan(folder.path("m")))
        await home.settle()
        #expect(try home.library.markFiles.all() == before)
        home.end()
        home = try await start(["m"], ignoring: ["*.json"])
        #expect(try home.library.markFiles.all() == before)
        #expect(home.keeper.folders.ignored == [folder.path("m"): 3])
        home.end()
        unlink(folder.path("m/old/p3.marks.json"))
        home = try await start(["m"], ignoring: ["old"])
        #expect(try known(home) == ["m/old/p2.marks.json", "m/p1.marks.json"])
        #expect(home.keeper.folders.ignored == [folder.path("m/old"): 1])
        home.end()
    }

    // MARK: One folder with two names

    @Test(arguments: ["a link", "a link inside", "a link to what is above"])
    @LoopActor func filesOfAFolderWithTwoNamesCountOnce(way: String) async throws {
        try write(0.1, to: "m/in/p1.marks.json")
        let roots: [String]
        switch way {
        case "a link":
            symlink(folder.path("m/in"), folder.path("a"))
            roots = ["a", "m/in"]
        case "a link inside":
            symlink(folder.path("m/in"), folder.path("a"))
            roots = ["a", "m"]
        default:
            symlink(folder.path("m"), folder.path("z"))
            roots = ["m/in", "z"]
        }
        let home = try await start(roots)
        #expect(try home.library.markFiles.localLayers(of: attachment).count == 1)
        #expect(home.logged.count { $0.contains("under another name") } == 1)
        // An event may give the file's path under either name, so send one for each.
        try write(0.2, to: "m/in/p1.marks.json")
        for root in roots {
            let inner = root == "m" || root == "z" ? "/in" : ""
            home.events.send(.written(folder.path(root + inner + "/p1.marks.json")))
        }
        await home.settle()
        #expect(try home.library.markFiles.localLayers(of: attachment).map { $0.marks.map { $0.points[0].x } } == [[0.2]])
        home.end()
    }

    @Test @LoopActor func aLinkedFolderThatIsPassedOverThereIsLookedAtHere() async throws {
        try write(0.1, to: "m/.in/p1.marks.json")
        symlink(folder.path("m/.in"), folder.path("a"))
        let home = try await start(["a", "m"])
        #expect(try known(home) == ["a/p1.marks.json"])
        home.end()
    }

    // MARK: Messages

    @Test @LoopActor func aMissingRootIsReportedOnce() async throws {
        try write(0.1, to: "m/p1.marks.json")
        let home = try await start(["m", "nowhere"])
        home.events.send(.rescan(folder.path("m")))
        await home.settle()
        await home.lookAgain()
        #expect(home.logged.count { $0.contains("nowhere is missing") } == 1)
        #expect(home.keeper.folders.missing == [folder.path("nowhere")])
        try write(0.2, to: "nowhere/p2.marks.json")
        home.events.send(.rescan(folder.path("nowhere")))
        await home.settle()
        #expect(home.keeper.folders.missing == [])
        #expect(try known(home).count == 2)
        home.end()
    }

    // MARK: Cost

    @Test @LoopActor func newsOfAFolderIsALookAtThatAlone() async throws {
        try write(0.1, to: "m/p1.marks.json")
        let home = try await start(["m"])
        try write(0.2, to: "m/unheard/p2.marks.json")
        try write(0.3, to: "m/heard/in/p3.marks.json")
        home.events.send(.rescan(folder.path("m/heard")))
        home.events.send(.rescan(folder.path("m/.hidden")))
        await home.settle()
        #expect(try known(home) == ["m/heard/in/p3.marks.json", "m/p1.marks.json"])
        #expect(rename(folder.path("m/heard"), folder.path("m/moved")) == 0)
        home.events.send(.folderRemoved(folder.path("m/heard")))
        home.events.send(.rescan(folder.path("m/moved")))
        await home.settle()
        #expect(try known(home) == ["m/moved/in/p3.marks.json", "m/p1.marks.json"])
        home.events.send(.rescan(folder.path("m")))
        await home.settle()
        #expect(try known(home).contains("m/unheard/p2.marks.json"))
        home.end()
    }
}
