import Glibc
import Platform
import TestSupport
import Testing

@testable import CommandLine
@testable import Commands

/// Every example of the help can be typed as it is, in the demo, with the files that it names.
@Suite(.onLoop)
struct ExampleTests {
    private let folder = TemporaryFolder()

    /// The examples that are not tried: some wait for a person, need an account, or run until they are ended. Those about bands need
    /// other players; `BandTests` tries them.
    private static let others = [
        "woodshed demo --players 2", "woodshed band join ~/Nextcloud/band --person Ben", "woodshed band ready --max-age 6h",
        "woodshed band leave-out Ben", "woodshed band let-in Ben", "woodshed band leave",
        "woodshed agent", "woodshed demo", "woodshed open next --tablet", "woodshed setup", "woodshed sign-in", "woodshed sign-out",
        "woodshed status --watch", "woodshed agent --home ~/try --render-workers=1", "woodshed setup --home ~/try",
        "woodshed setup --folder ~/Music/Sets", "woodshed open ~/Music/Sets", "woodshed band share --set 2026-11-29 --with-charts",
        "woodshed band offer next",
    ]

    /// All examples, in the order of the help.
    private static func examples(_ command: Command = .woodshed) -> [String] {
        command.examples.map(\.line) + command.subcommands.flatMap { examples($0) }
    }

    /// Examples that change pages come after those that need unchanged pages; the last ones need a home where nothing else runs.
    private static func stage(_ line: String) -> Int {
        func begins(_ words: [String]) -> Bool { words.contains { line.hasPrefix("woodshed " + $0) } }
        if begins(["import-home"]) { return 4 }
        if begins(["cache clear", "doctor --restore", "export-home", "config init"]) { return 3 }
        if begins(["demo edit"]) { return 2 }
        return begins(["layers", "accept", "band share"]) ? 1 : 0
    }

    /// Runs a line in a shell, in the test's folder.
    @LoopActor private func type(_ line: String, home: String) async throws -> Program.Result {
        try await Program.run(
            "/bin/sh",
            [
                "-c",
                "cd '\(folder.path)' && export PATH='\(Program.folder)':/usr/bin:/bin HOME='\(folder.path("user"))' && exec \(line)",
            ], environment: environment(home))
    }

    private func environment(_ home: String) -> [String] {
        [
            "WOODSHED_HOME=\(home)", "WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64",
            "WOODSHED_ANNOTATIONS_FOLDERS=\(folder.path("stick/marks"))",
        ]
    }

    /// Writes the files that the examples name.
    private func provideFiles() throws {
        for name in ["user", "user/Nextcloud", "usb", "stick", "stick/marks", "sample-config"] { try Folder.create(folder.path(name)) }
        let marks = """
            {"attachment_id": "79073904", "name": "my bowings",
             "marks": [{"id": "a", "page": 0, "kind": "pen", "points": [[0.1, 0.2], [0.3, 0.4]]}]}
            """
        for name in ["bowings.marks.json", "stick/marks/bowings.marks.json"] { try AtomicFile.write(marks, to: folder.path(name)) }
        try AtomicFile.write(
            """
            <?xml version="1.0" standalone="no"?>
            <xournal fileversion="4"><page width="612" height="792"><background type="solid" color="#ffffffff" style="plain"/>
            <layer><stroke tool="pen" color="#0000ffff" width="1.41">10 10 20 20 30 30</stroke></layer></page></xournal>
            """, to: folder.path("bowings.xopp"))
        try AtomicFile.write(try Repository.text("sample-config/woodshed.yaml"), to: folder.path("sample-config/woodshed.yaml"))
        symlink("usb/anna.tar", folder.path("anna.tar"))
    }

    @Test @LoopActor func everyExampleDoesWhatItSays() async throws {
        try provideFiles()
        let home = folder.path("home")
        let demo = try Program("woodshed", ["demo"], environment: environment(home))
        try await waitUntil { try demo.messagesSoFar().contains("for another") }
        #expect(try await type("woodshed export riverside --as-annotations -o riverside.pdf", home: home).exit == .code(0))
        try await waitUntil { try await type("woodshed layers riverside", home: home).output.contains("my bowings") }
        try await waitUntil { try await type("woodshed ready --plan all", home: home).exit == .code(0) }
        var isRunning = true
        var number = 0
        let lines = Self.examples().filter { !Self.others.contains($0) }
        for line in (0...4).flatMap({ stage in lines.filter { Self.stage($0) == stage } }) {
            if isRunning, Self.stage(line) > 2 {
                demo.child.kill(SIGINT)
                _ = try await demo.result()
                isRunning = false
            }
            // A missing folder may come back, so `--gone` asks; nobody is here to answer, so `--yes` is added.
            if line.contains("--gone") { rename(folder.path("stick/marks"), folder.path("stick/away")) }
            number += 1
            let place = ["config init", "import-home", "demo --once"].contains { line.contains($0) } ? folder.path("new\(number)") : home
            let typed =
                line.replacing("~/try", with: place).replacing("/media", with: folder.path) + (line.contains("--gone") ? " --yes" : "")
            let result = try await type(typed, home: place)
            #expect(result.exit == .code(0), "\(line): \(result.output.prefix(300))\(result.messages)")
            if line.contains("--gone") { rename(folder.path("stick/away"), folder.path("stick/marks")) }
        }
        #expect(Set(Self.others).isSubset(of: Self.examples()))
    }
}
