package import Model
import Platform

extension Int {
    /// A number with its noun: "1 chart", "3 charts".
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// How many columns a text takes up on a terminal.
///
/// Supports accents, combining marks, CJK and emoji. Scripts with joined letters are left to the terminal.
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
        // A flag, or a symbol explicitly shown as an emoji, is two columns wide.
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

    /// The longest beginning of a text that fits into `columns`, with an ellipsis if the text was cut off. Empty if `columns` is 0.
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

extension String {
    /// The text on one line, with spaces for control characters and changes of writing direction, which a title from the network
    /// may contain.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isUnprintable) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { Self.isUnprintable($0) ? " " : $0 }))
    }

    /// The text with its lines and tabs, but without anything that could control a terminal.
    package var plain: String {
        String(UnicodeScalarView(unicodeScalars.map { Self.isUnprintable($0) && $0 != "\n" && $0 != "\t" ? " " : $0 }))
    }

    /// The text with its lines, tabs and our own styles, but without anything else that could control a terminal.
    var harmless: String {
        guard unicodeScalars.contains(where: { Self.isUnprintable($0) && $0 != "\n" }) else { return self }
        var kept = UnicodeScalarView()
        var rest = unicodeScalars[...]
        while let scalar = rest.first {
            if let style = Style.sequences.first(where: { rest.starts(with: $0.unicodeScalars) }) {
                kept += style.unicodeScalars
                rest = rest.dropFirst(style.unicodeScalars.count)
            } else {
                kept.append(Self.isUnprintable(scalar) && scalar != "\n" && scalar != "\t" ? " " : scalar)
                rest.removeFirst()
            }
        }
        return String(kept)
    }

    /// Escapes the characters in JSON that reverse the writing direction on a terminal. The value stays the same.
    var escapingDirections: String {
        guard unicodeScalars.contains(where: { $0.value > 159 && Self.isUnprintable($0) }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value > 159, Self.isUnprintable(scalar) {
                text += "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1 control characters, then characters that change the writing direction.
        case 0..<32, 127..<160, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// A text wrapped at spaces. A word longer than a line, such as a path, is not split.
package enum WrappedText {
    /// The wrapped lines, or a single one if `width` is nil. The first starts with `first`, the others with as many spaces.
    package static func lines(_ text: String, width: Int?, first: String = "") -> [String] {
        let margin = String(repeating: " ", count: DisplayWidth.of(first))
        guard let width else { return [first + text] }
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, margin.count + DisplayWidth.of(line) + 1 + DisplayWidth.of(String(word)) > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        lines.append(line)
        return lines.enumerated().map { ($0 == 0 ? first : margin) + $1 }
    }
}

/// Times and durations in readable form.
package enum TimeText {
    /// Local time, for example `Sun 22 Nov 10:30 CET`.
    package static func minute(_ time: Timestamp) -> String { LocalTime.minute(nanosecondsSinceEpoch: time.nanoseconds) }

    /// When a plan begins, for example `Sun 22 Nov 10:30 CET`; the day alone if it has no time of day. Nil for a plan without times.
    package static func beginning(of plan: Plan) -> String? {
        plan.mainTime.map { plan.isAllDay ? LocalTime.day(nanosecondsSinceEpoch: $0.nanoseconds) : minute($0) }
    }

    /// How long ago the service last answered in full, or the musician's own folders were last read. Nil stands for never.
    package static func lastAnswer(_ age: Duration?, of source: PlanSource) -> String {
        switch (source, age) {
        case (.service, let age?): "the service last answered in full \(span(age)) ago"
        case (.service, nil): "the service has never answered in full"
        case (.sets, let age?): "your folders were last read \(span(age)) ago"
        case (.sets, nil): "your folders have never been read completely"
        }
    }

    /// The local date: `2026-11-22`.
    package static func date(_ time: Timestamp) -> String { LocalTime.date(nanosecondsSinceEpoch: time.nanoseconds) }

    /// The local time of day: `10:30`.
    package static func clock(_ time: Timestamp) -> String { LocalTime.clock(nanosecondsSinceEpoch: time.nanoseconds) }

    /// A duration in a single unit: `less than a minute`, `5 min`, `3 h`, `2 days`.
    package static func span(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        switch seconds {
        case ..<60: return "less than a minute"
        case ..<(2 * 3600): return "\(seconds / 60) min"
        case ..<(2 * 86400): return "\(seconds / 3600) h"
        default: return "\(seconds / 86400) days"
        }
    }
}
