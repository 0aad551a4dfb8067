import Glibc
import Platform
import TestSupport
import Testing

/// A user builds the program and installs it for their own account.
@Suite(.onLoop)
struct InstallTests {
    private let home = TemporaryFolder()

    @LoopActor private func run(_ program: String, _ words: String...) async throws -> Program.Result {
        try await Program.run(program, words, environment: ["HOME=" + home.path])
    }

    private func files(in folder: String = "") throws -> [String] {
        try Folder.names(in: home.path(folder)).sorted().flatMap { name in
            let path = folder.isEmpty ? name : folder + "/" + name
            var status = stat()
            return lstat(home.path(path), &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? try files(in: path) : [path]
        }
    }

    @Test @LoopActor func itRunsFromThereAndGoesAgain() async throws {
        try Folder.create(home.path(".config/woodshed"))
        try AtomicFile.write("plans:\n", to: home.path(".config/woodshed/woodshed.yaml"))
        let installed = try await run("woodshed", "install", "--user")
        #expect(installed.exit == .code(0) && installed.messages.contains("woodshed setup"), "\(installed.messages)")
        let program = home.path(".local/bin/woodshed")
        let unit = String(decoding: try AtomicFile.read(home.path(".config/systemd/user/woodshed.service"), limit: 1 << 16), as: UTF8.self)
        #expect(unit.contains("\nExecStart=\"\(program)\" agent\n"))

        // The installed program finds its renderer in the new place.
        let demo = try await run(program, "demo", "--once", "--home", home.path("demo"), "--render-full-size=200")
        #expect(demo.exit == .code(0), "\(demo.messages)")
        // The installed program can install itself over itself.
        #expect(try await run(program, "install", "--user").exit == .code(0))

        #expect(try await run(program, "install", "--remove").exit == .code(0))
        #expect(try files().filter { !$0.hasPrefix("demo/") } == [".config/woodshed/woodshed.yaml"])
        let again = try await run("woodshed", "install", "--remove")
        #expect(again.exit == .code(0) && again.messages.contains("Nothing was installed"), "\(again.messages)")
        #expect(try await run("woodshed", "install").exit == .code(2))
    }
}
