import CorpusScan
import Glibc
import PageRaster
import Platform

extension CorpusChart {
    private static let photographed = "piano-album"
    private static let pages = [0, 4]

    /// Photographs of two of the demo's pages, written to `folder`: gray and in colour at 300 dpi as JPEG, and in black and white at
    /// 600 dpi as fax data.
    package static func photographs(of demo: [CorpusChart], in folder: String) throws -> [CorpusChart] {
        guard let chart = demo.first(where: { $0.name == photographed }) else { return [] }
        let file = try Descriptor.open(chart.path, O_RDONLY)
        let document = try ChartDocument(descriptor: file.number)
        var (gray, colors) = (ImagePDF(), ImagePDF())
        for (seed, page) in pages.enumerated() {
            let photograph = try PhotographedPage(document, page: page, dpi: 300, seed: UInt64(seed))
            gray.add(photograph, isGray: true)
            colors.add(photograph, isGray: false)
        }
        return try [
            ("photograph-gray-300", gray.finish()), ("photograph-colour-300", colors.finish()),
            ("scan-bilevel-600", Array(UnsafeRawBufferPointer(start: corpus_scan(), count: corpus_scan_size()))),
        ]
        .map { name, bytes in
            let path = "\(folder)/\(name).pdf"
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
            return try CorpusChart(path: path, isPhotograph: true)
        }
    }
}

/// A PDF with one JPEG on each page, as scanners write it.
private struct ImagePDF {
    /// The first two, the catalogue and the list of pages, are known last.
    private var objects: [[UInt8]] = [[], []]
    private var pages: [Int] = []

    /// Adds a page.
    mutating func add(_ page: PhotographedPage, isGray: Bool) {
        let pixels = isGray ? page.gray() : page.colors()
        let jpeg = JPEGEncoder.image(pixels, width: page.width, height: page.height, isGray: isGray)
        let picture = add(
            """
            /Type /XObject /Subtype /Image /Width \(page.width) /Height \(page.height) /BitsPerComponent 8 \
            /ColorSpace /Device\(isGray ? "Gray" : "RGB") /Filter /DCTDecode
            """, stream: jpeg)
        let (width, height) = page.size
        let content = add("", stream: Array("\(width) 0 0 \(height) 0 0 cm /Scan Do".utf8))
        pages.append(
            add(
                """
                /Type /Page /Parent 2 0 R /MediaBox [0 0 \(width) \(height)] \
                /Resources << /XObject << /Scan \(picture) 0 R >> >> /Contents \(content) 0 R
                """))
    }

    /// Adds an object with what is in its dictionary, and returns its number.
    private mutating func add(_ entries: String, stream: [UInt8]? = nil) -> Int {
        let length = stream.map { " /Length \($0.count)" } ?? ""
        objects.append(Array("<< \(entries)\(length) >>\n".utf8))
        if let stream { objects[objects.count - 1] += Array("stream\n".utf8) + stream + Array("\nendstream\n".utf8) }
        return objects.count
    }

    /// The complete file.
    mutating func finish() -> [UInt8] {
        objects[0] = Array("<< /Type /Catalog /Pages 2 0 R >>\n".utf8)
        let kids = pages.map { "\($0) 0 R" }.joined(separator: " ")
        objects[1] = Array("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>\n".utf8)
        var file = Array("%PDF-1.4\n".utf8)
        var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for (number, object) in objects.enumerated() {
            table += String(repeating: "0", count: 10 - String(file.count).count) + "\(file.count) 00000 n \n"
            file += Array("\(number + 1) 0 obj\n".utf8) + object + Array("endobj\n".utf8)
        }
        table += "trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(file.count)\n%%EOF\n"
        return file + Array(table.utf8)
    }
}
