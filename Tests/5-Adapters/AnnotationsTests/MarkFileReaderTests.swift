import CShims
import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Annotations

@Suite(.timeLimit(.minutes(5)))
struct MarkFileReaderTests {
    private let folder = TemporaryFolder()
    private static let journal = Journal.document(#"<stroke tool="pen" color="red" width="1">0 0 1 1</stroke>"#)
    private static let layer = #"{"marks":[{"id":"a","page":0,"kind":"pen","points":[[0,0]]}]}"#

    private func put(_ text: String, _ name: String) throws -> String {
        try AtomicFile.write(text, to: folder.path(name))
        return folder.path(name)
    }

    private func fault(_ path: String, limits: MarkFileLimits = MarkFileLimits()) -> MarkFileFault? {
        do throws(MarkFileFault) {
            _ = try MarkFileReader.read(path: path, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    @Test func theNameChoosesTheReaderAndElseTheContent() throws {
        for name in ["a.xopp", "b.xoj", "c.backup", "d\nnew\u{7}line é.xopp"] {
            #expect(try MarkFileReader.read(path: put(Self.journal, name)).0.marks.first?.color == Color("#ff0000"))
        }
        for name in ["a.marks.json", "b.json"] {
            #expect(try MarkFileReader.read(path: put(Self.layer, name)).0.marks.first?.id == "a")
        }
        #expect(try fault(put(Self.layer, "wrong.xopp"))?.description == "is neither XML nor gzip nor ZIP (byte 0)")
        #expect(try fault(put(Self.journal, "wrong.marks.json"))?.description == "is not valid JSON: a value is missing (line 1, column 1)")
    }

    @Test func anAttachedChartLiesBesideTheFile() throws {
        let path = try put(
            Self.journal.replacing("absolute", with: "attach").replacing("/music/Amazing Grace.pdf", with: "bg.pdf"), "a.xopp")
        #expect(try MarkFileReader.read(path: path).0.reference.pdf == "a.xopp.bg.pdf")
    }

    @Test func theStampIsTheFiles() throws {
        let path = try put(Self.journal, "a.xopp")
        var status = stat()
        #expect(stat(path, &status) == 0)
        let stamp = try MarkFileReader.read(path: path).1
        #expect(stamp.inode == UInt64(status.st_ino))
        #expect(stamp.device == UInt64(status.st_dev))
        #expect(stamp.size == Self.journal.utf8.count)
        #expect(stamp.modified == Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec))
        // Reading did not change the file's metadata.
        var after = stat()
        #expect(stat(path, &after) == 0)
        #expect(after.st_ctim.tv_nsec == status.st_ctim.tv_nsec)
    }

    @Test func aFileThatChangesMeanwhileIsStillBeingWritten() throws {
        let path = try put(Self.journal, "a.xopp")
        let fault = #expect(throws: MarkFileFault.self) {
            try MarkFileReader.content(path, limits: MarkFileLimits()) {
                let file = open(path, O_WRONLY | O_APPEND)
                #expect(write(file, " ", 1) == 1)
                close(file)
            }
        }
        #expect(fault == MarkFileFault(.unfinished, "is still being written"))
        #expect(self.fault(path) == nil)
        #expect(try self.fault(put("", "empty.xopp")) == MarkFileFault(.unfinished, "is empty"))
        #expect(try self.fault(put("", "empty.marks.json")) == MarkFileFault(.unfinished, "is empty"))
    }

    /// If the reader followed a link that replaces the file at the right moment, anybody could make the agent show a file that nobody
    /// chose.
    @Test func aLinkThatComesBetweenTheLookAndTheOpeningIsNotFollowed() throws {
        let (own, other) = (Self.journal, "the secret of another folder")
        let path = try put(own, "a.xopp")
        #expect(symlink(try put(other, "secret"), folder.path("link")) == 0)
        let link = folder.path("link")
        let swapper = try #require(Swapper(path, link))
        defer { swapper.end() }
        var (read, refused) = (0, 0)
        for _ in 0..<Self.races {
            do throws(MarkFileFault) {
                let (bytes, _) = try MarkFileReader.content(path, limits: MarkFileLimits()) {}
                let isOwn = bytes == Array(own.utf8)
                #expect(isOwn)
                read += 1
            } catch {
                refused += 1
            }
        }
        #expect(read > 0 && refused > 0, "\(read) read, \(refused) refused")
    }

    private static let races = 20_000

    /// Swaps two files continuously on a thread of its own.
    private final class Swapper: Sendable {
        private let paths: (String, String)
        private let isDone = Atomic(false)
        private let thread = Mutex(pthread_t())

        init?(_ one: String, _ other: String) {
            paths = (one, other)
            let isBegun = thread.withLock { thread in
                let body = Unmanaged.passRetained(self).toOpaque()
                return pthread_create(
                    &thread, nil,
                    { body in
                        guard let body else { return nil }
                        Unmanaged<Swapper>.fromOpaque(body).takeRetainedValue().run()
                        return nil
                    }, body) == 0
            }
            guard isBegun else { return nil }
        }

        private func run() {
            while !isDone.load(ordering: .relaxed) { woodshed_exchange(paths.0, paths.1) }
        }

        func end() {
            isDone.store(true, ordering: .relaxed)
            _ = thread.withLock { pthread_join($0, nil) }
        }
    }

    @Test func onlyRegularFilesAreOpened() throws {
        #expect(mkfifo(folder.path("pipe.xopp"), 0o600) == 0)
        #expect(mkdir(folder.path("folder.xopp"), 0o700) == 0)
        #expect(symlink(try put(Self.journal, "real.xopp"), folder.path("link.xopp")) == 0)
        #expect(symlink("loop.xopp", folder.path("loop.xopp")) == 0)
        for (path, sentence) in [
            (folder.path("pipe.xopp"), "is a pipe"), (folder.path("folder.xopp"), "is a folder"), ("/dev/zero", "is a device"),
            ("/dev/null", "is a device"), (folder.path("link.xopp"), "is a link, and links are not followed here"),
            (folder.path("loop.xopp"), "is a link, and links are not followed here"),
            (folder.path(String(repeating: "a", count: 300)), "cannot be read: File name too long"),
        ] {
            #expect(fault(path) == MarkFileFault(.unreadable, sentence))
        }
        for path in ["none.xopp", "real.xopp/below.xopp"] {
            #expect(fault(folder.path(path)) == MarkFileFault(.missing, "is no longer there"))
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func whatMayNotBeReadIsReported() throws {
        let path = try put(Self.journal, "a.xopp")
        #expect(chmod(path, 0) == 0)
        #expect(fault(path) == MarkFileFault(.unreadable, "cannot be read: Permission denied"))
    }

    @Test func aHugeFileIsNotRead() throws {
        let path = try put(Self.journal, "a.xopp")
        // The file becomes sparse: it is 1 TiB long, but takes hardly any space on disk.
        #expect(truncate(path, 1 << 40) == 0)
        #expect(fault(path) == MarkFileFault(.tooLarge, "is larger than 64 MiB"))
    }
}
