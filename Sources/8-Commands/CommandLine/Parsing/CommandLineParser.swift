package import Model

/// Parses a command line according to the command table.
package struct CommandLineParser {
    package enum Request {
        case run(Invocation)
        /// A request for the help of the command with these names.
        case help([String])
        case version
    }

    private let base: PathBase
    private var names: [String]
    private var command: Command
    private var rest: ArraySlice<String>
    private var given: [(flag: Flag, value: InputValue)] = []
    private var words: [String] = []

    private init(root: Command, words: [String], base: PathBase) {
        self.base = base
        command = root
        names = [root.name]
        rest = words[...]
    }

    /// Parses `words`, which exclude the program's name. Relative paths start from `base`.
    package static func parse(_ words: [String], table: Command, base: PathBase) throws(Trouble) -> Request {
        var parser = CommandLineParser(root: table, words: words, base: base)
        return try parser.parse()
    }

    private mutating func parse() throws(Trouble) -> Request {
        while let word = rest.popFirst() {
            if word == "--" {
                words += rest
                break
            }
            if word == "--help" || word == "-h" { return .help(names) }
            if word == "--version" || word == "-V" { return .version }
            if word.hasPrefix("-"), word != "-" {
                try take(flag: word)
            } else if words.isEmpty, let subcommand = command.subcommands.first(where: { $0.name == word }) {
                command = subcommand
                names.append(word)
            } else if words.isEmpty, command.parameters.isEmpty, !command.subcommands.isEmpty {
                let hint = Suggestion.text(for: word, among: command.subcommands.map(\.name))
                throw fault("unknown command '\(word)'\(hint)")
            } else {
                words.append(word)
            }
        }
        return try finish()
    }

    private mutating func finish() throws(Trouble) -> Request {
        guard command.run != nil else {
            // A group of commands cannot run by itself, so name the commands that may follow.
            throw fault("a command is required: one of \(command.subcommands.map(\.name).joined(separator: ", "))")
        }
        var invocation = Invocation(command: command, names: names)
        for (flag, value) in given {
            // A flag before a subcommand's name was checked only against the outer command, and the subcommand may not know it.
            guard command.knownFlags.contains(where: { $0.name == flag.name }) else {
                throw fault("'--\(flag.name)' cannot be used with '\(names.joined(separator: " "))'")
            }
            invocation.add(value, flag: flag)
        }
        var words = words[...]
        var name: String?
        for parameter in command.parameters {
            guard let word = words.popFirst() else {
                if parameter.isOptional { break }
                throw fault("<\(parameter.name)> is missing: \(parameter.help)")
            }
            invocation.add(try value(word, parameter.type, of: "<\(parameter.name)>"), parameter: parameter)
            if case .text = parameter.type { name = word } else { name = nil }
            while parameter.isRepeated, let word = words.popFirst() {
                invocation.add(try value(word, parameter.type, of: "<\(parameter.name)>"), parameter: parameter)
            }
        }
        if let word = words.first {
            let quoted = name.map { ([$0] + words).joined(separator: " ").shellQuoted }
            throw fault("unexpected argument '\(word)'" + (quoted.map { "; a name of several words needs quotes, as in \($0)" } ?? ""))
        }
        return .run(invocation)
    }

    private mutating func take(flag word: String) throws(Trouble) {
        let flag: Flag
        var attached: String?
        if word.hasPrefix("--") {
            let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let found = command.flagsHere.first(where: { $0.name == parts[0] }) else { throw unknown(parts[0]) }
            flag = found
            attached = parts.count == 2 ? parts[1] : nil
        } else {
            guard let found = command.knownFlags.first(where: { $0.short != nil && $0.short == word.dropFirst().first }) else {
                throw fault("unknown option '\(word.prefix(2))'")
            }
            flag = found
            attached = word.count > 2 ? String(word.dropFirst(2)) : nil
        }
        guard let argument = flag.argument else {
            guard attached == nil else { throw fault("'--\(flag.name)' takes no value") }
            given.append((flag, .boolean(true)))
            return
        }
        guard let text = attached ?? rest.popFirst() else { throw fault("'--\(flag.name)' needs \(argument.placeholder)") }
        given.append((flag, try value(text, argument.type, of: "'--\(flag.name)'")))
    }

    private func unknown(_ name: String) -> Trouble {
        let listed = command.ownFlags + Flag.common + (names.count == 1 ? [.version] : [])
        // Also suggest settings, even from only the end of a setting's name.
        let all = listed.map(\.name) + command.knownFlags.map(\.name)
        let nearest = Suggestion.nearest(to: name, among: all) ?? command.knownFlags.first { $0.name.hasSuffix("-" + name) }?.name
        return fault("unknown option '--\(name)'" + (nearest.map { "; did you mean '--\($0)'?" } ?? ""))
    }

    private func value(_ text: String, _ type: InputType, of what: String) throws(Trouble) -> InputValue {
        do {
            return try type.parse(text, base: base)
        } catch {
            throw fault("\(what): \(error)")
        }
    }

    /// The message about a mistake in the command line. It points to the help of the command recognised before the mistake.
    private func fault(_ message: String) -> Trouble {
        Trouble("\(message)\nRun '\((names + ["--help"]).joined(separator: " "))' for help.")
    }
}

/// Suggests the known word most similar to a mistyped one.
package enum Suggestion {
    /// The most similar of `candidates`; nil if none is similar enough.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        // Allow one mistake per three letters, but at least one and at most three. A word with more mistakes is a different word.
        let limit = max(1, min(3, word.count / 3))
        let ranked = candidates.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
        return ranked.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// The end of an error message: empty, or "; did you mean 'show'?".
    package static func text(for word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The number of letters to add, remove, change or swap with a neighbour to get from one word to the other.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                var best = min(current[column] + 1, last[column + 1] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[right.count]
    }
}

/// A parsed command line: the command, and its values, checked and converted.
package struct Invocation: Sendable {
    package let command: Command
    /// The names of the program and the command, as in `woodshed config show`.
    package let names: [String]
    package private(set) var flags: [String: [InputValue]] = [:]
    package private(set) var arguments: [String: [InputValue]] = [:]

    package init(command: Command, names: [String]) { (self.command, self.names) = (command, names) }

    package mutating func add(_ value: InputValue, flag: Flag) {
        flags[flag.name] = (flag.isRepeated ? flags[flag.name] ?? [] : []) + [value]
    }

    package mutating func add(_ value: InputValue, parameter: Parameter) {
        arguments[parameter.name, default: []].append(value)
    }

    /// The same command without the argument for this parameter.
    package func without(_ parameter: String) -> Invocation {
        var invocation = self
        invocation.arguments[parameter] = nil
        return invocation
    }

    package func has(_ flag: String) -> Bool { flags[flag] != nil }

    /// The form of the JSON output if `--json` was given.
    package var formForPrograms: (any PrintedForm)? { has("json") ? command.json : nil }

    /// The value of a flag, with the type declared in the command's row; nil if the flag was not given.
    package func value<Value: InputConvertible>(_ flag: String) -> Value? { flags[flag]?.last.flatMap(Value.of) }

    /// The options that make another command use the same library, quoted for a shell.
    package var reach: String {
        ["home", "config"].compactMap { name in
            let path: String? = value(name)
            return path.map { "--\(name) \($0.shellQuoted)" }
        }.joined(separator: " ")
    }

    /// All values of a repeated flag.
    package func values<Value: InputConvertible>(_ flag: String) -> [Value] { (flags[flag] ?? []).compactMap(Value.of) }

    /// The value of a parameter, with the type declared in the command's row; nil if the parameter was not given.
    package func argument<Value: InputConvertible>(_ parameter: String) -> Value? { arguments[parameter]?.first.flatMap(Value.of) }

    /// All values of a repeated parameter.
    package func arguments<Value: InputConvertible>(_ parameter: String) -> [Value] { (arguments[parameter] ?? []).compactMap(Value.of) }
}
