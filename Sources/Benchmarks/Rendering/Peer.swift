import BenchmarkCorpus
import Glibc
import Platform

/// A program, or a library used through a scripting language, that makes PNG images of a PDF's pages.
enum Peer: String, Hashable, Sendable, CaseIterable {
    case pdftocairo
    case pdftoppm
    case mutoolRGB = "mutool_rgb"
    case mutoolGray = "mutool_gray"
    /// Through Python, as installed by pip.
    case pdfiumGray = "pdfium_gray"

    /// The program's file.
    var program: String {
        switch self {
        case .pdftocairo, .pdftoppm: rawValue
        case .mutoolRGB, .mutoolGray: "mutool"
        case .pdfiumGray: "python3"
        }
    }

    /// A command that shows whether it is there, if the program's file alone does not; its start does not count as its work.
    var trial: [String]? { self == .pdfiumGray ? ["-c", "import sys, pypdfium2, PIL.Image"] : nil }

    private static let pdfium = """
        import sys, pypdfium2, PIL.Image
        path, first, last, width, target = sys.argv[1:]
        chart = pypdfium2.PdfDocument(path)
        for number in range(int(first), int(last) + 1):
            page = chart[number - 1]
            image = page.render(scale=int(width) / page.get_width(), grayscale=True).to_pil()
            image.save(f"{target}-{number}.png", compress_level=1)
        """

    /// The peers worth measuring on pages of a class.
    static func suited(to kind: PageClass) -> [Peer] {
        switch kind {
        case .engraved: [.pdftocairo, .pdftoppm, .mutoolRGB, .mutoolGray, .pdfiumGray]
        case .grayScan, .colourScan, .bilevelScan: [.pdftocairo, .mutoolGray, .pdfiumGray]
        case .other: [.pdftocairo, .mutoolRGB, .pdfiumGray]
        }
    }

    /// The arguments to draw pages (counted from 1) at the same size as ours, into files in `folder`.
    func arguments(chart: String, pages: ClosedRange<Int>, width: Int, height: Int, folder: String) -> [String] {
        let size = ["-scale-to", "\(max(width, height))", "-f", "\(pages.lowerBound)", "-l", "\(pages.upperBound)"]
        switch self {
        case .pdftocairo, .pdftoppm: return ["-png"] + size + [chart, folder + "/" + rawValue]
        case .mutoolRGB, .mutoolGray:
            let colour = self == .mutoolGray ? "gray" : "rgb"
            let range = "\(pages.lowerBound)-\(pages.upperBound)"
            return ["draw", "-q", "-c", colour, "-w", "\(width)", "-h", "\(height)", "-o", folder + "/\(rawValue)-%d.png", chart, range]
        case .pdfiumGray:
            return ["-c", Self.pdfium, chart, "\(pages.lowerBound)", "\(pages.upperBound)", "\(width)", folder + "/" + rawValue]
        }
    }
}
