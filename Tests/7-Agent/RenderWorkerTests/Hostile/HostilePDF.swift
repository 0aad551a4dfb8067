import TestSupport

/// Files that use up time or memory, each in another way.
enum HostilePDF {
    /// A page covered with a pattern whose cells are each as much work as a page.
    static var tiling: TestPDF {
        var pdf = TestPDF()
        let content = scribble(5000)
        let pattern = pdf.add(
            stream(
                content,
                "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 0.01 /YStep 0.01 /Resources << >>"))
        pdf.addPage(
            resources: "/Pattern << /P \(pattern) 0 R >>", "/Pattern cs /P scn 0 0 595 842 re f " + String(repeating: "f ", count: 10))
        return pdf
    }

    /// A tree of pages that branches ten times at each of twelve levels, and has no page at its ends.
    static var barrenTree: [UInt8] {
        var objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
        for level in 0..<12 {
            let kids = String(repeating: "\(level + 3) 0 R ", count: 10)
            objects.append("<< /Type /Pages /Kids [\(kids)] /Count 100 >>")
        }
        objects.append("<< /Type /Pages /Kids [] /Count 1 >>")
        // Without a table the file is searched for its objects.
        let body = objects.enumerated().map { "\($0 + 1) 0 obj\n\($1)\nendobj\n" }.joined()
        return Array("%PDF-1.4\n\(body)trailer\n<< /Root 1 0 R /Size 99 >>\n%%EOF\n".utf8)
    }

    /// A font whose file unpacks to a gigabyte and a half of zeros.
    static var fontBomb: TestPDF {
        var pdf = TestPDF()
        let file = pdf.add(stream(zeros(megabytes: 1536), "/Filter [/ASCIIHexDecode /FlateDecode] /Length1 1000000000"))
        let descriptor = pdf.add(
            """
            << /Type /FontDescriptor /FontName /Bomb /Flags 4 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 \
            /CapHeight 700 /StemV 80 /FontFile2 \(file) 0 R >>
            """)
        let font = pdf.add(
            """
            << /Type /Font /Subtype /TrueType /BaseFont /Bomb /FirstChar 65 /LastChar 65 /Widths [500] /FontDescriptor \(descriptor) 0 R >>
            """)
        pdf.addPage(resources: "/Font << /F \(font) 0 R >>", "BT /F 60 Tf 50 400 Td (A) Tj ET")
        return pdf
    }

    /// A picture of 900 million pixels.
    static var hugePicture: TestPDF {
        var pdf = TestPDF()
        let image = pdf.add(
            stream(
                zeros(megabytes: 100),
                """
                /Type /XObject /Subtype /Image /Width 30000 /Height 30000 /ColorSpace /DeviceRGB /BitsPerComponent 8 \
                /Filter [/ASCIIHexDecode /FlateDecode]
                """))
        pdf.addPage(resources: "/XObject << /I \(image) 0 R >>", "500 0 0 700 50 50 cm /I Do")
        return pdf
    }

    /// `count` curves over each other.
    static func scribble(_ count: Int) -> String { String(repeating: "0 0 m 5 9 9 5 1 1 c S\n", count: count) }

    static func stream(_ content: String, _ entries: String) -> String {
        "<< \(entries) /Length \(content.utf8.count) >>\nstream\n\(content)\nendstream"
    }

    /// Megabytes of zeros, compressed by hand and written in hexadecimal digits: one literal, and copies of 258 bytes in 13 bits each.
    static func zeros(megabytes: Int) -> String {
        var bits: [UInt8] = [1, 1, 0] + [0, 0, 1, 1, 0, 0, 0, 0]
        let copy: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        // Eight copies are 13 bytes, after which the bytes repeat.
        for _ in 0..<17 { bits += copy }
        let bytes = (0..<bits.count / 8).map { place in (0..<8).reduce(0) { $0 | Int(bits[place * 8 + $1]) << $1 } }
        func hex(_ bytes: some Sequence<Int>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return "7801" + hex(bytes[..<2]) + String(repeating: hex(bytes[2..<15]), count: megabytes << 20 / (8 * 258)) + ">"
    }
}
