/// Names that people see, made from titles that anybody may have typed.
package enum FileName {
    /// A file system allows 255 bytes; the rest is for what a reader adds, as in `.01 Grace.autosave.xopp`.
    package static let limit = 240

    /// `text` as a name without an ending: one line, with nothing that leads elsewhere, hides the file, or changes the reading direction.
    package static func sanitised(_ text: String, limit: Int = limit) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "/" || scalar == "\\": scalars.append("-")
            case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator:
                if let last = scalars.last, last != " " { scalars.append(" ") }
            case _ where scalar.properties.isBidiControl || scalar == "\u{FEFF}": break
            default: scalars.append(scalar)
            }
        }
        let trimmed = String(scalars).drop { $0 == "." || $0 == " " }
        let name = cut(trimmed, to: limit)
        return name.isEmpty ? "untitled" : name
    }

    /// The name for the `number`th of several equal names; the first keeps it as it is.
    package static func numbered(_ name: String, _ number: Int, limit: Int = limit) -> String {
        guard number > 1 else { return name }
        let suffix = " (\(number))"
        return cut(name[...], to: limit - suffix.utf8.count) + suffix
    }

    /// Equal for two names that a disk may take for the same: Swift compares the Unicode forms as equal, this the cases.
    package static func folded(_ name: String) -> String { name.lowercased() }

    private static func cut(_ text: Substring, to limit: Int) -> String {
        var rest = text
        while rest.utf8.count > limit { rest.unicodeScalars.removeLast() }
        while rest.last == "." || rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
