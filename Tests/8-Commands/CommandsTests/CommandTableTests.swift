import Testing

@testable import CommandLine
@testable import Commands

@Suite(.timeLimit(.minutes(5)))
struct CommandTableTests {
    private static func all(_ command: Command = .woodshed, _ names: [String] = ["woodshed"]) -> [(names: [String], command: Command)] {
        [(names, command)] + command.subcommands.flatMap { all($0, names + [$0.name]) }
    }

    @Test func everyCommandHasHelpWithAnExample() {
        for (names, command) in Self.all() {
            let text = HelpText(command: command, names: names).text
            #expect(!command.examples.isEmpty, "\(names)")
            for example in command.examples { #expect(text.contains(example.line), "\(names)") }
            #expect(text.contains("Usage: \(names.joined(separator: " "))"))
            #expect(text.contains("--home DIR"))
            for flag in command.flags { #expect(text.contains("--\(flag.name)")) }
            #expect(!command.summary.hasSuffix("."), "the help puts the full stop: \(names)")
        }
    }

    @Test func everyExampleIsUnderstood() throws {
        for (names, command) in Self.all() {
            for example in command.examples {
                var words = example.line.split(separator: " ").map(String.init)
                #expect(words.removeFirst() == "woodshed")
                let request = try CommandLineParser.parse(words, table: .woodshed, base: PathBase(home: "/home/ann", folder: "/base"))
                guard case .run(let invocation) = request else {
                    Issue.record("runs nothing: \(example.line)")
                    continue
                }
                #expect(invocation.names.starts(with: names), "an example of its own or of what is below it")
            }
        }
    }

    @Test func helpIsNoWiderThanAsked() {
        for (names, command) in Self.all() {
            let lines = HelpText(command: command, names: names, width: 80).text.split(separator: "\n")
            for line in lines where !line.hasPrefix("  woodshed") && !line.hasPrefix("Usage") {
                #expect(DisplayWidth.of(String(line)) <= 80, "\(line)")
            }
        }
    }

    @Test func namesAreDistinct() {
        for (names, command) in Self.all() {
            #expect(Set(command.subcommands.map(\.name)).count == command.subcommands.count)
            #expect(Set(command.knownFlags.map(\.name)).count == command.knownFlags.count, "\(names)")
            let letters = command.knownFlags.compactMap(\.short)
            #expect(Set(letters).count == letters.count, "\(names)")
            #expect(command.run != nil || !command.subcommands.isEmpty)
        }
    }

    @Test func exitCodesAreDocumentedAndKeepTheirNumbers() {
        let help = HelpText(command: .woodshed, names: ["woodshed"]).text
        let lines = help.split(separator: "\n")
        for code in ExitCode.allCases {
            #expect(lines.contains { $0.hasPrefix("  \(code.rawValue)  ") && $0.hasSuffix("  \(code.meaning)") }, "\(code)")
        }
        #expect(ExitCode.allCases.map(\.rawValue) == Array(0...7) + [130])
        #expect(Set(ExitCode.allCases.map(\.meaning)).count == 9)
        #expect(ExitCode.notAuthorised.rawValue == 5)
        #expect(ExitCode.locked.rawValue == 7)
    }
}
