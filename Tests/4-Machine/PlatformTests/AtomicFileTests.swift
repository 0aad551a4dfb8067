import Glibc
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AtomicFileTests {
    private let folder = TemporaryFolder()

    private func text(_ path: String) throws -> String {
        String(decoding: try AtomicFile.read(path, limit: 1000), as: UTF8.self)
    }

    @Test func writtenFileIsThereWithItsMode() throws {
        let path = folder.path("a")
        try AtomicFile.write("one", to: path, mode: 0o640)
        try AtomicFile.write("two", to: path, mode: 0o600)
        var status = stat()
        stat(path, &status)
        #expect(try text(path) == "two")
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(try Folder.names(in: folder.path) == ["a"])
    }

    @Test func whatCannotBePutBackStaysAndIsNamed() throws {
        let (place, away) = (folder.path("place"), folder.path("away"))
        try Folder.create(place)
        try AtomicFile.write("mine", to: place + "/a")
        var file: TemporaryFile? = try TemporaryFile.create(inFolderOf: place + "/a")
        let error = try #require(throws: SystemError.self) {
            _ = try file?.publish(
                as: place + "/a",
                inPlaceOf: { _ in
                    rename(place, away)
                    return false
                })
        }
        rename(away, place)
        file = nil
        AtomicFile.removeAbandoned(in: place)
        let kept = try #require(error.path)
        #expect(try text(kept) == "mine" && error.description.contains("put back"))
    }

    @Test func whatWasRemovedMeanwhileIsPutBackAllTheSame() throws {
        let path = folder.path("a")
        try AtomicFile.write("mine", to: path)
        let file = try TemporaryFile.create(inFolderOf: path)
        #expect(
            try !file.publish(
                as: path,
                inPlaceOf: { _ in
                    unlink(path)
                    return false
                }))
        #expect(try text(path) == "mine" && Folder.names(in: folder.path) == ["a"])
    }

    @Test func failedPublishLeavesTheOldFileAndNoRest() throws {
        let path = folder.path("a")
        try AtomicFile.write("old", to: path)
        var file: TemporaryFile? = try TemporaryFile.create(inFolderOf: path)
        try Array("new".utf8).withUnsafeBytes { try file?.write($0) }
        #expect(throws: SystemError.self) { try file?.publish(as: folder.path("missing/a"), durability: .synced) }
        file = nil
        #expect(try text(path) == "old")
        #expect(try Folder.names(in: folder.path) == ["a"])
    }

    @Test func anErrorNamesTheFileThatWasMeant() throws {
        let path = folder.path("gone/a")
        let failure = #expect(throws: SystemError.self) { try AtomicFile.write("new", to: path) }
        #expect(failure?.description.contains(path) == true && failure?.description.contains(".tmp-") == false)
    }

    @Test func abandonedFilesGoAndLivingOnesStay() throws {
        let living = try TemporaryFile.create(inFolderOf: folder.path("a"))
        try AtomicFile.write("left by a dead process", to: folder.path(".tmp-1-1"))
        try AtomicFile.write("not ours", to: folder.path("b"))

        AtomicFile.removeAbandoned(in: folder.path)

        #expect(Set(try Folder.names(in: folder.path)) == ["b", String(living.path.split(separator: "/").last ?? "")])
    }

    @Test func abandonedFilesBehindALinkStayWhereNoneIsFollowed() throws {
        try Folder.create(folder.path("others"))
        try AtomicFile.write("somebody's", to: folder.path("others/.tmp-1-1"))
        #expect(symlink(folder.path("others"), folder.path("link")) == 0)
        #expect(symlink(folder.path("others/.tmp-1-1"), folder.path(".tmp-1-2")) == 0)
        AtomicFile.removeAbandoned(in: folder.path)
        AtomicFile.removeAbandoned(in: folder.path("link"), followingLinks: false)
        #expect(access(folder.path("others/.tmp-1-1"), F_OK) == 0)
    }

    @Test func aTemporaryFileTakesNobodysName() throws {
        let first = try TemporaryFile.create(inFolderOf: folder.path("a"))
        let number = try #require(Int(first.path.split(separator: "-").last ?? ""))
        // Take two thousand names, because other tests may use up many numbers in the meantime.
        let taken = (1...2000).map { folder.path(".tmp-\(getpid())-\(number + $0)") }
        for path in taken { close(open(path, O_CREAT | O_WRONLY, 0o600)) }
        let next = try TemporaryFile.create(inFolderOf: folder.path("a"))
        #expect(!taken.contains(next.path) && taken.allSatisfy { access($0, F_OK) == 0 })
    }

    @Test func whatTookTheNameMeanwhileIsNotReplaced() throws {
        let path = folder.path("a")
        let file = try TemporaryFile.create(inFolderOf: path)
        try Array("new".utf8).withUnsafeBytes { try file.write($0) }
        try AtomicFile.write("somebody's", to: path)
        #expect(try !file.publishWhereFree(as: path))
        #expect(try text(path) == "somebody's")
        unlink(path)
        #expect(try file.publishWhereFree(as: path))
        #expect(try text(path) == "new")
    }

    @Test func readingPastTheLimitFails() throws {
        try AtomicFile.write("12345", to: folder.path("a"))
        #expect(throws: SystemError("read", path: folder.path("a"), code: EFBIG)) { try AtomicFile.read(folder.path("a"), limit: 4) }
        #expect(try AtomicFile.read(folder.path("a"), limit: 5).count == 5)
    }

    @Test func onlyAFileIsReadAndNothingElseIsWaitedFor() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // Open both ends first, so a reader that wrongly opens the pipe makes the test fail and not hang.
        let ends = try Descriptor.open(pipe, O_RDWR)
        try Array("12".utf8).withUnsafeBytes { try ends.write($0) }
        for (path, what) in [(pipe, "a pipe"), ("/dev/null", "a device")] {
            let error = #expect(throws: SystemError.self) { try AtomicFile.read(path, limit: 1) }
            #expect(error?.description == "cannot read \(path): it is \(what), not a file; move it away")
        }
        #expect(throws: SystemError("read", path: folder.path, code: EISDIR)) { try AtomicFile.read(folder.path, limit: 1) }
        symlink(folder.path("file"), folder.path("link"))
        try AtomicFile.write("text", to: folder.path("file"))
        #expect(try text(folder.path("link")) == "text")
    }

    @Test func errorsNameTheFile() {
        let path = folder.path("no/such/file")
        let error = #expect(throws: SystemError.self) { try AtomicFile.read(path, limit: 1) }
        #expect(error?.description == "cannot open \(path): No such file or directory")
    }

    /// Nobody knows the name that a file has while it is written.
    @Test func whatCannotBeWrittenIsNamedAsItWasToBeCalled() throws {
        let path = folder.path("no/such/file")
        let error = #expect(throws: SystemError.self) { try AtomicFile.write("text", to: path) }
        #expect(error?.description == "cannot create \(path): No such file or directory")
        try Folder.create(folder.path("place"))
        let file = try TemporaryFile.create(inFolderOf: folder.path("place/file"))
        rename(folder.path("place"), folder.path("away"))
        let late = #expect(throws: SystemError.self) { try file.publishWhereFree(as: folder.path("place/file")) }
        #expect(late?.path == folder.path("place/file"), "\(String(describing: late))")
        rename(folder.path("away"), folder.path("place"))
    }

    @Test func foldersAreMadeWithTheirParents() throws {
        try Folder.create(folder.path("a/b/c"))
        try Folder.create(folder.path("a/b/c"))
        #expect(try Folder.names(in: folder.path("a/b")) == ["c"])
        try AtomicFile.write("x", to: folder.path("file"))
        #expect(throws: SystemError.self) { try Folder.create(folder.path("file")) }
        symlink("/no/such/disk", folder.path("link"))
        let error = #expect(throws: SystemError.self) { try Folder.create(folder.path("link/a")) }
        #expect(
            error?.description
                == "cannot create folder \(folder.path("link")): it is a link to /no/such/disk, which is away; connect that disk, or remove "
                + "the link if the disk is gone for good")
        let beyond = #expect(throws: SystemError.self) { _ = try Descriptor.open(folder.path("link/a/b"), O_RDONLY) }
        #expect(beyond?.description.contains("b: \(folder.path("link")) is a link to /no/such/disk, which is away") == true)
    }
}
