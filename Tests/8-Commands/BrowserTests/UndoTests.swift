import Platform
import TestSupport
import Testing

/// What is taken back is seen and heard, and what is drawn is where it is seen.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct UndoTests {
    /// Another part of a song, or another song that no plan has, begins where the former one was.
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
}
