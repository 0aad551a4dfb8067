import Glibc

/// What a PDF's bytes say about one image in it.
///
/// An image is a stream, and a stream's dictionary is never compressed: the PDF need not be parsed to find it.
package struct EmbeddedImage: Hashable, Sendable {
    package var width: Int
    package var height: Int
    /// Whether every pixel has one of two colours.
    var isBilevel: Bool

    /// Half of the pixels of A4 at 100 dpi: a picture of a page has more, a logo fewer.
    private static let pageSizedPixels = 480_000

    /// Whether it has enough pixels to be a whole page.
    var isPageSized: Bool { width * height >= Self.pageSizedPixels }

    /// All images in a PDF's bytes.
    package static func all(in pdf: [UInt8]) -> [EmbeddedImage] {
        pdf.withUnsafeBytes { bytes in
            var images: [EmbeddedImage] = []
            var start = 0
            while let found = bytes.offset(of: "/Subtype", from: start) {
                start = found + 8
                var value = start
                while value < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[value]) { value += 1 }
                // Not a longer name with the same beginning.
                guard bytes.spells("/Image", at: value), !bytes.isNameCharacter(at: value + 6) else { continue }
                guard let end = bytes.offset(of: "stream", from: value) else { continue }
                let dictionary = UnsafeRawBufferPointer(rebasing: bytes[bytes.start(ofObjectAround: found)..<end])
                if let image = EmbeddedImage(dictionary: dictionary) { images.append(image) }
            }
            return images
        }
    }

    private init?(dictionary: UnsafeRawBufferPointer) {
        guard let width = dictionary.number(after: "/Width"), let height = dictionary.number(after: "/Height"), width > 0, height > 0,
            max(width, height) < 1 << 20
        else { return nil }
        self.width = width
        self.height = height
        let filters = ["/CCITTFaxDecode", "/JBIG2Decode"]
        isBilevel =
            dictionary.number(after: "/BitsPerComponent") == 1 || dictionary.offset(of: "/ImageMask true", from: 0) != nil
            || filters.contains { dictionary.offset(of: $0, from: 0) != nil }
    }

    package init(width: Int, height: Int, isBilevel: Bool) {
        self.width = width
        self.height = height
        self.isBilevel = isBilevel
    }
}

extension UnsafeRawBufferPointer {
    /// The next place where a word occurs.
    fileprivate func offset(of word: String, from start: Int) -> Int? {
        guard let base = baseAddress, let first = word.utf8.first else { return nil }
        var place = start
        while place < count, let found = memchr(base + place, Int32(first), count - place) {
            place = UnsafeRawPointer(found) - base
            if spells(word, at: place) { return place }
            place += 1
        }
        return nil
    }

    /// Whether a word is at this place.
    fileprivate func spells(_ word: String, at start: Int) -> Bool {
        start + word.utf8.count <= count && self[start...].starts(with: word.utf8)
    }

    fileprivate func isNameCharacter(at place: Int) -> Bool {
        guard place < count else { return false }
        return !Array(" \t\r\n\u{0c}\0/<>[](){}%".utf8).contains(self[place])
    }

    /// The place after the last "obj" before `place`, where the object around it begins.
    fileprivate func start(ofObjectAround place: Int) -> Int {
        var start = place
        while start > 0, !spells("obj", at: start - 1) { start -= 1 }
        return start
    }

    /// The number that follows a key in a dictionary.
    fileprivate func number(after key: String) -> Int? {
        guard let found = offset(of: key, from: 0) else { return nil }
        let digits = self[(found + key.utf8.count)...].drop { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d }.prefix { 0x30...0x39 ~= $0 }
        return Int(String(decoding: digits.prefix(9), as: UTF8.self))
    }
}
