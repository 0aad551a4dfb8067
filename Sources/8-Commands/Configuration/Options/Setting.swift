package import CommandLine

/// The description of one option: its documentation, and how to read it from and write it to `Options`.
package struct Setting: Sendable {
    /// The section of the file and the name within it, as in `render.workers`.
    package let key: String
    package let type: InputType
    /// A sentence without a full stop.
    package let summary: String
    /// The reason for the default, or when to change it.
    package let reason: String
    /// Settings of the same group exclude each other.
    package let group: String?
    /// Whether errors and `config show` may show the value.
    package let isShown: Bool
    package let read: @Sendable (Options) -> InputValue
    /// Returns whether the value had the right type.
    package let write: @Sendable (inout Options, InputValue) -> Bool

    /// A setting that always has a value.
    package init<Value: InputConvertible & SendableMetatype>(
        _ key: String, _ path: any WritableKeyPath<Options, Value> & Sendable, _ type: InputType, _ summary: String, reason: String
    ) {
        (self.key, self.type, self.summary, self.reason) = (key, type, summary, reason)
        group = nil
        isShown = true
        read = { $0[keyPath: path].input }
        write = { options, input in
            guard let value = Value.of(input) else { return false }
            options[keyPath: path] = value
            return true
        }
    }

    /// A setting that may be `none`, which is its default.
    package init<Value: InputConvertible & SendableMetatype>(
        _ key: String, optional path: any WritableKeyPath<Options, Value?> & Sendable, _ type: InputType, group: String? = nil,
        isShown: Bool = true, _ summary: String, reason: String
    ) {
        self.key = key
        self.type = .optional(type)
        (self.summary, self.reason, self.group, self.isShown) = (summary, reason, group, isShown)
        read = { $0[keyPath: path]?.input ?? .unset }
        write = { options, input in
            let value = Value.of(input)
            guard value != nil || input == .unset else { return false }
            options[keyPath: path] = value
            return true
        }
    }

    package var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }
    /// The whole documentation except the name and the default.
    package var words: String { "\(sentence) \(reason.replacing("\n", with: " "))" }
    package var line: String { "\(key): \(read(Options()).yaml)" }

    /// The setting's section of the file.
    var section: String { String(key.prefix { $0 != "." }) }
    /// The setting's name within its section.
    package var name: String { String(key.drop { $0 != "." }.dropFirst()) }
    /// The environment variable that overrides the file, as in `WOODSHED_RENDER_WORKERS`.
    package var variable: String { Self.variablePrefix + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined() }
    /// The flag that overrides all other sources, without its dashes, as in `render-workers`.
    package var flag: String { key.map { $0 == "." || $0 == "_" ? "-" : String($0) }.joined() }

    /// The prefix of all our environment variables.
    static let variablePrefix = "WOODSHED_"
}
