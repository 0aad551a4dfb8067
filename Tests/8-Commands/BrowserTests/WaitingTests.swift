import Platform
import TestSupport
import Testing

/// Messages of the reading view while something does not arrive, and its limits for smaller browsers.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct WaitingTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// Opens a chart outside any plan, so nothing else is fetched into the browser.
    @LoopActor private func openAlone(_ desk: Desk) async throws {
        let charts = try await desk.charts()
        let long = try #require(charts.first)
        try await desk.visit("/chart/\(long.id)")
        try await desk.browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
    }

    @Test @LoopActor func whoWantsToDrawIsToldThatTheToolsAreMissingAndStaysInTheMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await openAlone(desk)
            try await browser.noteCues()
            desk.stopAgentsHeart()
            try await browser.press(.a)
            try await browser.wait(for: "window.cues.includes('The drawing tools are on their way …')")
            // While the tools are out, P takes the pen. The musician has requested the tools, so the key must not lead to the plan
            // even before they arrive.
            try await browser.press(.p)
            #expect(try await browser.ask("return document.body.dataset.view") == "chart")
            try await browser.wait(for: "\(Browser.lastCue).startsWith('The drawing tools are not here.')")
            try await browser.press(.a)
            let clock = SystemClock()
            let start = clock.now
            try await browser.wait(for: "\(Browser.lastCue).startsWith('The drawing tools are not in this browser')")
            #expect(clock.now - start < .seconds(10))
            try await browser.press(.p)
            #expect(try await browser.ask("return document.body.dataset.view") == "chart")
            // Once the musician has turned a page, the same key leads to the plan.
            try await browser.press(.right)
            try await browser.press(.p)
            try await browser.wait(for: "document.body.dataset.view !== 'chart'")
            desk.letAgentGoOn()
        }
    }

    /// A chart that was opened outside a plan is not stored in the browser, and so would be lost after a reload without the agent.
    @Test @LoopActor func whatWouldBeGoneIsNotToBeReloaded() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await openAlone(desk)
            desk.stopAgentsHeart()
            let banner = "document.getElementById('banner').querySelector('span').textContent"
            try await browser.wait(for: "\(banner).endsWith(' Do not reload this page.')")
            desk.letAgentGoOn()
            _ = try await desk.play()
            try await browser.wait(for: "caches.match('/shelf').then(Boolean)")
            desk.stopAgentsHeart()
            try await browser.wait(for: "\(banner).endsWith(' can be turned.')")
            desk.letAgentGoOn()
        }
    }

    @Test @LoopActor func theToolsComeWithThePlan() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await browser.wait(for: "modules['plan-holder.js'].holder.progress?.isWhole")
            desk.stopAgentsHeart()
            try await browser.press(.a)
            try await browser.wait(for: "document.body.dataset.drawing && document.querySelector('.stage canvas.ink')")
            desk.letAgentGoOn()
        }
    }

    @Test @LoopActor func aTurnThatWaitsSaysWhatIsWrong() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await openAlone(desk)
            try await browser.forgetImages()
            desk.stopAgentsHeart()
            try await browser.press(.end)
            let clock = SystemClock()
            let start = clock.now
            try await browser.wait(
                for: "document.querySelector('.hint').textContent.includes('The page that was turned to is not in this browser.')")
            #expect(clock.now - start < .seconds(10))
            #expect(try await browser.ask("return document.querySelector('.stage canvas.page') !== null"), "the page before stays")
            try await browser.screenshot("awaited")
            desk.letAgentGoOn()
            try await browser.wait(for: "\(Self.isReady) && document.querySelector('.hint').hidden")
        }
    }

    /// Browsers on tablets do not show a canvas that is too large, so an enlarged page has at most 16 million pixels there.
    @Test @LoopActor func anEnlargedPageIsNotTooLargeForATablet() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1024, 1366, scale: 2)
            try await browser.runFirst(
                """
                const real = window.matchMedia;
                window.matchMedia = (query) => (query === "(pointer: coarse)" ? { matches: true } : real.call(window, query));
                """)
            try await openAlone(desk)
            try await browser.press(.a)
            try await browser.wait(for: "document.querySelector('.stage canvas.ink')")
            for _ in 0..<9 { try await browser.press(.plus) }
            let pixels = "[...document.querySelectorAll('.stage canvas')].map(({ width, height }) => width * height)"
            try await browser.wait(for: "\(pixels).every((count) => count > 15_000_000)")
            #expect(try await browser.ask("return Math.max(...\(pixels))") <= 16_000_000)
        }
    }

    @Test @LoopActor func aBrowserThatIsTooOldIsToldSo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.runFirst("delete window.OffscreenCanvas")
            try await desk.visit("/")
            try await browser.wait(for: "document.body?.innerText.includes('this browser is too old for Woodshed’s pages')")
            try await browser.screenshot("too-old")
        }
    }
}
