import Model

/// The position on a command line at which a shell requests suggestions. Invalid words before this position are ignored.
package struct CompletionPoint {
    /// A suggested word, and its meaning.
    package struct Choice: Equatable {
        package let word: String
        package let note: String

        package init(_ word: String, _ note: String = "") { (self.word, self.note) = (word, note) }
    }

    /// The valid part of the command line before this position.
    package private(set) var invocation: Invocation
    /// The beginning of the last word, which the suggestions do not replace, as in `--plan=`.
    package private(set) var kept = ""
    /// The rest of the last word, which the suggestions complete.
    package private(set) var typed: String
    /// The commands and options that match.
    package private(set) var choices: [Choice] = []
    /// The kind of value expected here.
    package private(set) var offer = Offer.nothing

    private let base: PathBase
    private var command: Command
    private var names: [String]
    private var positions: [String] = []
    private var given: [(flag: Flag, value: InputValue)] = []
    private var isAfterDashes = false

    /// Reads `words`, which exclude the program's name. The last word is to be completed, and may be empty.
    package init(_ words: [String], table: Command, base: PathBase) {
        self.base = base
        command = table
        names = [table.name]
        typed = words.last ?? ""
        invocation = Invocation(command: table, names: [table.name])
        let awaiting = read(words.dropLast())
        gather()
        if let awaiting { value(of: awaiting) } else { anything() }
    }

    /// Reads the words before the last. Returns the option that takes the last word as its value, if any.
    private mutating func read(_ words: ArraySlice<String>) -> Flag? {
        var awaiting: Flag?
        for word in words {
            if let flag = awaiting {
                take(flag, word)
                awaiting = nil
            } else if isAfterDashes || word == "-" || !word.hasPrefix("-") {
                step(word)
            } else if word == "--" {
                isAfterDashes = true
            } else {
                let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard let flag = flag(parts[0]) else { continue }
                if flag.argument == nil {
                    given.append((flag, .boolean(true)))
                } else if parts.count == 2 {
                    take(flag, parts[1])
                } else {
                    awaiting = flag
                }
            }
        }
        return awaiting
    }

    private mutating func step(_ word: String) {
        if !isAfterDashes, positions.isEmpty, let next = command.subcommands.first(where: { $0.name == word }) {
            command = next
            names.append(word)
        } else {
            positions.append(word)
        }
    }

    private mutating func take(_ flag: Flag, _ text: String) {
        guard let type = flag.argument?.type, let value = try? type.parse(text, base: base) else { return }
        given.append((flag, value))
    }

    private func flag(_ word: String) -> Flag? {
        command.flagsHere.first { "--" + $0.name == word || $0.short.map { "-\($0)" } == word }
    }

    private mutating func gather() {
        invocation = Invocation(command: command, names: names)
        for (flag, value) in given { invocation.add(value, flag: flag) }
        for (place, word) in positions.enumerated() {
            guard let parameter = parameter(at: place) else { break }
            invocation.add(.text(word), parameter: parameter)
        }
    }

    private func parameter(at place: Int) -> Parameter? {
        if command.parameters.indices.contains(place) { return command.parameters[place] }
        return command.parameters.last.flatMap { $0.isRepeated ? $0 : nil }
    }

    private mutating func anything() {
        if !isAfterDashes, typed.hasPrefix("--"), let end = typed.firstIndex(of: "=") {
            guard let flag = flag(String(typed[..<end])), flag.argument != nil else { return }
            keep(through: end)
            value(of: flag)
        } else if !isAfterDashes, typed.hasPrefix("-") {
            options()
        } else {
            if positions.isEmpty, !isAfterDashes {
                choices = command.subcommands.filter { $0.name.hasPrefix(typed) }.map { Choice($0.name, $0.summary) }
            }
            offer = parameter(at: positions.count)?.offer ?? .nothing
        }
    }

    /// Offers the command's options except settings. If none of these matches, offers the settings, which are too many to be listed
    /// together with the other options.
    private mutating func options() {
        let isKnown = { [invocation] (flag: Flag) in !flag.isRepeated && invocation.has(flag.name) }
        let own = command.ownFlags + Flag.common + (names.count == 1 ? [.version] : [])
        for flags in [own, command.settings] where choices.isEmpty {
            choices = flags.filter { ("--" + $0.name).hasPrefix(typed) && !isKnown($0) }.map { Choice("--" + $0.name, $0.help) }
        }
    }

    private mutating func value(of flag: Flag) {
        guard let argument = flag.argument else { return }
        if argument.type.isList, let end = typed.lastIndex(of: ",") { keep(through: end) }
        offer = flag.offer ?? argument.type.offer
    }

    private mutating func keep(through end: String.Index) {
        kept += typed[...end]
        typed = String(typed[typed.index(after: end)...])
    }
}
