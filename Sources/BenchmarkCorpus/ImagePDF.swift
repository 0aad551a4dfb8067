/// A PDF with one image on each page, as scanners write it.
struct ImagePDF {
    /// An image's data, and what the PDF says about it besides its length.
    struct Image {
        var bytes: [UInt8]
        var entries: String
    }

    private var text: [UInt8] = Array("%PDF-1.4\n".utf8)
    private var offsets: [Int] = [0, 0]
    private var pages: [Int] = []

    /// Adds a page with one image; the size is in points.
    mutating func add(_ image: Image, width: Double, height: Double) {
        let picture = object("<< /Type /XObject /Subtype /Image \(image.entries) /Length \(image.bytes.count) >>", image.bytes)
        let content = "\(width) 0 0 \(height) 0 0 cm /Scan Do"
        let shown = object("<< /Length \(content.utf8.count) >>", Array(content.utf8))
        pages.append(
            object(
                """
                << /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] \
                /Resources << /XObject << /Scan \(picture) 0 R >> >> /Contents \(shown) 0 R >>
                """))
    }

    /// Completes the file.
    mutating func finish() -> [UInt8] {
        begin(1, "<< /Type /Catalog /Pages 2 0 R >>")
        begin(2, "<< /Type /Pages /Kids [\(pages.map { "\($0) 0 R" }.joined(separator: " "))] /Count \(pages.count) >>")
        let table = text.count
        put("xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n")
        for offset in offsets {
            let digits = String(offset)
            put(String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n")
        }
        put("trailer\n<< /Size \(offsets.count + 1) /Root 1 0 R >>\nstartxref\n\(table)\n%%EOF\n")
        return text
    }

    private mutating func object(_ dictionary: String, _ stream: [UInt8]? = nil) -> Int {
        offsets.append(0)
        begin(offsets.count, dictionary, stream)
        return offsets.count
    }

    private mutating func begin(_ number: Int, _ dictionary: String, _ stream: [UInt8]? = nil) {
        offsets[number - 1] = text.count
        put("\(number) 0 obj\n\(dictionary)\n")
        if let stream {
            put("stream\n")
            text += stream
            put("\nendstream\n")
        }
        put("endobj\n")
    }

    private mutating func put(_ string: String) { text += Array(string.utf8) }
}
