extension Unicode.Scalar {
    /// Whether the scalar is white space, or the invisible byte order mark that some editors write before a text.
    var isBlank: Bool { value == 0x20 || value == 0x09 || value > 0x7F && (properties.isWhitespace || value == 0xFEFF) }
    var isDigit: Bool { (48...57).contains(value) }
    var isASCIILetterOrDigit: Bool { isDigit || (65...90).contains(value) || (97...122).contains(value) }
    /// Converts only ASCII letters. The Kelvin sign does not become a k, and the long s stays as it is.
    var loweredASCII: Unicode.Scalar { (65...90).contains(value) ? Unicode.Scalar(UInt8(value + 32)) : self }
    var uppedASCII: Unicode.Scalar { (97...122).contains(value) ? Unicode.Scalar(UInt8(value - 32)) : self }
}

extension Collection<Unicode.Scalar> {
    /// The scalars without blanks at both ends.
    func trimmed() -> ArraySlice<Unicode.Scalar> {
        let all = Array(self)
        guard let first = all.firstIndex(where: { !$0.isBlank }), let last = all.lastIndex(where: { !$0.isBlank }) else { return [] }
        return all[first...last]
    }

    var text: String { String(String.UnicodeScalarView(self)) }

    /// Whether both texts are equal, apart from capitals in this one. `other` must have no capitals.
    func isFolded(_ other: String) -> Bool { lazy.map(\.loweredASCII).elementsEqual(other.unicodeScalars) }
}

extension ArraySlice<Unicode.Scalar> {
    /// The scalars without blanks at both ends. Nothing is copied.
    func trimmed() -> Self {
        guard let first = firstIndex(where: { !$0.isBlank }), let last = lastIndex(where: { !$0.isBlank }) else { return prefix(0) }
        return self[first...last]
    }
}

extension BidirectionalCollection<Unicode.Scalar> {
    func ends(with ending: [Unicode.Scalar]) -> Bool { reversed().starts(with: ending.reversed()) }
}

extension String {
    /// The lines without their line breaks, including the soft line breaks that other programs paste. A line break at the end of the text
    /// does not begin another line.
    func songLines() -> [ArraySlice<Unicode.Scalar>] {
        let all = Array(unicodeScalars)
        var lines: [ArraySlice<Unicode.Scalar>] = []
        var start = all.first?.value == 0xFEFF ? 1 : 0
        var place = start
        while place < all.count {
            switch all[place].value {
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029:
                lines.append(all[start..<place])
                if all[place] == "\r", place + 1 < all.count, all[place + 1] == "\n" { place += 1 }
                start = place + 1
            default: break
            }
            place += 1
        }
        if start < all.count { lines.append(all[start...]) }
        return lines
    }
}
