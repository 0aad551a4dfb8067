import Glibc
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct FolderTests {
    private let home = TemporaryFolder()

    private func visited(_ path: String, followingLinks: Bool = true) throws -> [String: Folder.Kind] {
        var found: [String: Folder.Kind] = [:]
        try Folder.visit(path, followingLinks: followingLinks) { entry in
            #expect(entry.status() != nil)
            found[String(decoding: entry.bytes, as: UTF8.self)] = entry.kind
        }
        return found
    }

    @Test func aLinkToADiskThatIsAwayIsCalledThat() throws {
        #expect(symlink("/nowhere/disk", home.path("link")) == 0)
        let failure = #expect(throws: SystemError.self) { try Folder.create(home.path("link")) }
        #expect(failure?.code == ENOENT && failure?.description.contains(": it is a link to /nowhere/disk, which is away") == true)
    }

    @Test func aLinkToNowhereIsFoundOnTheWay() throws {
        try Folder.create(home.path("a"))
        symlink("/nowhere/disk", home.path("a/link"))
        symlink("itself", home.path("itself"))
        symlink("a", home.path("alive"))
        for way in ["a/link", "a/link/deep/file", "alive/link/file"] {
            let found = Folder.deadLink(onWayTo: home.path(way))
            #expect(found?.target == "/nowhere/disk" && found?.path.hasSuffix("/link") == true, "\(way)")
        }
        #expect(Folder.deadLink(onWayTo: home.path("itself/x"))?.path == home.path("itself"))
        for way in ["a", "alive", "alive/missing", "missing/deep"] { #expect(Folder.deadLink(onWayTo: home.path(way)) == nil, "\(way)") }
    }

    @Test func aFolderHasOneRealName() throws {
        try Folder.create(home.path("a/b"))
        symlink("a", home.path("link"))
        for way in ["a/b", "link/b", "a/../link/./b", "a/b/"] { #expect(Folder.real(home.path(way)) == home.path("a/b")) }
        #expect(Folder.real(home.path("link/missing/file")) == home.path("a/missing/file"))
        #expect(Folder.real("/") == "/" && Folder.real("/nosuch/x") == "/nosuch/x")
    }

    @Test func aVisitShowsNamesAndKinds() throws {
        try AtomicFile.write("text", to: home.path("file"))
        try AtomicFile.write("text", to: home.path("..."))
        try Folder.create(home.path("folder"))
        symlink("nowhere", home.path("link"))
        mkfifo(home.path("pipe"), 0o600)
        let long = String(repeating: "x", count: 255)
        try Folder.create(home.path(long))
        let expected: [String: Folder.Kind] = [
            "file": .file, "...": .file, "folder": .folder, "link": .link, "pipe": .other, long: .folder,
        ]
        #expect(try visited(home.path) == expected)
    }

    @Test func aVisitThroughALinkIsRefusedWhereLinksAreNotFollowed() throws {
        try Folder.create(home.path("folder/inner"))
        symlink("folder", home.path("link"))
        #expect(try visited(home.path("link")) == ["inner": .folder])
        let refused = #expect(throws: SystemError.self) { try visited(home.path("link"), followingLinks: false) }
        #expect(refused?.code == ENOTDIR)
        let missing = #expect(throws: SystemError.self) { try visited(home.path("nowhere")) }
        #expect(missing?.code == ENOENT)
    }

    @Test func aFolderThatIsNotThereYetLiesOnItsParentsDisk() throws {
        let here = try Folder.space(of: home.path)
        #expect(here.total > 0 && here.free >= 0 && here.free <= here.total)
        #expect(try Folder.space(of: home.path("not/yet")).total == here.total)
    }
}
