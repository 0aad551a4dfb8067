extension String {
    /// The text on one line, without anything that could control a terminal, as a title from the network may.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isUnprintable) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { Self.isUnprintable($0) ? " " : $0 }))
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1 control characters, then those that change the direction of writing.
        case 0..<32, 127..<160, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
