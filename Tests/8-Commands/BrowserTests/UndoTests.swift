import Platform
import TestSupport
import Testing

/// An undone mark disappears visibly and with an announcement, and a new mark belongs to the chart on the screen.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct UndoTests {
    private static let undo = "dispatchEvent(new KeyboardEvent('keydown', { key: 'z', cancelable: true }))"
    private static let spoken = "document.getElementById('spoken').textContent"

    @Test @LoopActor func whatIsUndoneElsewhereIsGoneTo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.wait(for: Desk.isKept)
            try await browser.run("modules['routes.js'].go('/chart/79073902?page=1')")
            try await browser.wait(for: "document.body.dataset.chart === '79073902' && \(Desk.isReady)")
            try await browser.noteCues()
            try await browser.run(Self.undo)
            try await browser.wait(for: "document.body.dataset.chart === '\(chart)' && \(Desk.isReady)")
            #expect(try await browser.ask("return window.cues.some((words) => words.startsWith('Undone on page 1'))"))
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart) == [])
        }
    }

    /// Another part of a song, or a song in no plan, opens at the position of the former chart, so only the chart's id differs.
    @Test @LoopActor func whatIsDrawnIsOnTheChartThatIsSeen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run("modules['routes.js'].go('/chart/79073902?page=1')")
            try await browser.wait(for: "document.body.dataset.chart === '79073902' && \(Desk.isReady)")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.wait(for: Desk.isKept)
            let (here, there) = (try await desk.kept("79073902").count, try await desk.kept(chart).count)
            #expect(here == 1 && there == 0)
        }
    }

    /// A screen reader does not repeat a text that has not changed, so each announcement must differ from the text before it.
    @Test @LoopActor func eachTimeSomethingIsUndoneItIsHeard() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            _ = try await desk.openToDraw()
            for height in [0.3, 0.4, 0.5] { try await desk.draw((0.2, height), (0.8, height)) }
            try await browser.wait(for: Desk.isKept)
            for _ in 1...3 {
                // Other announcements may come between two undone marks, so compare each text with the text just before it.
                let said: [String] = try await browser.ask(
                    "const before = \(Self.spoken); \(Self.undo); return [before, \(Self.spoken)]")
                #expect(said[1].hasPrefix("Undone") && said[0] != said[1], "\(said)")
            }
            // The announcement of the page, which is drawn again without the marks, must not replace the text.
            try await desk.waitUntilDry()
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'a', cancelable: true }))")
            #expect(try await browser.ask("return !\(Self.spoken).startsWith('Page')"))
        }
    }
}
