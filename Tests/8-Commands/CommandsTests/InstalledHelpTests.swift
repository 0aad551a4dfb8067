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

    /// What bash offers for a line that ends in `line`'s last word.
    @LoopActor private func offered(_ line: String...) async throws -> [String] {
        let path = folder.path("completions")
        try AtomicFile.write(Completions.bash(.woodshed), to: path)
        let script = #". "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _woodshed; printf '%s\n' "${COMPREPLY[@]}""#
        let result = try await Program.run("/bin/bash", ["-c", script, "bash", path] + line)
        #expect(result.exit == .code(0) && result.messages == "", "\(result.messages)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test @LoopActor func bashCompletesCommandsAndOptions() async throws {
        #expect(try await offered("woodshed", "se") == ["setup", "select"])
        #expect(try await offered("woodshed", "config", "sh") == ["show"])
        #expect(try await offered("woodshed", "ready", "--pl") == ["--plan"])
        #expect(try await offered("woodshed", "cache", "trim", "--t") == ["--to"])
        #expect(try await offered("woodshed", "ready", "--to") == [])
    }

    @Test(arguments: [("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")]) @LoopActor
    func othersUnderstandTheirs(shell: String, path: String) async throws {
        let text = shell == "zsh" ? Completions.zsh(.woodshed) : Completions.fish(.woodshed)
        for (names, command) in commands(.woodshed) {
            #expect(command.subcommands.allSatisfy { text.contains($0.name) }, "\(names)")
            #expect(command.ownFlags.allSatisfy { text.contains($0.name) }, "\(names)")
        }
        guard access(path, X_OK) == 0 else { return }
        let file = folder.path(shell)
        try AtomicFile.write(text, to: file)
        let result = try await Program.run(path, ["-n", file])
        #expect(result.exit == .code(0) && result.messages == "", "\(result.messages)")
    }
}
