/// A word on the command line whose meaning comes from its position.
package struct Parameter: Sendable {
    package let name: String
    package let help: String
    package var type: InputType = .text
    package var isOptional = false
    /// Whether it takes all remaining words; only a command's last parameter may.
    package var isRepeated = false

    package init(_ name: String, _ help: String, type: InputType = .text, isOptional: Bool = false, isRepeated: Bool = false) {
        self.name = name
        self.help = help
        self.type = type
        self.isOptional = isOptional
        self.isRepeated = isRepeated
    }

    /// As shown in the usage line.
    package var usage: String {
        let word = "<\(name)>" + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }
}
