import CommandLine
import Configuration
import Host
import Manual

extension Command {
    /// Prints the help of a command, as in `woodshed help config show`, or a page of the manual, as in `woodshed help marks`.
    static let help = Command(
        name: "help",
        summary: "Prints a page of the manual, or a command's help; alone, it lists both",
        parameters: [
            Parameter(
                "topic", "a page of the manual, or a command; 'json' before a command lists the fields of its JSON", isOptional: true,
                isRepeated: true
            ).offering(.topics)
        ],
        flags: [
            Flag("form", "man1|man5|man7|bash|zsh|fish", "print a man page, or what a shell completes, as the package installs it")
                .offering(.words(["man1", "man5", "man7", "bash", "zsh", "fish"]))
        ],
        examples: [
            Example("woodshed help", "List the commands and the pages of the manual."),
            Example("woodshed help promises", "Read what Woodshed promises, and what it does not."),
            Example("woodshed help config show", "Print the help of 'woodshed config show'."),
            Example("woodshed help json ready", "List the fields of what 'woodshed ready --json' prints."),
        ],
        run: { invocation, context in
            let words: [String] = invocation.arguments("topic")
            let output = context.output
            if let form: String = invocation.value("form") {
                guard let text = installed(form, words.first) else {
                    throw CommandFailure(.usage, "--form is one of man1, man5, bash, zsh and fish, or man7 after a page of the manual")
                }
                output.result(text: text)
                return .fine
            }
            let width = min(output.terminal.width ?? 80, 100)
            if words.count == 1, let page = ManualPage.on(words[0]) ?? ManualPage.answering(words[0]) {
                var text = MarkdownText(page.text, width: width, isStyled: output.terminal.hasColor(.results)).text
                switch page.topic {
                case "json": text += JSONHelp(command: .woodshed, names: ["woodshed"], width: width).text
                case "settings": text += "\n" + HelpText.rows(Options.settings.map { ($0.line, $0.words) }, width: width) + "\n"
                default: break
                }
                Pager.show(text, on: output, environment: context.environment)
                return .fine
            }
            let isForPrograms = words.first == "json"
            let names = Array(words.dropFirst(isForPrograms ? 1 : 0))
            guard let command = Command.woodshed.descendant(names) else {
                let known = Command.woodshed.subcommands.map(\.name) + ManualPage.all.map(\.topic) + ManualPage.parts.map(\.word)
                let hint = names.count == 1 ? Suggestion.text(for: names[0], among: known) : ""
                throw CommandFailure(
                    .usage,
                    "there is no command or page of the manual called '\(names.joined(separator: " "))'\(hint)\nRun 'woodshed help' for a list."
                )
            }
            let full = ["woodshed"] + names
            if isForPrograms {
                output.result(text: JSONHelp(command: command, names: full, width: width).text)
            } else {
                output.result(text: HelpText(command: command, names: full, width: width).text)
                if names.isEmpty { output.result(text: "\n" + ManualPage.list(width: width)) }
            }
            return .fine
        })

    /// Prints what `--version` does.
    static let version = Command(
        name: "version", summary: "Prints the version",
        examples: [Example("woodshed version", "See which version this is.")],
        run: { _, context in
            context.output.result("woodshed \(Release.version)")
            return .fine
        })

    static let completion = Command(
        name: "completion",
        summary: "Prints what has a shell complete what you type",
        details: "'woodshed install --user' and the package put it where the shell finds it by itself.",
        parameters: [Parameter("shell", "bash, zsh or fish", type: .choice(["bash", "zsh", "fish"]))],
        examples: [Example("woodshed completion bash", "Print it for bash; 'source <(woodshed completion bash)' uses it at once.")],
        run: { invocation, context in
            let shell: String = invocation.argument("shell") ?? ""
            context.output.result(text: installed(shell, nil) ?? "")
            return .fine
        })

    private static func installed(_ form: String, _ topic: String?) -> String? {
        switch form {
        case "man1": ManText.commands(.woodshed)
        case "man5": ManText.settings
        case "man7": topic.flatMap { ManualPage.on($0) }.map { ManText.topic($0) }
        case "bash": Completions.bash
        case "zsh": Completions.zsh
        case "fish": Completions.fish
        default: nil
        }
    }
}

/// The fields of the commands' JSON. The manual's page on JSON describes what they have in common.
struct JSONHelp {
    let command: Command
    /// The words that lead to the command, the program's name first.
    let names: [String]
    /// The column at which lines are wrapped.
    let width: Int

    var text: String { parts(command, names).joined(separator: "\n\n") + "\n" }

    private func parts(_ command: Command, _ names: [String]) -> [String] {
        let own = command.json.map { form in
            "\(names.joined(separator: " ")) --json, schema \(form.schema):\n"
                + HelpText.rows(form.rows.map { (term: $0.path, help: $0.help) }, width: width)
        }
        return [own].compactMap(\.self) + command.subcommands.flatMap { parts($0, names + [$0.name]) }
    }
}

/// A page of the manual that is embedded in the program.
struct ManualPage {
    /// The page's name, as in `woodshed help marks`.
    let topic: String
    /// The page in Markdown.
    let text: String

    /// All pages, in the order in which a reader needs them.
    static let all: [ManualPage] = UnsafeBufferPointer(start: woodshed_manual_pages(), count: manual_pages_count).map { page in
        ManualPage(
            topic: String(cString: page.name),
            text: String(decoding: UnsafeBufferPointer(start: page.bytes, count: page.length), as: UTF8.self))
    }

    static func on(_ topic: String) -> ManualPage? { all.first { $0.topic == topic } }

    /// What people ask for by a word of their own, and where it is explained: under a heading of a page, or in all of it.
    static let parts: [(word: String, topic: String, heading: String)] = [
        ("token", "trouble", "Getting a token"), ("exit", "commands", "Exit codes"), ("environment", "settings", "Settings"),
    ]

    /// The part of a page that explains the word; `nil` if there is no such word.
    static func answering(_ word: String) -> ManualPage? {
        guard let part = parts.first(where: { $0.word == word }), let page = on(part.topic) else { return nil }
        let sections = page.text.split(separator: "\n## ").map(String.init)
        return sections.first { $0.hasPrefix(part.heading + "\n") }.map { ManualPage(topic: word, text: "# " + $0 + "\n") } ?? page
    }

    /// The page's heading.
    var title: String {
        String(text.prefix { !$0.isNewline }.drop { $0 == "#" || $0 == " " })
    }

    /// The pages as a list for the general help.
    static func list(width: Int) -> String {
        "Manual:\n" + HelpText.rows(all.map { ($0.topic, $0.title) }, width: width)
            + "\n\n'woodshed help TOPIC' prints a page of the manual.\n"
    }
}
