import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// The whole plan is in the browser, and can be played whatever the agent does, and however fast pages are turned.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct WholeSetTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let banner = "document.getElementById('banner')"
    private static let held = "modules['plan-holder.js'].holder.progress"
    /// If set, this many turns at random intervals replace the usual few.
    private static let manyTurns = Asked.number("TURNS")

    @LoopActor private func waitUntilHeld(_ browser: Browser) async throws {
        try await browser.wait(for: "\(Self.held)?.isWhole")
    }

    @Test @LoopActor func everyPageTurnsWhileTheAgentHangs() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            try await waitUntilHeld(browser)
            let way = Array(stops.dropFirst())
            desk.stopAgentsHeart()
            for (number, _) in way.enumerated() {
                try await browser.press(.right)
                try await witness.arrivals(number + 1)
            }
            let account = try await witness.account()
            #expect(account.arrivals == way)
            #expect(account.blank == 0 && account.wrong == [], "\(account.wrong)")
            // Go back with two pages side by side, with one, and with as many as fit, in turn.
            for _ in stops {
                try await browser.press([.d, .d])
                try await browser.wait(for: Self.isReady)
                try await witness.look()
                try await browser.press(.left)
                try await browser.wait(for: Self.isReady)
                try await witness.look()
            }
            #expect(try await browser.ask("return document.body.dataset.chart") == stops[0].chart)
            #expect(try await browser.ask("return document.body.dataset.position") == "0")
            let back = try await witness.account()
            #expect(back.blank == 0 && back.wrong == [], "\(back.wrong)")
            if Self.manyTurns != nil {
                let times = account.turns.sorted()
                #expect(times[times.count * 95 / 100] < 50, "\(times)")
            }
            try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed’s agent does not answer. All pages of this plan')")
            try await browser.screenshot("agent-hangs")
            desk.letAgentGoOn()
            try await browser.wait(for: "\(Self.banner).hidden")
            try await browser.expectNoComplaints()
        }
    }

    /// The browser does not request images before the agent has drawn them, so the agent draws them in its own order.
    @Test @LoopActor func imagesThatAreStillToBeDrawnAreNotAskedForBeforeTheyAreThere() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
            try await browser.run(
                """
                const real = window.fetch;
                window.asked = [];
                window.isDrawn = false;
                window.fetch = async (path, options) => {
                  if (String(path).startsWith("/pages/")) window.asked.push(path);
                  const reply = await real(path, options);
                  if (window.isDrawn || !String(path).startsWith("/api/chart/")) return reply;
                  const told = await reply.json();
                  // Hide the plain images, too: the browser would fetch them next.
                  for (const page of told.pages) page.annotated.here = page.plain.here = false;
                  return new Response(JSON.stringify(told));
                };
                document.querySelector('.plan-card.next a[data-plan]').click();
                """)
            try await browser.wait(for: "/In this browser: 0 of [1-9]/.test(document.querySelector('.held')?.textContent)")
            #expect(try await browser.ask("return window.asked", as: [String].self) == [])
            try await browser.run("window.isDrawn = true")
            try await browser.wait(for: "/In this browser: (\\d\\d+) of \\1 pages?$/.test(document.querySelector('.held')?.textContent)")
        }
    }

    /// A large page takes long to draw, and a drawing agent must not be reported as silent.
    @Test @LoopActor func whoIsStillDrawingIsNotCalledSilent() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            try await browser.run(
                """
                const real = window.fetch;
                window.asked = [];
                window.fetch = (path, options) => {
                  if (path === "/api/select") {
                    window.asked.push(options.body);
                    return new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
                  }
                  if (path !== "/api/state") return real(path, options);
                  // Answer without delay, since the machine's speed does not matter here.
                  window.wasDoubted = true;
                  return Promise.resolve(new Response("{}"));
                };
                """)
            for number in 1...3 {
                try await browser.press(.right)
                try await witness.arrivals(number)
                try await browser.wait(for: "window.asked.length === \(number)")
            }
            try await browser.wait(for: "window.wasDoubted")
            #expect(try await browser.ask("return modules['api.js'].api.isThere()"))
            #expect(try await browser.ask("return \(Self.banner).hidden"))
        }
    }

    /// Each turn aborts the previous report, so no report fails by itself; a silent agent must be detected all the same.
    @Test @LoopActor func whoTurnsFasterThanTheAgentIsDoubtedIsToldToo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await waitUntilHeld(browser)
            desk.stopAgentsHeart()
            try await waitUntil {
                try await browser.press([.right, .right, .left, .left], pause: 350)
                return try await !browser.ask("return \(Self.banner).hidden")
            }
            desk.letAgentGoOn()
        }
    }

    /// At the start, neither the browser nor the agent has any image: each page is drawn when a turn leads to it.
    @Test @LoopActor func everyPageTurnsThoughAllImagesVanished() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let way = Array(try await witness.stops().dropFirst())
            try await waitUntilHeld(browser)
            // Move each chart's folder as a whole; if files were removed one by one, the agent would replace some meanwhile.
            for folder in try FileManager.default.contentsOfDirectory(atPath: desk.home.path("cache/pages")) {
                #expect(rename(desk.home.path("cache/pages/" + folder), desk.home.path("gone-" + folder)) == 0)
            }
            try await browser.forgetImages()
            for (number, _) in way.enumerated() {
                try await browser.press(.right)
                try await witness.arrivals(number + 1)
            }
            let account = try await witness.account()
            #expect(account.arrivals == way && account.blank == 0 && account.wrong == [], "\(account.wrong)")
        }
    }

    @Test(arguments: Asked.some(of: [SIGKILL, SIGTERM])) @LoopActor func everyPageTurnsWhenTheAgentIsGone(signal: Int32) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let way = Array(try await witness.stops().dropFirst())
            try await waitUntilHeld(browser)
            try await desk.endAgent(by: signal)
            try await browser.wait(for: "\(Self.banner).textContent.startsWith('Woodshed’s agent does not answer. All pages of this plan')")
            for (number, _) in way.enumerated() {
                try await browser.press(.right)
                try await witness.arrivals(number + 1)
            }
            let account = try await witness.account()
            #expect(account.arrivals == way && account.blank == 0 && account.wrong == [], "\(account.wrong)")
        }
    }

    @Test @LoopActor func thePlanSaysHowMuchOfItIsInThisBrowser() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
            try await browser.run("document.querySelector('.plan-card.next a[data-plan]').click()")
            try await browser.wait(for: "/In this browser: (\\d+) of \\1 pages?$/.test(document.querySelector('.held')?.textContent)")
            try await browser.screenshot("plan-in-this-browser")
            let (told, held): (Int, Int) = try await (
                browser.ask("return Number(document.querySelector('.held').textContent.match(/of (\\d+)/)[1])"),
                browser.ask("return \(Self.held).here")
            )
            #expect(told == held && held > 20)
        }
    }

    /// Preparing two large pages takes longer than a turn may, so pages are prepared in the direction of turning, forward or back.
    @Test @LoopActor func whoTurnsBackFindsPagesPreparedToo() async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            try await browser.resize(2560, 1440, scale: 2)
            // `window.asked` has the ids of the requests that the worker which prepares pages has not answered yet.
            try await browser.runFirst(
                """
                window.asked = new Set();
                const post = Worker.prototype.postMessage;
                Worker.prototype.postMessage = function (message, ...rest) {
                  if (window.asked.size === 0) this.addEventListener("message", ({ data }) => window.asked.delete(data.id));
                  if (message.drop) window.asked.delete(message.id);
                  else window.asked.add(message.id);
                  post.call(this, message, ...rest);
                };
                """)
            let stops = try await desk.play().stops()
            try await desk.choose("spread", "auto")
            try await desk.go(to: stops[0].chart)
            let count = 4
            let turns = "performance.getEntriesByType('measure').filter(({ name }) => name.startsWith('turn-'))"
            try await browser.run("performance.clearMeasures()")
            for (number, key) in ([Key](repeating: .right, count: count) + [Key](repeating: .left, count: count)).enumerated() {
                try await browser.wait(for: "\(Self.isReady) && window.asked.size === 0")
                try await browser.press(key)
                try await browser.wait(for: "\(turns).length === \(number + 1)")
            }
            #expect(
                try await browser.ask("return \(turns).map(({ detail }) => detail.wasReady)") == [Bool](repeating: true, count: 2 * count))
        }
    }

    fileprivate struct Screen: CustomTestStringConvertible {
        var width: Int
        var height: Int
        var scale: Double
        /// The number of other processes that each use a whole processor meanwhile.
        var busy = 0
        var testDescription: String { "\(width)x\(height)@\(scale), \(busy) busy" }
    }

    /// By default only the most demanding of the five screens is tested, and a small one on a busy machine.
    fileprivate static let screens: [Screen] = {
        let all = [(1366, 768, 1.0), (1920, 1080, 1), (2560, 1440, 2), (1024, 1366, 2), (390, 844, 3)].map {
            Screen(width: $0.0, height: $0.1, scale: $0.2)
        }
        let busy = Asked.number("BUSY", everyday: 2)
        let loaded = all.map { Screen(width: $0.width, height: $0.height, scale: $0.scale, busy: busy) }
        return manyTurns == nil ? [all[2], loaded[4]] : all + loaded
    }()

    /// If the screen has more pixels than the images, every page is drawn again after the turn, which must not delay the next
    /// turn. An idle machine shows the default view, a busy one a whole page at a time.
    @Test(arguments: screens) @LoopActor fileprivate func noTurnIsSoFastThatAPageIsCalledMissing(on screen: Screen) async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            try await browser.resize(screen.width, screen.height, scale: screen.scale)
            let witness = try await desk.play(asOpened: screen.busy == 0)
            let stops = try await witness.stops()
            try await browser.run(
                """
                window.cards = [];
                const look = () => {
                  const card = document.querySelector(".stage .card");
                  if (card) window.cards.push(card.textContent);
                  if (!document.querySelector(".hint").hidden) window.cards.push("hint: " + document.querySelector(".hint").textContent);
                };
                new MutationObserver(look).observe(document.querySelector(".reader"), { childList: true, subtree: true, attributes: true });
                """)
            let load = try BusyMachine(screen.busy)
            defer { load.end() }
            try await turnAtRandom(browser, on: screen)
            try await browser.wait(for: Self.isReady)
            try await witness.look()
            #expect(try await browser.ask("return window.cards", as: [String].self) == [])
            let account = try await witness.account()
            let turns = account.paints.sorted()
            let turned =
                "\(account.arrivals.count) arrivals, \(account.wrong.count) wrong, \(account.blank) blank of \(account.frames) frames"
            let took = "to the frame p50 \(turns[turns.count / 2]), p95 \(turns[turns.count * 95 / 100]) ms of the last \(turns.count)"
            let figures = "\(screen.testDescription): \(turned), \(took)"
            if Self.manyTurns != nil { print(figures) }
            #expect(account.blank == 0 && account.wrong == [] && !account.arrivals.isEmpty, "\(account.wrong)")
            let position: Int = try await browser.ask("return Number(document.body.dataset.position)")
            #expect(stops.contains { $0.position == position })
            try await browser.expectNoComplaints()
        }
    }

    @LoopActor private func turnAtRandom(_ browser: Browser, on screen: Screen) async throws {
        var random = SeededGenerator(seed: 16)
        var left = Self.manyTurns ?? 60
        while left > 0 {
            let count = min(left, Int.random(in: 4...20, using: &random))
            let keys = (0..<count).map { _ in
                [Key.right, .right, .right, .left, .left, .nextItem, .previousItem, .end, .d].randomElement(using: &random) ?? .right
            }
            // At random, rotate the screen.
            let isTurned = Int.random(in: 0..<4, using: &random) == 0
            let (width, height) = isTurned ? (screen.height, screen.width) : (screen.width, screen.height)
            try await browser.resize(width, height, scale: screen.scale)
            try await browser.press(keys, pause: Int.random(in: 40...180, using: &random))
            left -= count
        }
    }
}
