import CZLib
import Foundation
import TestSupport
import Testing

/// A journal and its chart, to be drawn both by Xournal++ and by us.
struct XournalSample: Sendable, CustomTestStringConvertible {
    let name: String
    let items: String
    var page = (width: 300.0, height: 400.0)
    var chart = chart(width: 300, height: 400)
    /// Whether the journal is an archive that contains the chart.
    var isArchive = false

    var testDescription: String { name }

    init(_ name: String, _ items: String) {
        self.name = name
        self.items = items
    }

    /// The bytes of the journal, for a chart at `path`.
    func bytes(chartAt path: String) -> [UInt8] {
        let background = isArchive ? "domain=\"attach\" filename=\"attachments/bg.pdf\"" : "domain=\"absolute\" filename=\"\(path)\""
        let text = """
            <?xml version="1.0" standalone="no"?>
            <xournal creator="Xournal++ 1.1.3" fileversion="4">
            <page width="\(page.width)" height="\(page.height)"><background type="pdf" \(background) pageno="1"/>
            <layer>
            \(items)
            </layer></page></xournal>
            """
        guard isArchive else { return Packed.gzip(text) }
        return Packed.zip([
            ("mimetype", Array("application/xournal++".utf8)), ("META-INF/version", Array("current=4\nmin=4\n".utf8)),
            ("content.xml", Array(text.utf8)), ("attachments/bg.pdf", chart.bytes),
        ])
    }

    /// A chart with staves, a few black bars and a gray one, to show how marks blend with the ink below them.
    static func chart(width: Double, height: Double, crop: TestPDF.Box? = nil, rotation: Int = 0) -> TestPDF {
        var content = "0 G 0.6 w\n"
        for system in 0..<4 {
            for line in 0..<5 {
                let y = 340 - Double(system) * 85 - Double(line) * 7
                content += "20 \(y) m 280 \(y) l S\n"
            }
        }
        content += "0 g 60 120 6 180 re f 140 60 10 300 re f 0.6 g 220 40 30 330 re f\n"
        var pdf = TestPDF()
        pdf.addPage(width: width, height: height, crop: crop, rotation: rotation, content)
        return pdf
    }

    // MARK: - Pictures

    /// A PNG with a soft pattern, optionally more transparent towards the right.
    static func picture(width: Int, height: Int, isTranslucent: Bool = false) -> String {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width {
                let (across, down) = (Double(x) / Double(width), Double(y) / Double(height))
                rows += [UInt8(255 * across), UInt8(255 * down), UInt8(127 + 127 * sin(12 * across * down))]
                rows.append(isTranslucent ? UInt8(255 * (1 - across)) : 255)
            }
        }
        func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let named = Array(name.utf8) + content
            return big(content.count) + named + big(Int(crc32(0, named, UInt32(named.count))))
        }
        var size = compressBound(UInt(rows.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        compress(&packed, &size, rows, UInt(rows.count))
        let png =
            [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + chunk("IHDR", big(width) + big(height) + [8, 6, 0, 0, 0])
            + chunk("IDAT", Array(packed.prefix(Int(size)))) + chunk("IEND", [])
        return Data(png).base64EncodedString()
    }

    /// A small PDF with curves and colour, like the ones that Xournal++ makes of formulas.
    static let formula: String = {
        var pdf = TestPDF()
        pdf.addPage(width: 60, height: 30, "0 0 0.8 rg 5 5 m 20 28 40 28 55 5 c f 0 G 2 w 5 15 m 55 15 l S 0 g 28 2 4 26 re f")
        return Data(pdf.bytes).base64EncodedString()
    }()

    // MARK: - Lines

    /// The points of a wave.
    static func wave(_ y: Double, from left: Double = 20, to right: Double = 280, height: Double = 15, points: Int = 60) -> String {
        (0..<points).map { index in
            let part = Double(index) / Double(points - 1)
            return String(format: "%.3f %.3f", left + (right - left) * part, y + height * sin(part * 4 * .pi))
        }.joined(separator: " ")
    }

    static func stroke(_ tool: String, _ color: String, _ width: String, _ points: String, _ more: String = "") -> String {
        "<stroke tool=\"\(tool)\" color=\"\(color)\" width=\"\(width)\" \(more)>\(points)</stroke>"
    }

    /// The nominal width, followed by a width for each of `points` except the last.
    static func pressure(_ nominal: Double, points: Int = 60) -> String {
        let widths = (0..<points - 1).map { nominal * (0.4 + 0.6 * abs(sin(Double($0) / 7))) }
        return ([nominal] + widths).map { String(format: "%.3f", $0) }.joined(separator: " ")
    }

    static func text(_ font: String, _ size: Double, _ x: Double, _ y: Double, _ text: String, color: String = "#000000ff") -> String {
        "<text font=\"\(font)\" size=\"\(size)\" x=\"\(x)\" y=\"\(y)\" color=\"\(color)\">\(text)</text>"
    }

    static func box(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> String {
        "left=\"\(left)\" top=\"\(top)\" right=\"\(right)\" bottom=\"\(bottom)\""
    }
}
