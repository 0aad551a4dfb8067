import Glibc
import Model
import Platform
import TestSupport
import Testing
import Watching

/// What a listing finds.
@Suite(.timeLimit(.minutes(5)))
struct FileListingTests {
    private let folder = TemporaryFolder()

    private func list(_ root: String? = nil) -> FileListing {
        FileListing(below: root ?? folder.path, folder: { !$0.hasPrefix(".") }, file: { $0.hasSuffix(".xopp") })
    }

    @Test func findsFilesOfInterestWithTheirStamps() throws {
        try Folder.create(folder.path("a/b"))
        try Folder.create(folder.path(".hidden"))
        for name in ["one.xopp", "a/b/two.xopp", "a/other.pdf", ".hidden/three.xopp"] { try AtomicFile.write(name, to: folder.path(name)) }
        symlink(folder.path("one.xopp"), folder.path("link.xopp"))
        symlink(folder.path("a"), folder.path("around"))
        symlink(folder.path, folder.path("a/b/circle"))
        mkfifo(folder.path("pipe.xopp"), 0o600)
        let listing = list()
        #expect(listing.files.map(\.path) == [folder.path("a/b/two.xopp"), folder.path("one.xopp")])
        var status = stat()
        #expect(lstat(folder.path("one.xopp"), &status) == 0)
        #expect(listing.files.last?.stamp == FileStamp(status))
        #expect(listing.isThere && listing.unread.isEmpty)
        #expect(listing == list(), "the same at every look")
    }

    @Test func missingFolderIsNotAnEmptyOne() throws {
        #expect(!list(folder.path("none")).isThere)
        try AtomicFile.write("", to: folder.path("file"))
        #expect(!list(folder.path("file")).isThere)
        try Folder.create(folder.path("empty"))
        #expect(list(folder.path("empty")).isThere)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every folder"))
    func unreadableFolderIsTold() throws {
        try Folder.create(folder.path("closed"))
        chmod(folder.path("closed"), 0)
        defer { chmod(folder.path("closed"), 0o700) }
        #expect(list().unread == [folder.path("closed")])
    }

    @Test func namesThatAreNoTextAreNone() {
        let path = Array(folder.path.utf8CString.dropLast()) + [0x2f, CChar(bitPattern: 0xff)] + ".xopp".utf8CString
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0)
        close(file)
        #expect(list().files.isEmpty)
    }
}
