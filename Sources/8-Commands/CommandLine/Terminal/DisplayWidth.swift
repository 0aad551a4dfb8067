/// How many columns a text takes up on a terminal.
///
/// Works for accents, combining marks, CJK and emoji; scripts with joined letters are left to the terminal.
package enum DisplayWidth {
    /// The columns of a whole text.
    package static func of(_ text: String) -> Int {
        // Most text is ASCII, where each byte takes one column.
        if text.utf8.allSatisfy({ $0 >= 32 && $0 < 127 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The columns of one character with all its combining marks.
    package static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        // A flag, or a symbol explicitly shown as an emoji.
        if scalars.count > 1, scalars.contains(where: { $0.value == 0xFE0F || (0x1F1E6...0x1F1FF).contains($0.value) }) { return 2 }
        return scalars.map(of).max() ?? 0
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return 0
        default: break
        }
        if scalar.value < 0x1100 { return 1 }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Wide and fullwidth characters, from Unicode's EastAsianWidth.txt, with neighbouring blocks merged.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    /// The beginning of a text that fits into `columns`, with an ellipsis if something was cut off.
    package static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        var result = ""
        var width = 1
        for character in text {
            let next = of(character)
            guard width + next <= columns else { break }
            width += next
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }
}
