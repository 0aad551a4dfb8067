extension String {
    /// As names are compared when they are searched for: capitals as small letters, and letters as they are typed on a keyboard that does
    /// not have the special ones.
    var searched: String { lowercased().map(\.typed).joined() }
}

extension Character {
    /// Of a Latin letter with an accent the letter, whether the accent is a part of it or a character of its own behind it.
    fileprivate var typed: String {
        if let typed = Self.typed[self] { return typed }
        // The name says what it is made from, as in LATIN SMALL LETTER R WITH CARON. In other scripts a mark may be a vowel.
        guard !isASCII, let name = unicodeScalars.first?.properties.name, name.hasPrefix(Self.latin) else { return String(self) }
        let letter = name.dropFirst(Self.latin.count).prefix { $0 != " " }
        return letter.count == 1 ? letter.lowercased() : String(self)
    }

    private static let latin = "LATIN SMALL LETTER "
    /// What is typed as something that its name does not say.
    private static let typed: [Character: String] = ["ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "♭": "b", "♯": "#"]
}
