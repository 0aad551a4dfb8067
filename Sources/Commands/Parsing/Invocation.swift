/// A command line that was understood: the command, with every value checked and typed.
struct Invocation: Sendable {
    let command: Command
    /// The program's name and the command's, as in `woodshed config show`.
    let names: [String]
    private(set) var flags: [String: [InputValue]] = [:]
    private(set) var arguments: [String: [InputValue]] = [:]

    init(command: Command, names: [String]) {
        self.command = command
        self.names = names
    }

    mutating func add(_ value: InputValue, flag: Flag) {
        flags[flag.name] = (flag.isRepeated ? flags[flag.name] ?? [] : []) + [value]
    }

    mutating func add(_ value: InputValue, parameter: Parameter) {
        arguments[parameter.name, default: []].append(value)
    }

    /// Whether a flag was given.
    func has(_ flag: String) -> Bool { flags[flag] != nil }

    /// The value of a flag, if it was given; of the type that its row says.
    func value<Value: InputConvertible>(_ flag: String) -> Value? {
        flags[flag]?.last.flatMap(Value.init(input:))
    }

    /// The values of a flag that may be repeated.
    func values<Value: InputConvertible>(_ flag: String) -> [Value] {
        (flags[flag] ?? []).compactMap(Value.init(input:))
    }

    /// The word in a parameter's place, if it was given; of the type that its row says.
    func argument<Value: InputConvertible>(_ parameter: String) -> Value? {
        arguments[parameter]?.first.flatMap(Value.init(input:))
    }

    /// All words of a repeated parameter.
    func arguments<Value: InputConvertible>(_ parameter: String) -> [Value] {
        (arguments[parameter] ?? []).compactMap(Value.init(input:))
    }
}
