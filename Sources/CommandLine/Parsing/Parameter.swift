/// A word that a command takes by its place.
package struct Parameter: Sendable {
    package let name: String
    package let help: String
    package var type: InputType = .text
    package var isOptional = false
    /// Whether it takes all words that are left; only the last one of a command may.
    package var isRepeated = false

    package init(_ name: String, _ help: String, type: InputType = .text, isOptional: Bool = false, isRepeated: Bool = false) {
        self.name = name
        self.help = help
        self.type = type
        self.isOptional = isOptional
        self.isRepeated = isRepeated
    }

    /// As the usage line shows it.
    package var usage: String {
        let word = "<\(name)>" + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }
}
