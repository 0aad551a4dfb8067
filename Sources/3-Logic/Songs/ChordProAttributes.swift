/// The attributes of a directive, as in `label="Intro" shape="4x4"`.
struct ChordProAttributes {
    private var values: [String: String] = [:]

    /// Fails unless the whole text consists of attributes. The first one must have a value; later ones may be a name alone.
    init?(_ text: String) {
        guard text.utf8.count <= 1000 else { return nil }
        var rest = Array(text.unicodeScalars).trimmed()
        while !rest.isEmpty {
            let name = rest.prefix { $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || $0 == "-") }
            rest = rest.dropFirst(name.count)
            guard !name.isEmpty, name.count <= 40 else { return nil }
            guard rest.first == "=" else {
                guard !values.isEmpty, rest.first?.isBlank ?? true else { return nil }
                rest = rest.trimmed()
                continue
            }
            rest = rest.dropFirst()
            let quote = rest.first.flatMap { $0 == "\"" || $0 == "'" ? $0 : nil }
            if quote != nil { rest = rest.dropFirst() }
            let value = rest.prefix { quote == nil ? !$0.isBlank : $0 != quote }
            rest = rest.dropFirst(value.count)
            if let quote {
                guard rest.first == quote else { return nil }
                rest = rest.dropFirst()
            }
            values[name.map(\.loweredASCII).text] = value.text
            rest = rest.trimmed()
        }
        guard !values.isEmpty else { return nil }
    }

    subscript(_ name: String) -> String? { values[name] }
}

/// Tags for colours, fonts and sizes, as ChordPro has them from Pango. Such a tag is not shown, and changes nothing; tags for bold, italic
/// and underlined words are a `StyleTag`.
enum Markup {
    private static let names: Set<String> = [
        "span", "s", "sup", "sub", "small", "big", "tt", "strut", "img", "sym", "markup", "b", "i", "u", "em", "strong",
    ]

    /// The index after the tag that begins at `place`; `nil` if none does.
    static func end(_ raw: ArraySlice<Unicode.Scalar>, at place: Int) -> Int? {
        guard place < raw.endIndex, raw[place] == "<" else { return nil }
        let start = raw[(place + 1)...].first == "/" ? place + 2 : place + 1
        let name = raw[min(start, raw.endIndex)...].prefix(8).prefix { $0.isASCII && $0.properties.isAlphabetic }
        guard names.contains(name.map(\.loweredASCII).text) else { return nil }
        let rest = raw[name.endIndex...].prefix(400).prefix { $0 != "<" && $0 != ">" }
        guard rest.endIndex < raw.endIndex, raw[rest.endIndex] == ">" else { return nil }
        guard rest.first.map({ $0.isBlank || $0 == "/" }) ?? true else { return nil }
        return rest.endIndex + 1
    }
}
