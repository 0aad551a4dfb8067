import Glibc
import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct ChildTests {
    private let folder = TemporaryFolder()

    @LoopActor
    private func shell(_ script: String, environment: [String] = []) async throws -> (Child.Exit, String) {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let output = try Descriptor.open(folder.path("output"), O_RDWR | O_CREAT | O_TRUNC)
        let child = try Child.start(
            "/bin/sh", arguments: ["-c", script], environment: environment, descriptors: [null.number, output.number, null.number])
        let exit = await child.exit()
        return (exit, String(decoding: try AtomicFile.read(folder.path("output"), limit: 10_000), as: UTF8.self))
    }

    @Test @LoopActor func exitCodesAndSignalsAreReported() async throws {
        #expect(try await shell("exit 3").0 == .code(3))
        #expect(try await shell("kill -9 $$").0 == .signal(SIGKILL))
    }

    @Test @LoopActor func childInheritsOnlyWhatItIsGiven() async throws {
        let leak = open("/etc/passwd", O_RDONLY)  // deliberately not close-on-exec
        defer { close(leak) }
        let (_, output) = try await shell("ls /proc/self/fd; env", environment: ["GIVEN=1"])
        let lines = Set(output.split(separator: "\n"))
        // Descriptor 3 is not checked: it is the folder that `ls` itself opens.
        #expect(lines.isSuperset(of: ["0", "1", "2", "GIVEN=1"]))
        #expect(!lines.contains("4") && !output.contains("HOME="))
    }

    @Test @LoopActor func killEndsIt() async throws {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let child = try Child.start(
            "/bin/sleep", arguments: ["600"], environment: [], descriptors: [null.number, null.number, null.number])
        child.kill(SIGTERM)
        #expect(await child.exit() == .signal(SIGTERM))
        #expect(await child.exit() == .signal(SIGTERM))
    }

    @Test @LoopActor func missingProgramIsReportedByName() async throws {
        #expect(throws: SystemError("start", path: "/no/such/program", code: ENOENT)) {
            try Child.start("/no/such/program", environment: [], descriptors: [])
        }
    }

    /// The test has a process of its own, in which only threads of the test runner and the runtime open a file now and then. If starting a
    /// child leaked a descriptor, twenty children would leak twenty.
    @Test func manyChildrenLeaveNoDescriptorBehind() async {
        await #expect(processExitsWith: .success) {
            exit(Loop.shared.run { await ChildTests.leftDescriptors(children: 20) < 10 ? 0 : 1 })
        }
    }

    @LoopActor
    private static func leftDescriptors(children: Int) async -> Int32 {
        do {
            let null = try Descriptor.open("/dev/null", O_RDWR)
            func count() throws -> Int { try Folder.names(in: "/proc/self/fd").count }
            var before = 0
            for child in 0..<children {
                // The first start may open descriptors that the process keeps.
                if child == 1 { before = try count() }
                _ = try await Child.start("/bin/true", environment: [], descriptors: [null.number, null.number, null.number]).exit()
            }
            return Int32(try count() - before)
        } catch {
            Log.standardError(from: .info).error("\(error)")
            return .max
        }
    }
}
