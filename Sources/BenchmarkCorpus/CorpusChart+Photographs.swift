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
        var (gray, colors, bilevel) = (ImagePDF(), ImagePDF(), ImagePDF())
        for (seed, page) in pages.enumerated() {
            let photograph = try PhotographedPage(document, page: page, dpi: 300, seed: UInt64(seed))
            gray.add(jpeg(photograph.gray(), photograph, isGray: true), width: photograph.size.width, height: photograph.size.height)
            colors.add(jpeg(photograph.colors(), photograph, isGray: false), width: photograph.size.width, height: photograph.size.height)
            let scan = try PhotographedPage(document, page: page, dpi: 600, seed: UInt64(seed))
            bilevel.add(fax(scan), width: scan.size.width, height: scan.size.height)
        }
        return try [
            ("photograph-gray-300", gray.finish()), ("photograph-colour-300", colors.finish()), ("scan-bilevel-600", bilevel.finish()),
        ]
        .map { name, bytes in
            let path = "\(folder)/\(name).pdf"
            try bytes.withUnsafeBytes { try AtomicFile.write($0, to: path, durability: .none) }
            return try CorpusChart(path: path, isPhotograph: true)
        }
    }

    private static func jpeg(_ pixels: [UInt8], _ page: PhotographedPage, isGray: Bool) -> ImagePDF.Image {
        ImagePDF.Image(
            bytes: JPEGEncoder.image(pixels, width: page.width, height: page.height, isGray: isGray),
            entries: """
                /Width \(page.width) /Height \(page.height) /BitsPerComponent 8 /ColorSpace /Device\(isGray ? "Gray" : "RGB") \
                /Filter /DCTDecode
                """)
    }

    private static func fax(_ page: PhotographedPage) -> ImagePDF.Image {
        var encoder = FaxEncoder(width: page.width)
        page.bilevel { encoder.append($0) }
        return ImagePDF.Image(
            bytes: encoder.finish(),
            entries: """
                /Width \(page.width) /Height \(page.height) /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode \
                /DecodeParms << /K -1 /Columns \(page.width) /Rows \(page.height) >>
                """)
    }
}
