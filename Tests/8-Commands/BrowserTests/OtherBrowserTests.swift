import Glibc
import Platform
import TestSupport
import Testing

/// What the viewer calls "in this browser" is there, in every browser, whether the browser caches it or not.
@Suite(
    .onLoop, .browsers, .needs(.browser), .serialized,
    .enabled(if: Browser.isInstalled && !OtherBrowser.installed.isEmpty, OtherBrowser.areMissing))
struct OtherBrowserTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let banner = "document.getElementById('banner')"
    private static let isSilent = "!\(banner).hidden && \(banner).textContent.startsWith('Woodshed’s agent does not answer.')"

    /// Runs a test in which a browser has the next plan, and shows its first page; `stops` are the places that turns lead to, according to
    /// another browser, and `pages` all pages of the plan.
    @LoopActor
    private func use(
        _ make: OtherBrowser.Make, _ test: @LoopActor (Desk, OtherBrowser, _ stops: [Witness.Stop], _ pages: Int) async throws -> Void
    ) async throws {
        try await Desk.use { desk in
            try await desk.browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            let browser = try await OtherBrowser(make)
            do {
                try await browser.resize(900, 1280)
                try await browser.open(try await desk.secretAddress())
                try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
                _ = try await browser.ask("document.querySelector('.plan-card.next a[data-plan]').click(); return true", as: Bool.self)
                try await browser.wait(for: "document.querySelector('.held')?.dataset.whole === 'true'")
                let pages: Int = try await browser.ask(
                    "return Number(/of (\\d+) pages$/.exec(document.querySelector('.held').textContent)[1])")
                _ = try await browser.ask("document.querySelector('.plan-head a.button.strong').click(); return true", as: Bool.self)
                try await browser.wait(for: Self.isReady)
                try await test(desk, browser, stops, pages)
            } catch {
                try? await browser.screenshot(make.rawValue)
                await browser.end()
                throw error
            }
            await browser.end()
        }
    }

    /// Turns to each of these stops; none is a card, and none takes longer than a musician would wait.
    @LoopActor private func turn(_ browser: OtherBrowser, by key: Key, through stops: some Sequence<Witness.Stop>) async throws {
        for stop in stops {
            try await browser.press(key)
            try await browser.wait(
                for: """
                    document.body.dataset.chart === '\(stop.chart)' && document.body.dataset.position === '\(stop.position)' && \(Self.isReady)
                    """)
            #expect(try await browser.ask("return document.querySelector('.stage .card')?.textContent ?? ''") == "")
            #expect(try await browser.ask("return document.querySelectorAll('.stage canvas.page').length > 0"))
        }
    }

    /// Draws a line with the pen, within a second of its key.
    @LoopActor private func draw(_ browser: OtherBrowser) async throws {
        var time = FairTime()
        try await browser.press(.a)
        while try await !browser.holds("document.body.dataset.drawing && document.querySelector('.stage canvas.ink')"),
            time.passed < .seconds(30)
        {
            try await SystemClock().sleep(for: .milliseconds(20))
            time.look()
        }
        #expect(time.passed < .seconds(1))
        try await browser.press(.a)
        try await browser.wait(for: "!document.body.dataset.drawing")
    }

    /// One test, since starting one of these browsers takes longer than the rest.
    @Test(arguments: OtherBrowser.installed) @LoopActor
    func whatIsInThisBrowserIsThereWhateverBecomesOfTheAgent(make: OtherBrowser.Make) async throws {
        try await use(make) { desk, browser, stops, pages in
            try await closeTheFinder(browser)
            try await playWithoutTheAgent(desk, browser, stops)
            try await reloadWithoutTheAgent(desk, browser, stops, pages)
        }
    }

    /// Some browsers reserve Escape for the field.
    @LoopActor private func closeTheFinder(_ browser: OtherBrowser) async throws {
        try await browser.press(.slash)
        try await browser.wait(for: "document.activeElement.matches('dialog[open].finder input')")
        for key in [Key.a, .g] { try await browser.press(key) }
        try await browser.wait(for: "document.activeElement.value === 'ag'")
        try await browser.press(.escape)
        try await browser.wait(for: "!document.querySelector('dialog') && \(Self.isReady)")
    }

    /// From the first page to the last, back, and there again: while the agent hangs, while it is gone, and with a new agent.
    @LoopActor private func playWithoutTheAgent(_ desk: Desk, _ browser: OtherBrowser, _ stops: [Witness.Stop]) async throws {
        desk.stopAgentsHeart()
        try await browser.wait(for: Self.isSilent)
        try await turn(browser, by: .right, through: stops.dropFirst())
        try await draw(browser)
        desk.letAgentGoOn()
        try await browser.wait(for: "\(Self.banner).hidden")
        try await desk.endAgent(by: SIGKILL)
        try await browser.wait(for: Self.isSilent)
        try await turn(browser, by: .left, through: stops.dropLast().reversed())
        try await draw(browser)
        try await desk.beginAgain(untilItAnswers: true)
        try await browser.wait(for: "\(Self.banner).hidden")
        try await turn(browser, by: .right, through: stops.dropFirst())
    }

    /// On the agent's own computer, the page comes again, with its plan and the tools.
    @LoopActor private func reloadWithoutTheAgent(
        _ desk: Desk, _ browser: OtherBrowser, _ stops: [Witness.Stop], _ pages: Int
    ) async throws {
        try await browser.wait(
            for: """
                navigator.serviceWorker.controller && caches.match("/shelf").then((set) => set && caches.open("woodshed-shelf"))
                  .then((cache) => cache?.keys()).then((all) => all?.filter(({ url }) => url.includes("/pages/")).length >= \(pages))
                """)
        // The address follows when no page is being turned.
        let last = try #require(stops.last)
        try await browser.wait(for: "location.href.includes('\(last.chart)') && location.href.endsWith('page=\(last.position + 1)')")
        try await desk.endAgent(by: SIGKILL)
        try await browser.reload()
        try await browser.wait(for: "\(Self.isReady) && \(Self.isSilent)")
        try await turn(browser, by: .left, through: stops.dropLast().reversed())
        try await draw(browser)
        try await desk.beginAgain(untilItAnswers: true)
        try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed was restarted')")
        try await browser.open(try await desk.secretAddress())
        try await browser.wait(for: "document.querySelector('.plan-card.next') && \(Self.banner).hidden")
    }
}
