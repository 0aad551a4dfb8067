/// The text after a chord's root. Fails unless it consists of chord symbols; otherwise words such as Go, Add and Be would be chords.
struct ChordSuffix {
    let quality: String
    let extensions: String

    init?(_ text: ArraySlice<Unicode.Scalar>) {
        let split = text.startIndex + Self.quality(text)
        guard Self.isMadeOfExtensions(text[split...]) else { return nil }
        (quality, extensions) = (text[..<split].text, text[split...].text)
    }

    private static func scalars(_ words: [String]) -> [[Unicode.Scalar]] { words.map { Array($0.unicodeScalars) } }

    private static let qualities = scalars(["min", "mi", "m", "-", "dim", "aug", "+", "°", "º", "ø", "Ø"])
    private static let majors = scalars(["maj", "ma"])
    /// Signs that are complete without a number. If one sign begins with another, the longer one comes first.
    private static let signs = scalars([
        "maj", "Maj", "ma", "min", "M", "Δ", "∆", "△", "^", "sus", "alt", "dom", "dim", "aug", "°", "ø", "+", "m",
    ])
    /// Signs that modify the number that follows.
    private static let additions = scalars(["add", "omit", "no", "#", "b", "♯", "♭", "+", "-"])
    private static let ordinals = scalars(["rd", "th", "nd"])

    /// The number of scalars at the beginning that state the chord's quality.
    private static func quality(_ text: ArraySlice<Unicode.Scalar>) -> Int {
        guard !majors.contains(where: { text.starts(with: $0) }) else { return 0 }
        // An o or h must be followed by a digit. Otherwise Go and Do would be chords because of the o, and Ah because of the h.
        if text.first == "o" || text.first == "h", text.dropFirst().first?.isDigit == true { return 1 }
        return qualities.first { text.starts(with: $0) }?.count ?? 0
    }

    private static func isMadeOfExtensions(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        var (rest, depth) = (text, 0)
        while let first = rest.first {
            if let number = number(rest) {
                rest = rest.dropFirst(number)
                continue
            }
            if let addition = additions.first(where: { rest.starts(with: $0) }), let number = altered(rest.dropFirst(addition.count)) {
                rest = rest.dropFirst(addition.count + number)
                continue
            }
            if let sign = signs.first(where: { rest.starts(with: $0) }) {
                // A suffix has no m of its own after the quality, except in brackets: m(m7).
                guard sign != ["m"] || depth > 0 else { return false }
                rest = rest.dropFirst(sign.count)
                continue
            }
            switch first {
            case "(": depth += 1
            case ")": depth -= 1
            case ",": guard depth > 0 else { return false }
            case "/": guard rest.dropFirst().first.map({ $0.isDigit || depth > 0 }) == true else { return false }
            default: return false
            }
            guard (0...2).contains(depth) else { return false }
            rest.removeFirst()
        }
        return depth == 0
    }

    /// The number of scalars in a number of at most three digits, with an ending such as "th"; `nil` if the text begins with no
    /// such number.
    private static func number(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
        let digits = text.prefix(4).prefix { $0.isDigit }.count
        guard (1...3).contains(digits) else { return nil }
        let rest = text.dropFirst(digits)
        return digits + (ordinals.first { rest.starts(with: $0) }?.count ?? 0)
    }

    /// The same as `number`, but an accidental may come before the number.
    private static func altered(_ text: ArraySlice<Unicode.Scalar>) -> Int? {
        if let first = text.first, ["#", "b", "♯", "♭"].contains(first) { return number(text.dropFirst()).map { $0 + 1 } }
        return number(text)
    }
}
