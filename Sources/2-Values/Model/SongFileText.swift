/// The text in a file with words and chords.
public struct SongFileText: Sendable {
    public let text: String
    /// A sentence about an encoding that had to be guessed; `nil` for UTF-8.
    public let remark: String?

    /// Reads UTF-8, UTF-16 and, if the bytes are neither, Windows-1252, of which Latin-1 is a part. Throws for other formats, such as RTF.
    public init(_ bytes: [UInt8]) throws(Trouble) {
        guard !bytes.starts(with: Array("{\\rtf".utf8)) else {
            throw Trouble("it is RTF, not text; save it as plain text from the program that made it")
        }
        guard !bytes.starts(with: Array("%PDF-".utf8)) else {
            throw Trouble("it is a PDF, and a song is drawn from words and chords; the text that the PDF was made from will do")
        }
        guard !bytes.starts(with: [0xFF, 0xFE, 0, 0]), !bytes.starts(with: [0, 0, 0xFE, 0xFF]) else {
            throw Trouble("it is UTF-32, which nothing else reads either; save it as UTF-8")
        }
        if let units = Self.units(bytes), let text = String(validating: units, as: UTF16.self) {
            (self.text, remark) = (text, "The text was read as UTF-16; save it as UTF-8 for other programs.")
            return
        }
        guard !Self.resemblesUTF16(bytes) else {
            throw Trouble("it seems to be UTF-16, but cannot be read as such; save it as UTF-8 from the program that made it")
        }
        guard !bytes.contains(0) else { throw Trouble("it is no text; save its words and chords as plain text") }
        if let text = String(validating: bytes, as: UTF8.self) {
            (self.text, remark) = (text, nil)
            return
        }
        let scalars = bytes.map { byte in
            Unicode.Scalar((0x80...0x9F).contains(byte) ? Self.windows[Int(byte) - 0x80] : UInt16(byte)) ?? "\u{FFFD}"
        }
        text = String(String.UnicodeScalarView(scalars))
        remark = "The text is not in UTF-8 and was read as Windows-1252; if letters are wrong, save it as UTF-8."
    }

    /// The units of a text in UTF-16, which begins with a byte order mark, or has a zero in every second byte of its beginning.
    private static func units(_ bytes: [UInt8]) -> [UInt16]? {
        guard bytes.count >= 4, bytes.count.isMultiple(of: 2) else { return nil }
        let beginning = bytes.prefix(64)
        let zeros = (0...1).map { side in beginning.indices.count { $0 % 2 == side && beginning[$0] == 0 } }
        let half = beginning.count / 2
        let isBig = bytes.starts(with: [0xFE, 0xFF]) || zeros[0] == half && zeros[1] == 0
        guard isBig || bytes.starts(with: [0xFF, 0xFE]) || zeros[1] == half && zeros[0] == 0 else { return nil }
        return stride(from: 0, to: bytes.count, by: 2).map { index in
            let (high, low) = isBig ? (bytes[index], bytes[index + 1]) : (bytes[index + 1], bytes[index])
            return UInt16(high) << 8 | UInt16(low)
        }
    }

    /// Whether the bytes begin like UTF-16, or all their zeros are in every second byte. They may be few, or damaged, or begin with letters
    /// that are rare in European languages, but in another encoding they would be rubbish.
    private static func resemblesUTF16(_ bytes: [UInt8]) -> Bool {
        let zeros = (0...1).map { side in stride(from: side, to: bytes.count, by: 2).count { bytes[$0] == 0 } }
        let hasMark = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
        return hasMark || zeros.contains(0) && zeros[0] + zeros[1] > bytes.count / 8
    }

    /// The characters for the bytes 0x80 to 0x9F in Windows-1252.
    private static let windows: [UInt16] = [
        0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
        0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
    ]
}
