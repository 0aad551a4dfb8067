/// A piece of a YAML document, with the place where it begins.
struct YAMLNode: Sendable {
    indirect enum Content: Sendable {
        /// A text; `isPlain` if it is without quotes.
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        /// In the order of the file; the same key may occur twice.
        case map([(key: YAMLNode, value: YAMLNode)])
    }

    let content: Content
    /// Counted from 1.
    let line: Int
    /// Counted from 1, in characters.
    let column: Int

    /// Whether there is no value, or a word that means none.
    var isEmpty: Bool {
        guard case .scalar(let text, isPlain: true) = content else { return false }
        return ["", "~", "null"].contains(text)
    }

    /// The text of a scalar.
    var text: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }
}
