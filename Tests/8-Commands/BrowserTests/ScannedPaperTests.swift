import Glibc
import Platform
import TestSupport
import Testing

/// Scans and photographs: grey paper is shown white, up to its edges, and pages that lie askew are shown straight.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ScannedPaperTests {
    /// Staves on paper that a scanner made grey, and which lay askew: its lines fall towards the right by this angle.
    private static func scan(askew: Double = 0) -> [UInt8] {
        let (across, down, middle) = (cos(askew), sin(askew), (x: 297.5, y: 421.0))
        let place = (x: middle.x - across * middle.x - down * middle.y, y: middle.y + down * middle.x - across * middle.y)
        var lines = ["0.8 g 0 0 595 842 re f 0.1 g", "\(across) \(-down) \(down) \(across) \(place.x) \(place.y) cm"]
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
            let chart = try await desk.put(Self.scan())
            try await desk.openChart(chart)
            try await desk.choose("margins", "printed")
            try await desk.choose("fit", "page")
            try await browser.wait(for: "document.querySelector('.stage > .sheet canvas.page').width > 800")
            let light: Light = try await browser.ask("return \(Self.light)")
            try await browser.screenshot("scanned-paper")
            #expect(light.edges >= 250 && light.ink < 60, "\(light)")
        }
    }

    /// The angle by which the page on the stage is turned.
    private static let angle = """
        (({ a, b }) => Math.atan2(b, a))(new DOMMatrix(getComputedStyle(document.querySelector(".stage > .sheet:last-child canvas.page")).transform))
        """

    /// The page is turned on the screen only: a mark is kept where the hand was on the page as it lies in its file.
    @Test @LoopActor func aPageThatLiesAskewIsShownStraightAndMarkedWhereTheHandIs() async throws {
        try await Desk.use(fullSize: 1200) { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.openToDraw(try await desk.put(Self.scan(askew: 0.02)))
            try await browser.wait(for: "Math.abs(\(Self.angle) + 0.02) < 0.002 && \(Desk.isReady)")
            // The browser's own word for the place of an event on the element under it.
            try await browser.run(
                """
                addEventListener("pointerdown", ({ target, offsetX, offsetY }) => {
                  window.meant = [offsetX / target.offsetWidth, offsetY / target.offsetHeight];
                }, { capture: true });
                """)
            try await desk.draw((0.8, 0.1), (0.3, 0.2))
            try await browser.wait(for: Desk.isKept)
            let meant: [Double] = try await browser.ask("return window.meant")
            let mark = try #require(try await desk.kept(chart).last?.points.first)
            #expect(abs(mark[0] - meant[0]) < 0.002 && abs(mark[1] - meant[1]) < 0.002, "\(mark) \(meant)")
            #expect(abs(mark[0] - 0.8) > 0.004, "the place on the screen would be another: \(mark)")
            try await browser.screenshot("askew")
            try await desk.waitUntilDry()
            try await browser.run("modules['settings.js'].settings.put('scans', '\(chart)', 'keep')")
            try await browser.wait(for: "\(Self.angle) === 0 && \(Desk.isReady)")
            try await browser.screenshot("askew-as-scanned")
        }
    }
}
