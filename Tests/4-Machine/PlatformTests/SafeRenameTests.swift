import Glibc
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SafeRenameTests {
    private let folder = TemporaryFolder()

    private func content(_ name: String) throws -> String {
        String(decoding: try AtomicFile.read(folder.path(name), limit: 100), as: UTF8.self)
    }

    @Test func nothingIsMovedToATakenName() throws {
        try AtomicFile.write("one", to: folder.path("one"))
        try AtomicFile.write("two", to: folder.path("two"))
        #expect(try !SafeRename.move(folder.path("one"), toFree: folder.path("two")))
        #expect(try content("one") == "one" && content("two") == "two")
        #expect(try SafeRename.move(folder.path("one"), toFree: folder.path("three")))
        #expect(try content("three") == "one")
        #expect(throws: SystemError.self) { try SafeRename.move(folder.path("one"), toFree: folder.path("four")) }
    }

    @Test func aLinkTakesThePlaceOfALinkOnly() throws {
        let (path, new) = (folder.path("song.pdf"), folder.path(".new"))
        for former in ["/old", nil] {
            if let former { symlink(former, path) } else { unlink(path) }
            symlink("/new", new)
            #expect(try SafeRename.replaceLink(at: path, by: new))
            #expect(try Folder.names(in: folder.path) == ["song.pdf"])
        }
        unlink(path)
        try AtomicFile.write("mine", to: path)
        symlink("/new", new)
        #expect(try !SafeRename.replaceLink(at: path, by: new))
        #expect(try content("song.pdf") == "mine")
        #expect(try Folder.names(in: folder.path) == ["song.pdf"])
    }

    @Test func onlyALinkIsRemoved() throws {
        symlink("/old", folder.path("link"))
        try AtomicFile.write("mine", to: folder.path("file"))
        #expect(try SafeRename.removeLink(at: folder.path("link")))
        #expect(try SafeRename.removeLink(at: folder.path("link")), "gone is gone")
        #expect(try !SafeRename.removeLink(at: folder.path("file")))
        #expect(try content("file") == "mine")
    }
}
