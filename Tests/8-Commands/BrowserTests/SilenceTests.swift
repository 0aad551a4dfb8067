import Glibc
import Platform
import TestSupport
import Testing

/// If the agent hangs or is gone, each view reports this in time and can still be shown, and everything works again once the agent
/// is back.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SilenceTests {
    /// The limit (ms) for the return to normal: a second after the agent's answer, which a busy machine may delay.
    private static let soon = 2000.0
    private static let banner = "document.getElementById('banner')"
    private static let isSaid = "!\(banner).hidden && \(banner).textContent.startsWith('Woodshed’s agent does not answer')"

    /// The time (ms) until a condition is true in the page. On a busy machine, only the time in which it could run this test counts.
    @LoopActor private func time(_ browser: Browser, until condition: String, _ act: @LoopActor () async throws -> Void) async throws
        -> Double
    {
        try await browser.run(
            """
            window.began = performance.now();
            window.took = null;
            const check = () => {
              if (\(condition)) window.took = performance.now() - window.began;
              else setTimeout(check, 20);
            };
            check();
            """)
        var time = FairTime()
        try await act()
        while try await !browser.ask("return window.took !== null") {
            time.look()
            try #require(time.passed < .seconds(30), "it does not come")
            try await SystemClock().sleep(for: .milliseconds(20))
        }
        time.look()
        return min(try await browser.ask("return window.took"), time.passed.inSeconds * 1000)
    }

    @LoopActor private func go(_ browser: Browser, to path: String) async throws {
        try await browser.run("history.pushState({}, '', '\(path)'); dispatchEvent(new Event('woodshed:route'))")
    }

    /// The address of each view and a condition for its display: the list of plans, the next plan, and its first chart.
    @LoopActor private func views(_ desk: Desk) async throws -> [(path: String, isShown: String)] {
        try await desk.browser.resize(1366, 768)
        _ = try await desk.play()
        let chart: String = try await desk.browser.ask("return location.pathname + location.search")
        let plan: String = try await desk.browser.ask("return '/plan/' + new URLSearchParams(location.search).get('plan')")
        return [
            ("/", "document.querySelectorAll('.plan-card').length > 1"), (plan, "document.querySelector('ol.items')"),
            (chart, Desk.isReady),
        ]
    }

    /// Whether the view is on the screen. A chart need not be ready: without the agent, its sharper or newer image cannot come.
    private static func isSeen(_ path: String, _ isShown: String) -> String {
        path.hasPrefix("/chart/")
            ? "document.body.dataset.view === 'chart' && document.querySelector('.stage .sheet canvas.page')" : isShown
    }

    /// Whether the agent ends by itself or is killed, the view stays, and missed changes are shown later.
    @Test(arguments: Asked.some(of: [SIGKILL, SIGTERM])) @LoopActor func anAgentThatIsGoneIsSaidInEveryView(signal: Int32) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            var times: [String] = []
            for (path, isShown) in try await views(desk) {
                try await go(browser, to: path)
                try await browser.wait(for: isShown)
                let said = try await time(browser, until: Self.isSaid) { try await desk.endAgent(by: signal) }
                #expect(said < 4000, "\(path)")
                #expect(try await browser.ask("return Boolean(\(Self.isSeen(path, isShown)))"), "\(path): what was shown stays")
                try await desk.beginAgain(untilItAnswers: true)
                let back = try await time(browser, until: "\(Self.banner).hidden && \(isShown)") {}
                #expect(back < Self.soon, "\(path): it is back")
                times.append("\(path): said after \(Int(said)) ms, back after \(Int(back)) ms")
                // The new agent must accept the page's reports; on a busy machine it may count as silent once more.
                let reaches = "modules['api.js'].api.sync().then(() => 'yes', ({ status, message }) => (status === 0 ? null : message))"
                try await browser.wait(for: "\(reaches).then((words) => { window.words = words; return words !== null; })")
                #expect(try await browser.ask("return window.words") == "yes", "\(path)")
            }
            Attachment.record(times.joined(separator: "\n"), named: "gone-\(signal).txt")
        }
    }

    enum Silence: CaseIterable {
        case ofTheAgent, ofTheNetwork

        @LoopActor func begin(_ desk: Desk) async throws {
            switch self {
            case .ofTheAgent: desk.stopAgentsHeart()
            case .ofTheNetwork: try await desk.browser.setOffline(true)
            }
        }

        @LoopActor func end(_ desk: Desk) async throws {
            switch self {
            case .ofTheAgent: desk.letAgentGoOn()
            case .ofTheNetwork: try await desk.browser.setOffline(false)
            }
        }
    }

    @Test(arguments: Asked.some(of: Silence.allCases)) @LoopActor func silenceIsSaidInEveryView(_ silence: Silence) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let views = try await views(desk)
            var times: [String] = []
            for (path, isShown) in views {
                try await go(browser, to: path)
                try await browser.wait(for: isShown)
                let said = try await time(browser, until: Self.isSaid) { try await silence.begin(desk) }
                #expect(said < 4000, "\(path): nobody did anything")
                try await browser.screenshot("silent-\(path == "/" ? "plans" : path.hasPrefix("/plan/") ? "plan" : "chart")")
                // Views that were shown before appear without delay.
                for (other, isOther) in views.filter({ $0.path != path }) {
                    try await go(browser, to: other)
                    #expect(try await time(browser, until: isOther) {} < Self.soon, "\(path) to \(other)")
                }
                try await go(browser, to: path)
                try await browser.wait(for: isShown)
                let back = try await time(browser, until: "\(Self.banner).hidden && \(isShown)") { try await silence.end(desk) }
                #expect(back < Self.soon, "\(path): it is back")
                times.append("\(path): said after \(Int(said)) ms, back after \(Int(back)) ms")
            }
            Attachment.record(times.joined(separator: "\n"), named: "silence-\(silence).txt")
        }
    }

    /// A hidden page gets no sentence until somebody looks at it again.
    @Test(arguments: [true, false]) @LoopActor func itIsSaidToWhoComesBackToAPage(knewIt: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            if knewIt {
                desk.stopAgentsHeart()
                try await browser.wait(for: Self.isSaid)
            }
            try await browser.run("dispatchEvent(new Event('pagehide'))")
            #expect(try await browser.ask("return \(Self.banner).hidden"))
            desk.stopAgentsHeart()
            let said = try await time(browser, until: Self.isSaid) { try await browser.run("dispatchEvent(new Event('pageshow'))") }
            #expect(said < 4000)
            let back = try await time(browser, until: "\(Self.banner).hidden") { desk.letAgentGoOn() }
            #expect(back < Self.soon)
            Attachment.record("said after \(Int(said)) ms, back after \(Int(back)) ms", named: "come-back-\(knewIt).txt")
        }
    }

    /// A browser that opened a plan directly also stores the list of all plans.
    @Test @LoopActor func theListOfPlansIsThereThoughItWasNotShownBefore() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let plan: String = try await browser.ask(
                "return fetch('/api/state').then((reply) => reply.json()).then(({ plans }) => '/plan/' + plans[0].id)")
            try await desk.visit(plan)
            try await browser.wait(for: "document.querySelector('ol.items')")
            try await browser.wait(for: "performance.getEntriesByName(location.origin + '/api/state').length > 0")
            try await desk.endAgent()
            try await browser.wait(for: Self.isSaid)
            try await browser.run("document.querySelector('.trail a').click()")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            try await browser.run("document.querySelector('.plan-card.next a[data-plan]').click()")
            try await browser.wait(for: "document.querySelector('ol.items')")
        }
    }

    /// Each turn reports its place to the agent and aborts the previous report, so no report of a quick musician ever fails by itself.
    @Test @LoopActor func itIsSaidToWhoTurnsAllTheTime() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await browser.wait(for: "modules['plan-holder.js'].holder.progress?.isWhole")
            try await browser.run(
                """
                const turn = (key) => dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                let number = 0;
                window.turning = setInterval(() => turn(number++ % 2 ? "ArrowLeft" : "ArrowRight"), 300);
                """)
            #expect(try await time(browser, until: Self.isSaid) { desk.stopAgentsHeart() } < 4000)
            #expect(try await time(browser, until: "\(Self.banner).hidden") { desk.letAgentGoOn() } < Self.soon)
            try await browser.run("clearInterval(window.turning)")
        }
    }

    /// A view that was never loaded reports the silent agent before long, and appears once the agent answers.
    @Test @LoopActor func whatWasNeverShownComesWhenTheAgentIsBack() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            let later: String = try await browser.ask(
                "return fetch('/api/state').then((reply) => reply.json()).then(({ plans }) => '/plan/' + plans[1].id)")
            desk.stopAgentsHeart()
            try await go(browser, to: later)
            #expect(
                try await time(browser, until: "document.querySelector('[role=alert]')?.textContent.includes('does not answer')") {} < 4000)
            try await browser.screenshot("silent-unknown-plan")
            #expect(try await time(browser, until: "document.querySelector('ol.items')") { desk.letAgentGoOn() } < Self.soon)
        }
    }
}
