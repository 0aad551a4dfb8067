import CommandLine
import Configuration
import Glibc
import Platform
import TestSupport
import Testing

@testable import Commands

/// The installed help: man pages, and completion for the shells.
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
    private static let pages = [ManText.commands(.woodshed), ManText.settings] + ManualPage.all.map { ManText.topic($0) }

    @Test func everyPageIsASCII() {
        for page in Self.pages { #expect(page.utf8.allSatisfy { $0 < 0x80 }, "\(page.filter { !$0.isASCII })") }
    }

    @Test(.enabled(if: access(man, X_OK) == 0, "man is not here; .ci/install installs it"), arguments: ["C", "C.UTF-8"], pages.indices)
    @LoopActor func manShowsWhatCanBeCopied(locale: String, index: Int) async throws {
        let path = folder.path("page.1")
        try AtomicFile.write(Self.pages[index], to: path)
        for width in [50, 80] {
            let result = try await Program.run(
                Self.man, ["--warnings", "-P", "cat", "-l", path],
                environment: ["LC_ALL=" + locale, "LANG=" + locale, "MANWIDTH=\(width)", "MANROFFOPT=-c"])
            // Ignore the warnings about words that are longer than a line, because such words must stay whole.
            let warnings = result.messages.split(separator: "\n").filter { !$0.hasSuffix("can't break line") }
            #expect(result.exit == .code(0) && warnings.isEmpty, "\(warnings)")
            let text = result.output.replacing(/.\u{8}/, with: "")
            // No word is hyphenated, and all quotes, tildes and dots are characters that a shell understands.
            let divided = text.split(separator: "\n").filter { $0.contains(/[a-z][-\u{2010}]$/) }
            #expect(divided.isEmpty, "\(divided)")
            #expect(!text.contains { "\u{2018}\u{2019}\u{02DC}\u{FFFD}".contains($0) })
        }
    }

    @Test(.enabled(if: access(man, X_OK) == 0, "man is not here; .ci/install installs it")) @LoopActor
    func examplesAndPathsAreShownWhole() async throws {
        let path = folder.path("page.1")
        try AtomicFile.write(ManText.commands(.woodshed), to: path)
        let result = try await Program.run(Self.man, ["-P", "cat", "-l", path], environment: ["LC_ALL=C", "MANWIDTH=60", "MANROFFOPT=-c"])
        let text = result.output.replacing(/.\u{8}/, with: "")
        for part in ["EXAMPLES", "woodshed export next -o sunday.pdf", "~/.config/woodshed/woodshed.yaml", "woodshed pin midweek"] {
            #expect(text.contains(part), "\(part)")
        }
    }

    @Test @LoopActor func everyTopicIsAPage() async throws {
        for page in ManualPage.all {
            let result = try await Program.run("woodshed", ["help", page.topic, "--form", "man7"])
            #expect(result.exit == .code(0) && result.output.hasPrefix(".TH WOODSHED-\(page.topic.uppercased()) 7 "))
        }
        #expect(try await Program.run("woodshed", ["help", "--form", "man7"]).exit == .code(2))
    }
}
