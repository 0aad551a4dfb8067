/// A command line that was understood: the command, with all values checked and converted.
package struct Invocation: Sendable {
    package let command: Command
    /// The program's name and the command's, as in `woodshed config show`.
    package let names: [String]
    package private(set) var flags: [String: [InputValue]] = [:]
    package private(set) var arguments: [String: [InputValue]] = [:]

    package init(command: Command, names: [String]) {
        self.command = command
        self.names = names
    }

    package mutating func add(_ value: InputValue, flag: Flag) {
        flags[flag.name] = (flag.isRepeated ? flags[flag.name] ?? [] : []) + [value]
    }

    package mutating func add(_ value: InputValue, parameter: Parameter) {
        arguments[parameter.name, default: []].append(value)
    }

    /// Whether a flag was given.
    package func has(_ flag: String) -> Bool { flags[flag] != nil }

    /// The value of a flag, if it was given, with the type declared in the command's row.
    package func value<Value: InputConvertible>(_ flag: String) -> Value? {
        flags[flag]?.last.flatMap(Value.init(input:))
    }

    /// The options that lead another command to the same library, quoted for a shell.
    package var reach: String {
        ["home", "config"].compactMap { name in
            let path: String? = value(name)
            return path.map { "--\(name) \($0.shellQuoted)" }
        }.joined(separator: " ")
    }

    /// The values of a flag that may be repeated.
    package func values<Value: InputConvertible>(_ flag: String) -> [Value] {
        (flags[flag] ?? []).compactMap(Value.init(input:))
    }

    /// The value of a parameter, if it was given, with the type declared in the command's row.
    package func argument<Value: InputConvertible>(_ parameter: String) -> Value? {
        arguments[parameter]?.first.flatMap(Value.init(input:))
    }

    /// All values of a repeated parameter.
    package func arguments<Value: InputConvertible>(_ parameter: String) -> [Value] {
        (arguments[parameter] ?? []).compactMap(Value.init(input:))
    }
}
