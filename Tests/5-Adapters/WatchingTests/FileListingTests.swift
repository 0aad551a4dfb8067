import Glibc
import Model
import Platform
import TestSupport
import Testing
import Watching

/// Which files a listing finds.
@Suite(.timeLimit(.minutes(5)))
struct FileListingTests {
    private let folder = TemporaryFolder()

    private func list(_ root: String? = nil) -> FileListing {
        FileListing(below: root ?? folder.path, folder: { !$0.hasPrefix(".") }, file: { $0.suffix(5).elementsEqual(".xopp".utf8) })
    }

    @Test func findsFilesOfInterestWithTheirStamps() throws {
        try Folder.create(folder.path("a/b"))
        try Folder.create(folder.path(".hidden"))
        for name in ["one.xopp", "a/b/two.xopp", "a/other.pdf", ".hidden/three.xopp"] { try AtomicFile.write(name, to: folder.path(name)) }
        symlink(folder.path("a"), folder.path("around"))
        symlink(folder.path, folder.path("a/b/circle"))
        let listing = list()
        #expect(listing.files.map(\.path) == [folder.path("a/b/two.xopp"), folder.path("one.xopp")])
        var status = stat()
        #expect(lstat(folder.path("one.xopp"), &status) == 0)
        #expect(listing.files.last?.stamp == FileStamp(status))
        #expect(listing.unread.isEmpty)
        #expect(listing == list(), "the same at every look")
    }

    /// The listing does not check what kind of file it finds; the reader of the file reports that.
    @Test func whateverHasTheNameOfAFileIsListed() throws {
        try Folder.create(folder.path("folder.xopp"))
        symlink(folder.path("folder.xopp"), folder.path("link.xopp"))
        symlink("nowhere", folder.path("link.pdf"))
        mkfifo(folder.path("pipe.xopp"), 0o600)
        mkfifo(folder.path("pipe"), 0o600)
        #expect(list().files.map(\.path) == [folder.path("link.xopp"), folder.path("pipe.xopp")])
    }

    /// The listing does not follow links, because a target outside the folder could make the listing wait.
    @Test func otherRequestedPathsAreReportedWithoutBeingOpened() throws {
        for name in ["a.xopp", "b.old", "c.pdf"] { try AtomicFile.write("", to: folder.path(name)) }
        try Folder.create(folder.path("d.old/e.old"))
        try Folder.create(folder.path(".hidden"))
        for place in ["", "d.old/", ".hidden/"] { symlink("/nowhere", folder.path(place + "link.old")) }
        let listing = FileListing(
            below: folder.path, folder: { !$0.hasPrefix(".") }, file: { $0.suffix(5).elementsEqual(".xopp".utf8) },
            other: { name, isLink in name.suffix(4).elementsEqual(".old".utf8) && isLink == name.starts(with: "link".utf8) })
        #expect(listing.files.map(\.path) == [folder.path("a.xopp")])
        #expect(listing.passedOver == ["b.old", "d.old/link.old", "link.old"].map { folder.path($0) })
    }

    @Test func pathsAreInTheOrderOfTheirBytes() throws {
        for name in ["a", "a-b", "a0", "a/b", "ä"] {
            try Folder.create(folder.path(name))
            for file in ["x", "a", "a-b", "é"] { try AtomicFile.write("", to: folder.path("\(name)/\(file).xopp")) }
            try AtomicFile.write("", to: folder.path("\(name).xopp"))
        }
        let paths = list().files.map(\.path)
        #expect(paths.count == 25)
        #expect(paths.map { Array($0.utf8) } == paths.map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func missingFolderIsNotAnUnreadableOne() throws {
        #expect(list(folder.path("none")) == FileListing())
        try AtomicFile.write("", to: folder.path("file"))
        #expect(list(folder.path("file")) == FileListing())
    }

    @Test(.enabled(if: geteuid() != 0, "root may read every folder"), arguments: [0, 0o444])
    func unreadableFolderIsReported(mode: mode_t) throws {
        try Folder.create(folder.path("closed"))
        chmod(folder.path("closed"), mode)
        defer { chmod(folder.path("closed"), 0o700) }
        #expect(list().unread == [folder.path("closed")])
    }

    @Test func filesWhoseNamesAreNotTextAreReportedSeparately() throws {
        for name in ["caf\u{1}.xopp", "\u{1}.pdf", "\u{1}"] {
            // A Swift string cannot hold this byte, because it is not valid UTF-8 by itself.
            let path = folder.path(name).utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 }
            let file = open(path, O_CREAT | O_WRONLY, 0o600)
            #expect(file >= 0)
            close(file)
        }
        // A folder with such a name is unusable as well, with everything in it.
        #expect(mkdir(folder.path("m\u{1}").utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 }, 0o700) == 0)
        #expect(mkdir(folder.path(".m\u{1}").utf8CString.map { $0 == 1 ? CChar(bitPattern: 0xe9) : $0 }, 0o700) == 0)
        #expect(list().files.isEmpty)
        #expect(list().unusable == [folder.path("caf\\xe9.xopp"), folder.path("m\\xe9/")])
    }
}
