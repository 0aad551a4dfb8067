import Glibc
import Platform
import TestSupport
import Testing

/// Pages that the viewer calls "in this browser" are available in every browser, whether or not its cache keeps them.
@Suite(
    .onLoop, .browsers, .needs(.browser), .serialized,
    .enabled(if: Browser.isInstalled && !OtherBrowser.installed.isEmpty, OtherBrowser.areMissing))
struct OtherBrowserTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let banner = "document.getElementById('banner')"
    private static let isSilent = "!\(banner).hidden && \(banner).textContent.startsWith('Woodshed’s agent does not answer.')"

    /// Runs a test in a browser that has loaded the next plan and shows its first page. `stops` are the places to which turns
    /// lead, as Chromium finds them, and `pages` is the number of the plan's pages.
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

    /// Turns to each of these stops, and expects a page at each, not a card.
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

    /// Takes the pen by its key, and expects the tools within a second.
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

    /// All parts are in one test, since starting one of these browsers takes longer than all parts together.
    @Test(arguments: OtherBrowser.installed) @LoopActor
    func whatIsInThisBrowserIsThereWhateverBecomesOfTheAgent(make: OtherBrowser.Make) async throws {
        try await use(make) { desk, browser, stops, pages in
            try await closeTheFinder(browser)
            try await playWithoutTheAgent(desk, browser, stops)
            try await reloadWithoutTheAgent(desk, browser, stops, pages)
        }
    }

    /// Types in the finder and closes it with Escape, a key that the text field itself uses in some browsers.
    @LoopActor private func closeTheFinder(_ browser: OtherBrowser) async throws {
        try await browser.press(.slash)
        try await browser.wait(for: "document.activeElement.matches('dialog[open].finder input')")
        for key in [Key.a, .g] { try await browser.press(key) }
        try await browser.wait(for: "document.activeElement.value === 'ag'")
        try await browser.press(.escape)
        try await browser.wait(for: "!document.querySelector('dialog') && \(Self.isReady)")
    }

    /// Turns from the first page to the last, back, and to the last again: with an agent that hangs, without one, and with a new one.
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

    /// On the agent's own computer, a reload brings back the page, the plan and the tools.
    @LoopActor private func reloadWithoutTheAgent(
        _ desk: Desk, _ browser: OtherBrowser, _ stops: [Witness.Stop], _ pages: Int
    ) async throws {
        try await browser.wait(
            for: """
                navigator.serviceWorker.controller && caches.match("/shelf").then((set) => set && caches.open("woodshed-shelf"))
                  .then((cache) => cache?.keys()).then((all) => all?.filter(({ url }) => url.includes("/pages/")).length >= \(pages))
                """)
        // The page's address is updated only after the turn.
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
