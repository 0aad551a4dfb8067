import Platform
import TestSupport
import Testing

/// Grey paper of scans and photographs is shown white, up to its edges.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ScannedPaperTests {
    /// Staves on paper that a scanner made grey.
    private static var scan: [UInt8] {
        var lines = ["0.8 g 0 0 595 842 re f 0.1 g"]
        for staff in 0..<9 { for line in 0..<5 { lines.append("45 \(750 - 85 * staff - 6 * line) 505 0.8 re f") } }
        var pdf = TestPDF()
        pdf.addPage(lines.joined(separator: "\n"))
        return pdf.bytes
    }

    /// The lowest lightness of the paper, at the edge of the page and in its middle, where there is no ink.
    private static let light = """
        (() => {
          const canvas = document.querySelector(".stage > .sheet canvas.page");
          const { width, height } = canvas;
          const context = new OffscreenCanvas(width, height).getContext("2d");
          context.drawImage(canvas, 0, 0);
          const least = (x, y, w, h) => context.getImageData(x, y, w, h).data.reduce((found, value) => Math.min(found, value), 255);
          const edge = Math.ceil(width / 20);
          return {
            edges: Math.min(least(0, 0, width, edge), least(0, height - edge, width, edge), least(0, 0, edge, height), least(width - edge, 0, edge, height)),
            ink: least(0, 0, width, height),
          };
        })()
        """

    private struct Light: Decodable {
        var edges: Int
        var ink: Int
    }

    @Test @LoopActor func greyPaperIsWhiteToItsEdges() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.put(Self.scan)
            try await desk.openChart(chart)
            try await desk.choose("margins", "printed")
            try await desk.choose("fit", "page")
            try await browser.wait(for: "document.querySelector('.stage > .sheet canvas.page').width > 800")
            let light: Light = try await browser.ask("return \(Self.light)")
            try await browser.screenshot("scanned-paper")
            #expect(light.edges >= 250 && light.ink < 60, "\(light)")
        }
    }
}
