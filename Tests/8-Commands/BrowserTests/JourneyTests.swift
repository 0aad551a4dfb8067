import Platform
import TestSupport
import Testing

/// One path through the whole viewer, for the quick set of tests; other suites test the details.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct JourneyTests {
    private static let key = "document.querySelector('.bar-key')"

    @Test @LoopActor func whoIsLetInTurnsDrawsChangesTheKeyAndGoesBack() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            try await browser.run("document.querySelector('.plan-card a[data-plan=\"67820001\"]').click()")
            try await browser.wait(
                for: "[...document.querySelectorAll('ol.items a')].some((link) => link.innerText.includes('Shall We Gather'))")
            try await open("Shall We Gather", browser)

            // Choose another key, and then the plan's key again.
            try await browser.wait(for: "\(Self.key)?.textContent === 'Key D'")
            try await browser.run("\(Self.key).click()")
            try await browser.wait(for: "document.querySelector('.song-keys input')")
            try await browser.run("[...document.querySelectorAll('.song-keys input')].find(({ value }) => value === 'G').click()")
            try await browser.wait(for: "\(Self.key).textContent === 'Key G' && \(Desk.isReady)")
            try await browser.press(.escape)

            // Go to the plan, and turn through its first chart with keys.
            try await browser.press(.p)
            try await browser.wait(for: "document.querySelector('.plan-head a.button.strong')")
            try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.body.dataset.position === '0'")
            let chart: String = try await browser.ask("return document.body.dataset.chart")
            try await desk.choose("spread", "one")
            try await desk.choose("fit", "page")
            try await desk.turn(to: 1)

            // Draw a mark, which the agent must draw into the page's own image, and which must be there after a reload.
            try await desk.takeToolsOut()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100"))
            #expect(try await desk.kept(chart).map(\.kind) == ["pen"])
            let here: String = try await browser.ask("return location.pathname + location.search.replace(/&page=\\d+/, '') + '&page=2'")
            try await browser.press(.left)
            try await browser.wait(for: "document.body.dataset.position === '0' && \(Desk.isReady)")
            try await desk.visit(here)
            try await browser.wait(for: "document.body.dataset.position === '1' && \(Desk.isReady)")
            #expect(try await browser.ask("return \(Desk.redness(0.2, 0.28, 0.8, 0.32)) > 100"))

            try await browser.press(.p)
            try await browser.wait(for: "document.querySelector('ol.items a')")
            try await browser.run("document.querySelector('.trail a').click()")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            // Nearby keys are fetched ahead; another choice may replace their images before the browser requests these.
            try await browser.expectNoComplaints(besides: "410 (Gone)")
        }
    }

    @LoopActor private func open(_ song: String, _ browser: Browser) async throws {
        try await browser.run("[...document.querySelectorAll('ol.items a')].find((link) => link.innerText.includes('\(song)')).click()")
        try await browser.wait(for: Desk.isReady)
    }
}
