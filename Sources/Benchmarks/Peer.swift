import Glibc
import Platform

/// A program that makes PNG images of a PDF's pages.
enum Peer: String, Hashable, Sendable, CaseIterable {
    case pdftocairo
    case pdftoppm
    case mutoolRGB = "mutool_rgb"
    case mutoolGray = "mutool_gray"

    /// The program's file.
    var program: String {
        switch self {
        case .pdftocairo, .pdftoppm: rawValue
        case .mutoolRGB, .mutoolGray: "mutool"
        }
    }

    /// Those that are worth their time on pages of a class.
    static func suited(to kind: PageClass) -> [Peer] {
        switch kind {
        case .engraved: [.pdftocairo, .pdftoppm, .mutoolRGB, .mutoolGray]
        case .grayScan, .bilevelScan: [.pdftocairo, .mutoolGray]
        case .other: [.pdftocairo, .mutoolRGB]
        }
    }

    /// How it draws pages (counted from 1) at the size that ours have, into files below `folder`.
    func arguments(chart: String, pages: ClosedRange<Int>, width: Int, height: Int, folder: String) -> [String] {
        let size = ["-scale-to", "\(max(width, height))", "-f", "\(pages.lowerBound)", "-l", "\(pages.upperBound)"]
        switch self {
        case .pdftocairo, .pdftoppm: return ["-png"] + size + [chart, folder + "/" + rawValue]
        case .mutoolRGB, .mutoolGray:
            let colour = self == .mutoolGray ? "gray" : "rgb"
            let range = "\(pages.lowerBound)-\(pages.upperBound)"
            return ["draw", "-q", "-c", colour, "-w", "\(width)", "-h", "\(height)", "-o", folder + "/\(rawValue)-%d.png", chart, range]
        }
    }
}
