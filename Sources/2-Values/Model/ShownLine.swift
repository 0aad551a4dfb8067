extension String {
    /// A text that somebody else chose, fit to show: on one line, of at most so many characters, and without characters that cannot be
    /// seen, control a terminal or turn the direction of a line. Empty if nothing is left of it.
    public func asShownLine(atMost most: Int = 80) -> String {
        var line = String.UnicodeScalarView()
        // Counted along, since a view counts its characters from the start each time.
        var count = 0
        for scalar in unicodeScalars where count < most {
            let properties = scalar.properties
            let isSpace = properties.isWhitespace
            guard isSpace ? line.last.map({ $0 != " " }) ?? false : !properties.isHidden else { continue }
            line.append(isSpace ? " " : scalar)
            count += 1
        }
        if line.last == " " { line.removeLast() }
        return String(line)
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isHidden: Bool {
        isDefaultIgnorableCodePoint || generalCategory == .control || generalCategory == .format
    }
}
