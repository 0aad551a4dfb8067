extension String {
    /// The form in which a search compares names: in lower case, and with Latin letters as typed on a keyboard without accents.
    public var searched: String { utf8.allSatisfy { $0 < 0x80 } ? lowercased() : lowercased().map(\.typed).joined() }
}

extension Character {
    /// A small Latin letter without its accent, whether the accent is part of the letter or a separate code point after it. Other
    /// characters stay as they are.
    fileprivate var typed: String {
        guard !isASCII else { return String(self) }
        if let typed = Self.typed[self] { return typed }
        // The Unicode name has the base letter, as in LATIN SMALL LETTER R WITH CARON. Characters of other scripts stay as they
        // are, since a mark on them may be a vowel.
        guard let name = unicodeScalars.first?.properties.name, name.hasPrefix(Self.latin) else { return String(self) }
        let letter = name.dropFirst(Self.latin.count).prefix { $0 != " " }
        return letter.count == 1 ? letter.lowercased() : String(self)
    }

    private static let latin = "LATIN SMALL LETTER "
    /// Letters whose Unicode names do not show how they are typed.
    private static let typed: [Character: String] = ["ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "♭": "b", "♯": "#"]
}
