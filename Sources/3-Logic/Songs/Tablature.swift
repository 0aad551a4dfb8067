/// A line that shows where the fingers go. It is drawn as written, and is the same in every key.
enum Tablature {
    /// A string of a tablature: `E ---3---|---`. Its letter is the name of a string, not a chord.
    case string
    /// How chords are held: `G: 320003`, `D (xx0232)`, `Am x02210  C x32010`. If the names moved, they would stand before the wrong frets.
    case fingering

    init?(_ raw: ArraySlice<Unicode.Scalar>) {
        if Self.isFingering(raw) {
            self = .fingering
        } else if Self.isString(raw) {
            self = .string
        } else {
            return nil
        }
    }

    private static func isString(_ raw: ArraySlice<Unicode.Scalar>) -> Bool {
        guard raw.count(where: { $0 == "-" }) >= 4 else { return false }
        let line = raw.trimmed()
        let name = line.prefix(2).prefix { $0.properties.isAlphabetic || $0 == "#" }
        let signs = line.dropFirst(name.count)
        // `Ooh ------` is sung, a line that begins with # is hidden in ChordPro, and one that ends with a backslash goes on.
        guard signs.contains(where: { $0 == "|" || $0.isDigit }), line.first != "#", line.last != "\\" else { return false }
        return signs.allSatisfy { $0 == "-" || $0 == "|" || $0.isDigit || $0.isBlank || Self.signs.contains($0) }
    }

    private static let signs = Set(":hpbrxXst/\\~^()<>=.*".unicodeScalars)

    private static func isFingering(_ raw: ArraySlice<Unicode.Scalar>) -> Bool {
        guard raw.count <= 200, raw.contains(where: { $0.isDigit }) else { return false }
        var line = raw.trimmed()
        guard line.first != "#", line.last != "\\" else { return false }
        // A word such as `Chords:` may come first.
        if let colon = line.prefix(41).firstIndex(of: ":"), !isName(line[..<colon].trimmed()),
            line[..<colon].allSatisfy({ $0.properties.isAlphabetic || $0.isBlank })
        {
            line = line[(colon + 1)...].trimmed()
        }
        guard line.first.map({ ("A"..."H").contains($0) }) == true else { return false }
        let words = line.split { $0.isBlank || $0 == ":" || $0 == "=" }
        // Four digits after a name may be a year; a sign makes them the frets of a ukulele.
        let hasSign = line.contains { $0 == ":" || $0 == "=" || $0 == "(" }
        var rest = words.filter { $0.count > 1 || $0.first.map { $0.isDigit || $0.properties.isAlphabetic } == true }[...]
        while let name = rest.popFirst() {
            guard isName(name), let held = rest.first else { return false }
            if isHand(held, hasSign: hasSign) {
                rest = rest.dropFirst()
                continue
            }
            guard rest.prefix(while: isFret).count == 6 else { return false }
            rest = rest.dropFirst(6)
        }
        return true
    }

    private static func isName(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        // A star says that a chord is held in this way.
        let name = word.last == "*" ? word.dropLast() : word
        return Chord(name, .english) != nil || Chord(name, .german) != nil
    }

    /// Whether a word has a fret for each string: `x02210`, `(xx0232)`, `10-12-12-11-10-10`. With a sign, hyphens or brackets, there may be
    /// four to seven strings, otherwise only six.
    static func isHand(_ word: ArraySlice<Unicode.Scalar>, hasSign: Bool = false) -> Bool {
        guard (4...24).contains(word.count), word.contains(where: { $0.isDigit }) else { return false }
        let isInside = word.first == "(" && word.last == ")" || word.first == "[" && word.last == "]"
        let inner = isInside ? word.dropFirst().dropLast() : word
        let frets = inner.split(separator: "-", omittingEmptySubsequences: false)
        if frets.count > 1 { return (4...7).contains(frets.count) && frets.allSatisfy(isFret) }
        return (inner.count == 6 || (hasSign || isInside) && (4...7).contains(inner.count)) && inner.allSatisfy(isFret)
    }

    private static func isFret(_ word: ArraySlice<Unicode.Scalar>) -> Bool {
        (1...2).contains(word.count) && (word.count == 1 ? word.allSatisfy(isFret) : word.allSatisfy { $0.isDigit })
    }

    private static func isFret(_ scalar: Unicode.Scalar) -> Bool { scalar.isDigit || ["x", "X", "o", "O"].contains(scalar) }
}

extension Song {
    /// Whether a part of the song that is drawn has strings and frets.
    public var hasTablature: Bool {
        sections.contains { section in
            let kind = section.heading?.kind
            guard section.heading?.isLeftOut != true, kind != "grid", kind != "strum" else { return false }
            return section.lines.contains { line in
                guard case .verbatim(let text) = line else { return false }
                let tablature = Tablature(Array(text.written.unicodeScalars)[...])
                return tablature == .string || kind == "tab" && tablature == nil && text.written.unicodeScalars.contains("-")
            }
        }
    }

    /// Whether the song has tablature that no longer fits its chords, since they have been moved from where they are in `own`.
    public func hasLeftTablature(of own: Song) -> Bool {
        guard hasTablature else { return false }
        return key?.tonic.pitch != own.key?.tonic.pitch || !chords.map(\.root?.pitch).elementsEqual(own.chords.map(\.root?.pitch))
    }

    /// The remark about tablature that stays as it is although the chords have moved.
    public static let leftTablature = "The tablature is the same in every key."
}
