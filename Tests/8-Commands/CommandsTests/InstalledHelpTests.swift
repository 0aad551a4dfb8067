import CommandLine
import Configuration
import Glibc
import Platform
import TestSupport
import Testing

@testable import Commands

/// What the package installs of the help: man pages, and what shells complete.
@Suite(.onLoop)
struct InstalledHelpTests {
    private let folder = TemporaryFolder()

    private func commands(_ command: Command, _ names: [String] = ["woodshed"]) -> [(names: [String], command: Command)] {
        [(names, command)] + command.subcommands.flatMap { commands($0, names + [$0.name]) }
    }

    private func escaped(_ text: String) -> String { text.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "\\-") }

    @Test func everyCommandOptionAndExitCodeIsInTheManPage() {
        let page = ManText.commands(.woodshed)
        for (names, command) in commands(.woodshed) where command.run != nil {
            #expect(page.contains(".SS \"\(escaped(names.joined(separator: " ")))"), "\(names)")
            for flag in command.ownFlags { #expect(page.contains(escaped("--" + flag.name)), "\(names) \(flag.name)") }
        }
        for flag in Flag.common + [.version] { #expect(page.contains(escaped("--" + flag.name))) }
        for code in ExitCode.allCases { #expect(page.contains(".B \(code.rawValue)\n\(escaped(code.meaning))\n")) }
    }

    @Test func everySettingIsInTheManPage() {
        let page = ManText.settings
        for setting in Options.settings { #expect(page.contains(".B \(setting.key): "), "\(setting.key)") }
    }

    private static let man = "/usr/bin/man"

    @Test(.enabled(if: access(man, X_OK) == 0), arguments: ["1", "5"]) @LoopActor func manReadsThem(section: String) async throws {
        let path = folder.path("page.\(section)")
        try AtomicFile.write(section == "1" ? ManText.commands(.woodshed) : ManText.settings, to: path)
        let result = try await Program.run(
            Self.man, ["--warnings", "-E", "UTF-8", "-l", path], environment: ["LC_ALL=C.UTF-8", "MANWIDTH=100"])
        #expect(result.exit == .code(0) && result.messages == "", "\(result.messages)")
        #expect(result.output.contains("woodshed"))
    }
}
