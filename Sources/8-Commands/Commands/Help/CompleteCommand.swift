import CommandLine
import Configuration
import Library
import Platform

extension Command {
    /// The commands for the shells' completions, in a separate table since nobody types them.
    static let completing = Command(
        name: "woodshed", summary: "", examples: [],
        subcommands: [
            Command(
                name: "complete", summary: "",
                parameters: [
                    Parameter("form", "", type: .choice(CompleteCommand.Form.allCases.map(\.rawValue))),
                    Parameter("words", "", type: .anything, isRepeated: true),
                ],
                examples: [], run: { CompleteCommand(invocation: $0, context: $1).run() })
        ])
}

/// Answers a shell that asks for possible words. Never prints an error, which would disturb the user's typing.
@LoopActor
struct CompleteCommand {
    enum Form: String, CaseIterable {
        case bash, words, zsh, fish
    }

    let invocation: Invocation
    let context: CommandContext

    func run() -> ExitCode {
        let given: [String] = invocation.arguments("words")
        let form: String? = invocation.argument("form")
        switch form.flatMap(Form.init(rawValue:)) {
        case .bash: printForBash(given, withNotes: true)
        case .words: printForBash(given, withNotes: false)
        case .zsh, .fish, nil: printChoices(given)
        }
        return .fine
    }

    /// Bash passes the line up to the cursor, and the characters at which it breaks words. At a redirection, only files are
    /// offered.
    private func printForBash(_ given: [String], withNotes: Bool) {
        let line = BashLine(given.first ?? "", breaks: given.count > 1 ? given[1] : "")
        guard !line.isRedirection else { return say(["files"]) }
        let point = point(line.words)
        let choices = choices(at: point)
        let words = choices.compactMap { choice in
            // Bash inserts a single choice as it is, including any note, so a single choice gets no note.
            line.typed(point.kept + choice.word).map {
                $0 + (withNotes && choices.count > 1 && !choice.note.isEmpty ? "  (\(choice.note))" : "")
            }
        }
        say([kind(point)] + words)
    }

    /// Other shells pass words, and take care of quotes themselves.
    private func printChoices(_ words: [String]) {
        let point = point(words)
        say([kind(point)] + choices(at: point).map { point.kept + $0.word + ($0.note.isEmpty ? "" : "\t\($0.note)") })
    }

    /// Prints all lines in one piece and unchanged, for a shell. Names from elsewhere have been made printable already.
    private func say(_ lines: [String]) { context.output.result(asItIs: lines.joined(separator: "\n") + "\n") }

    private func point(_ words: [String]) -> CompletionPoint {
        CompletionPoint(words, table: .woodshed, base: PathBase(home: context.environment.home, folder: PathBase.currentFolder))
    }

    private func kind(_ point: CompletionPoint) -> String {
        switch point.offer {
        case .files, .layersOrFiles, .songsOrFiles: "files"
        case .folders: "folders"
        case .nothing, .words, .plans, .charts, .places, .layers, .topics: "words"
        }
    }

    private func choices(at point: CompletionPoint) -> [CompletionPoint.Choice] {
        let choices: [CompletionPoint.Choice] =
            switch point.offer {
            case .nothing, .files, .folders: []
            case .words(let words): words.map { CompletionPoint.Choice($0) }.filter { $0.word.hasPrefix(point.typed) }
            case .topics: topics(after: point.invocation.arguments("topic")).filter { $0.word.hasPrefix(point.typed) }
            case .plans, .charts, .places, .layers, .layersOrFiles, .songsOrFiles: names(at: point)
            }
        return point.choices + choices
    }

    private func names(at point: CompletionPoint) -> [CompletionPoint.Choice] {
        guard let paths = paths(point.invocation), let library = try? Library(readingFrom: paths.data) else { return [] }
        defer { library.close() }
        let names = NamesHere(library: library, now: context.clock.timestamp)
        let choices = (try? names.choices(point.offer, for: point.typed, after: point.invocation)) ?? []
        // A title from elsewhere must not look like an option.
        return choices.filter { !point.kept.isEmpty || !$0.word.hasPrefix("-") }
    }

    /// The folders, whatever mistakes the configuration has: nothing is said of them while a command is being typed.
    private func paths(_ invocation: Invocation) -> Paths? {
        do throws(ConfigurationError) {
            return try Configuration.load(ConfigurationSources(invocation, environment: context.environment)).paths
        } catch {
            return error.rest?.paths
        }
    }

    private func topics(after words: [String]) -> [CompletionPoint.Choice] {
        let isForPrograms = words.first == "json"
        let inner = Command.woodshed.descendant(words.dropFirst(isForPrograms ? 1 : 0))?.subcommands ?? []
        let commands = inner.map { CompletionPoint.Choice($0.name, $0.summary) }
        let parts = ManualPage.parts.map { CompletionPoint.Choice($0.word, $0.heading) }
        return (words.isEmpty ? ManualPage.all.map { CompletionPoint.Choice($0.topic, $0.title) } + parts : []) + commands
    }
}
