import Glibc
import TestSupport
import Testing

@testable import Platform

/// Watching for a shortage of memory.
@Suite(.onLoop)
struct MemoryPressureTests {
    /// A named pipe on which the test reports pressure, as systemd would.
    private struct Pipe {
        let folder = TemporaryFolder()
        var path: String { folder.path("pressure") }

        init() {
            #expect(mkfifo(path, 0o600) == 0)
        }

        func write(_ text: String) throws {
            let end = try Descriptor.open(path, O_WRONLY | O_NONBLOCK)
            try Array(text.utf8).withUnsafeBytes { try end.write($0) }
        }
    }

    @Test @LoopActor func pipeReportsPressureEveryTime() async throws {
        let pipe = Pipe()
        let pressure = MemoryPressure(watch: pipe.path, write: nil)
        var count = 0
        pressure.start { count += 1 }
        #expect(pressure.state == .watching(path: pipe.path))
        try pipe.write("x")
        try await waitUntil { count == 1 }
        // The first writer has closed its end. A second writer must still be read.
        try pipe.write(String(repeating: "much", count: 2000))
        try await waitUntil { count == 2 }
        pressure.stop()
        #expect(pressure.state == .off(reason: "not watched"))
    }

    @Test @LoopActor func ownWordsInAPipeAreNoPressure() async throws {
        let pipe = Pipe()
        let pressure = MemoryPressure(watch: pipe.path, write: "aGVsbG8=")
        var count = 0
        pressure.start { count += 1 }
        // The pipe contains "hello" when the loop first reads it; only what is written later counts as pressure.
        var pollfds = [pollfd(fd: try Descriptor.open(pipe.path, O_RDONLY | O_NONBLOCK).release(), events: Int16(POLLIN), revents: 0)]
        defer { close(pollfds[0].fd) }
        try await waitUntil { poll(&pollfds, 1, 0) == 0 }
        #expect(count == 0)
        try pipe.write("x")
        try await waitUntil { count == 1 }
        pressure.stop()
    }

    @Test @LoopActor func otherSideOfAPipeReadsTheTrigger() async throws {
        let pipe = Pipe()
        let other = try Descriptor.open(pipe.path, O_RDONLY | O_NONBLOCK)
        let pressure = MemoryPressure(watch: pipe.path, write: "c29tZSAyMDAwMDAgMjAwMDAwMAA=")
        pressure.start {}
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(other.number, &bytes, bytes.count)
        #expect(Array(bytes.prefix(max(count, 0))) == MemoryPressureSource.usualTrigger)
        pressure.stop()
    }

    @Test @LoopActor func socketReceivesTheTriggerAndReportsPressureUntilItsEnd() async throws {
        let folder = TemporaryFolder()
        let path = folder.path("pressure")
        let listener = try Self.listen(path)
        let pressure = MemoryPressure(watch: path, write: "aGVsbG8=")
        var count = 0
        pressure.start { count += 1 }
        #expect(pressure.state == .watching(path: path))
        let other = Descriptor(owning: accept(listener.number, nil, nil))
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(read(other.number, &bytes, bytes.count) == 5)
        #expect(Array(bytes.prefix(5)) == Array("hello".utf8))
        // The other side sends the same bytes back, which counts as an event.
        #expect(write(other.number, bytes, 5) == 5)
        try await waitUntil { count == 1 }
        #expect(shutdown(other.number, Int32(SHUT_RDWR)) == 0)
        try await waitUntil { pressure.state == .off(reason: "\(path) was closed") }
        #expect(count == 1)
    }

    @Test @LoopActor func whatCannotBeWatchedIsReportedAndNoError() throws {
        let folder = TemporaryFolder()
        try AtomicFile.write("some avg10=0.00", to: folder.path("file"))
        let cases: [(watch: String, write: String?, part: String)] = [
            ("/dev/null", nil, "turns it off"), ("relative", nil, "not an absolute path"), (folder.path("nowhere"), nil, "No such file"),
            (folder.path, nil, "neither"), (folder.path("file"), nil, "cannot be watched"), (folder.path("file"), "?", "not Base64"),
        ]
        for (watch, write, part) in cases {
            let pressure = MemoryPressure(watch: watch, write: write)
            pressure.start { Issue.record("no pressure is known of") }
            #expect("\(pressure.state)".hasPrefix("nothing reports when memory is short: "))
            #expect("\(pressure.state)".contains(part))
        }
    }

    @Test @LoopActor func ownControlGroupIsFoundInTheUnifiedHierarchyOnly() throws {
        let folder = TemporaryFolder()
        try Folder.create(folder.path("root/user.slice/woodshed.service"))
        try AtomicFile.write("", to: folder.path("root/user.slice/woodshed.service/memory.pressure"))
        try AtomicFile.write("4:memory:/other\n0::/user.slice/woodshed.service\n", to: folder.path("unified"))
        try AtomicFile.write("4:memory:/user.slice/woodshed.service\n", to: folder.path("old"))
        let root = folder.path("root")
        #expect(
            MemoryPressureSource.ownControlGroup(cgroups: folder.path("unified"), root: root)
                == root + "/user.slice/woodshed.service/memory.pressure")
        #expect(MemoryPressureSource.ownControlGroup(cgroups: folder.path("old"), root: root) == nil)
        let pressure = MemoryPressure(watch: nil, write: nil, cgroups: folder.path("old"), cgroupRoot: root)
        pressure.start {}
        #expect(pressure.state == .off(reason: "this system has no control group for it"))
    }

    /// Not every kernel lets every user set a trigger; if the file can be opened for writing, a trigger works.
    @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0))
    @LoopActor func kernelTakesTheUsualTrigger() {
        let pressure = MemoryPressure(watch: "/proc/pressure/memory", write: "c29tZSAyMDAwMDAgMjAwMDAwMAA=")
        pressure.start {}
        #expect(pressure.state == .watching(path: "/proc/pressure/memory"))
        pressure.stop()
    }

    /// Without a trigger, the kernel reports a permanent error, as it does for a removed control group.
    @Test(.enabled(if: access("/proc/pressure/memory", R_OK | W_OK) == 0))
    @LoopActor func kernelsErrorEndsTheWatch() async throws {
        let pressure = MemoryPressure(watch: "/proc/pressure/memory", write: nil)
        pressure.start { Issue.record("an error is no pressure") }
        try await waitUntil { pressure.state == .off(reason: "/proc/pressure/memory was closed") }
    }

    @Test(arguments: [
        ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"), ("Zm9vYmFy", "foobar"),
    ])
    func base64IsDecoded(_ text: String, _ plain: String) {
        #expect(Base64.decode(text) == Array(plain.utf8))
        #expect(Base64.encode(Array(plain.utf8)) == text)
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Z===", "Zm9v=", "Z=9v", "Zm 9", "Zm9-"])
    func whatIsNoBase64IsRefused(_ text: String) {
        #expect(Base64.decode(text) == nil)
    }

    private static func listen(_ path: String) throws -> Descriptor {
        let socket = Descriptor(owning: Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard code == 0, Glibc.listen(socket.number, 4) == 0 else { throw SystemError("listen", path: path) }
        return socket
    }
}
