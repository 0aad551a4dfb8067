extension String {
    /// The same on one line, without anything that could steer a terminal: a title from the network may contain it.
    package var printable: String {
        guard unicodeScalars.contains(where: Self.isUnprintable) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { Self.isUnprintable($0) ? " " : $0 }))
    }

    private static func isUnprintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // C0 and C1 controls, then what turns the direction of writing around.
        case 0..<32, 127..<160, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
