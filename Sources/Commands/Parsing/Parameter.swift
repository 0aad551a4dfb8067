/// A word that a command takes by its place.
struct Parameter: Sendable {
    let name: String
    let help: String
    var type: InputType = .text
    var isOptional = false
    /// Whether it takes all words that are left; only the last one of a command may.
    var isRepeated = false

    init(_ name: String, _ help: String, type: InputType = .text, isOptional: Bool = false, isRepeated: Bool = false) {
        self.name = name
        self.help = help
        self.type = type
        self.isOptional = isOptional
        self.isRepeated = isRepeated
    }

    /// As the usage line shows it.
    var usage: String {
        let word = "<\(name)>" + (isRepeated ? "…" : "")
        return isOptional ? "[\(word)]" : word
    }
}
