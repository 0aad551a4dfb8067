import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// A tab keeps the plan while the agent is away, and shows how much of the plan it has.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct HeldTests {
    private static let held = "modules['plan-holder.js'].holder.progress"
    private static let book = "modules['books.js'].book"

    /// The ways in which an agent disappears.
    enum Absence: CaseIterable { case ended, hanging }

    /// Waits until the browser has all pages of the plan, with marks and without.
    @LoopActor private func waitUntilHeld(_ desk: Desk, _ stops: [Witness.Stop]) async throws {
        try await desk.browser.wait(for: "\(Self.held)?.isWhole")
        for chart in Set(stops.map(\.chart)) {
            try await desk.browser.wait(
                for: """
                    fetch("/api/chart/\(chart)").then((reply) => reply.json()).then(({ pages }) => Promise.all(
                      pages.flatMap(({ plain, annotated }) => [plain, annotated]).map(({ src }) =>
                        fetch(src, { cache: "only-if-cached", mode: "same-origin" }).then(({ ok }) => ok, () => false)))).then((all) => all.every(Boolean))
                    """)
        }
    }

    /// Turns to each of these stops, and expects a page at each, not a card.
    @LoopActor private func turn(_ browser: Browser, through stops: ArraySlice<Witness.Stop>) async throws {
        for stop in stops {
            try await browser.press(.right)
            try await browser.wait(
                for: "document.body.dataset.chart === '\(stop.chart)' && document.body.dataset.position === '\(stop.position)'")
            #expect(try await browser.ask("return document.body.dataset.state") == "ready")
            #expect(try await browser.ask("return document.querySelector('.stage .card')?.textContent ?? ''") == "")
        }
    }

    @Test(arguments: Asked.some(of: Absence.allCases)) @LoopActor func whoLeavesTheMusicMeanwhileFindsItAgain(absence: Absence) async throws
    {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            try await waitUntilHeld(desk, stops)
            if absence == .ended { try await desk.endAgent() } else { desk.stopAgentsHeart() }
            try await browser.run("document.querySelector('.bar [aria-label=\"Back to the plan\"]').click()")
            try await browser.wait(for: "document.body.dataset.view === 'plan' && document.querySelector('.plan-head a.button.strong')")
            try await browser.wait(for: "/All pages of this plan/.test(document.getElementById('banner').textContent)")
            try await browser.screenshot("plan-without-agent")
            try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
            try await turn(browser, through: stops.dropFirst())
            desk.letAgentGoOn()
        }
    }

    @Test(arguments: Asked.some(of: Absence.allCases)) @LoopActor func whoReloadsMeanwhileFindsTheMusicAgain(absence: Absence) async throws
    {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            try await waitUntilHeld(desk, stops)
            let pages: Int = try await browser.ask("return \(Self.held).all")
            try await browser.wait(
                for: """
                    navigator.serviceWorker.controller && caches.match("/shelf").then((set) => set && caches.open("woodshed-shelf"))
                      .then((cache) => cache?.keys()).then((all) => all?.filter(({ url }) => url.includes("/pages/")).length >= \(pages))
                    """)
            if absence == .ended { try await desk.endAgent() } else { desk.stopAgentsHeart() }
            try await browser.run("location.reload()")
            try await browser.wait(
                for:
                    "\(Desk.isReady) && document.getElementById('banner').textContent.startsWith('Woodshed’s agent does not answer. All pages')"
            )
            try await turn(browser, through: stops.dropFirst())
            // The stored page must not contain the session's tokens.
            let kept: String = try await browser.ask(
                """
                return caches.open("woodshed-shelf").then(async (cache) => {
                  const page = new DOMParser().parseFromString(await (await cache.match("/shell")).text(), "text/html");
                  return [...page.querySelectorAll("meta[name=woodshed-token], meta[name=woodshed-pass]")].map(({ content }) => content).join();
                });
                """)
            #expect(kept == ",")
            if absence == .hanging {
                desk.letAgentGoOn()
                try await browser.wait(for: "document.getElementById('banner').hidden")
                // The agent must accept the requests of the page.
                try await browser.run("return modules['api.js'].api.sync()")
            }
        }
    }

    @Test @LoopActor func marksAreHiddenAndShownWithoutTheAgent() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            try await waitUntilHeld(desk, stops)
            try await desk.endAgent()
            try await browser.press(.m)
            try await turn(browser, through: stops.dropFirst())
            #expect(try await browser.ask("return document.querySelector('.hint').hidden"))
        }
    }

    /// If the image without marks is missing, the page is shown with marks, and a hint explains why.
    @Test @LoopActor func marksThatCannotBeHiddenAreHintedAt() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let marked = try #require(try await witness.mostMarked())
            try await desk.go(to: marked.chart, page: marked.position)
            try await browser.wait(for: "location.pathname.endsWith('/\(marked.chart)') && \(Self.held)?.isWhole")
            try await browser.run(
                """
                const { annotated, plain } = \(Self.book).peek({
                  chart: "\(marked.chart)", item: new URLSearchParams(location.search).get("item") }).pages[Number(document.body.dataset.page)];
                window.wanted = [annotated.src, plain.src];
                const post = Worker.prototype.postMessage;
                Worker.prototype.postMessage = function (message, ...rest) {
                  // Act as if the agent were away and the browser no longer had this image.
                  if (message.src === plain.src) setTimeout(() => this.onmessage({ data: { id: message.id, status: 0 } }));
                  else post.call(this, message, ...rest);
                };
                """)
            try await browser.press(.m)
            try await browser.wait(for: "!document.querySelector('.hint').hidden && document.body.dataset.state === 'ready'")
            let words: String = try await browser.ask("return document.querySelector('.hint').textContent")
            #expect(words.contains("This page is shown with its marks: the image without them is not in this browser."))
            #expect(try await browser.ask("return document.querySelector('.stage .card') === null"))
        }
    }

    @Test @LoopActor func aChartOfWhichNothingIsKnownIsNotCounted() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
            try await browser.run(
                """
                const real = window.fetch;
                let refused = null;
                window.fetch = (path, options) => {
                  const chart = String(path).match(/^\\/api\\/chart\\/([^?]+)/)?.[1];
                  if (chart) refused ??= chart;
                  if (!chart || chart !== refused || window.isHealed) return real(path, options);
                  return Promise.resolve(new Response('{"error":"not now"}', { status: 503 }));
                };
                document.querySelector('.plan-card.next a[data-plan]').click();
                """)
            try await browser.wait(
                for: "/In this browser: [1-9]\\d* of \\d+ pages, some charts missing$/.test(document.querySelector('.held')?.textContent)")
            #expect(
                try await browser.ask("return [document.querySelector('.held').dataset.whole, \(Self.held).isWhole]", as: Pair.self)
                    == Pair("false", false))
            try await browser.run("window.isHealed = true")
            try await browser.wait(for: "\(Self.held).isWhole && document.querySelector('.held').dataset.whole === 'true'")
        }
    }

    private struct Pair: Decodable, Equatable {
        var words: String
        var isWhole: Bool

        init(_ words: String, _ isWhole: Bool) { (self.words, self.isWhole) = (words, isWhole) }

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            (words, isWhole) = (try list.decode(String.self), try list.decode(Bool.self))
        }
    }

    /// Marks are saved all evening, each time with a new image: images that are never shown again must leave room for others.
    @Test @LoopActor func imagesThatMarksReplacedTakeNoRoom() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await desk.visit("/")
            let count: Int = try await browser.ask(
                """
                const told = async (path) => (await fetch(path)).json();
                return (async () => {
                  const [{ id }] = (await told("/api/state")).plans;
                  const images = new Set();
                  for (const item of (await told(`/api/plan/${id}`)).items) for (const chart of item.charts) {
                    const { order, pages } = await told(`/api/chart/${chart.id}?plan=${id}&item=${item.id}`);
                    for (const index of order) for (const image of [pages[index].plain, pages[index].annotated]) images.add(image.src);
                  }
                  return images.size;
                })();
                """)
            // Make each image so large that only two more images fit into the budget of a plan.
            try await browser.runFirst(
                """
                const blob = Response.prototype.blob;
                Response.prototype.blob = async function () {
                  return Object.defineProperty(await blob.call(this), "size", { value: \(256_000_000 / (count + 2)) });
                };
                """)
            let stop = try await desk.play().stops()[0]
            let page =
                "\(Self.book).peek({ chart: '\(stop.chart)', item: new URLSearchParams(location.search).get('item') }).pages[Number(document.body.dataset.page)]"
            let number: Int = try await browser.ask("return Number(document.body.dataset.page)")
            try await browser.wait(for: "\(Self.held)?.isWhole")
            for height in [0.2, 0.4, 0.6, 0.8] {
                let former: String = try await browser.ask("return \(page).annotated.src")
                try desk.save(
                    ##"{"id":"1","page":\##(number),"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,\##(height)],[0.8,\##(height)]]}"##,
                    on: stop.chart)
                try await browser.wait(for: "\(page).annotated.src !== '\(former)' && \(Self.held).isWhole")
            }
        }
    }

    /// A chart that is fetched in the background replaces the chart on the stand only after the musician accepts it.
    @Test @LoopActor func whatIsOnTheStandIsNotSwappedInTheBackground() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            try await browser.wait(for: "\(Self.held)?.isWhole")
            // Make the description of the first chart change, and act as after missed events, so that the page checks all descriptions.
            try await browser.run(
                """
                const real = window.fetch;
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  if (!String(path).startsWith("/api/chart/\(stops[0].chart)")) return reply;
                  return new Response(JSON.stringify({ ...await reply.json(), title: "Another song" }));
                };
                const { book } = modules["books.js"];
                book.doubtOthers({});
                modules["plan-holder.js"].holder.again();
                """)
            let item: String = try await browser.ask("return new URLSearchParams(location.search).get('item')")
            let title = "\(Self.book).peek({ chart: '\(stops[0].chart)', item: '\(item)' }).title"
            try await browser.wait(for: "\(Self.held)?.isWhole")
            #expect(try await browser.ask("return \(title)", as: String.self) != "Another song")
            // If another chart is on the stand, the new version is shown without a question.
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.body.dataset.chart !== '\(stops[0].chart)' && \(Desk.isReady)")
            try await browser.run("modules['plan-holder.js'].holder.again()")
            try await browser.wait(for: "\(title) === 'Another song'")
            try await browser.press(.previousItem)
            try await browser.wait(for: "document.body.dataset.chart === '\(stops[0].chart)' && \(Desk.isReady)")
            #expect(try await browser.ask("return document.querySelector('.offer:not([data-name^=older])') === null"))
        }
    }

    /// After a new running order is accepted, the browser also fetches all charts that are new in it.
    @Test @LoopActor func aNewRunningOrderIsBroughtAsWell() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await browser.wait(for: "\(Self.held)?.isWhole")
            let item: String = try await browser.ask("return new URLSearchParams(location.search).get('item')")
            let count: Int = try await browser.ask(
                """
                const plan = new URLSearchParams(location.search).get("plan");
                return fetch(`/api/plan/${plan}`).then((reply) => reply.json()).then(({ items }) => items.length);
                """)
            try desk.service.edit(.moveItem(item: item, position: count - 1))
            try await desk.run(["sync"])
            let banner = "document.querySelector('.banner:not([hidden])')"
            try await browser.wait(for: "\(banner)?.textContent.includes('The running order has changed.')")
            #expect(try await browser.ask("return !document.querySelector('.offer')"), "nothing is over the music")
            try await browser.run(
                "[...\(banner).querySelectorAll('button')].find((button) => button.textContent === 'Use the new one').click()")
            try await browser.wait(for: "!\(banner) && \(Self.held)?.isWhole")
            try await desk.endAgent()
            try await browser.press(.previousItem)
            try await browser.wait(for: "\(Desk.isReady) && new URLSearchParams(location.search).get('item') !== '\(item)'")
            #expect(try await browser.ask("return document.querySelector('.stage .card') === null"))
        }
    }

    /// Turns before the chart has arrived stop at its ends, and the page is still shown.
    @Test @LoopActor func turnsPressedTooEarlyLeadNowhereBeyondTheEnds() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let stops = try await desk.play().stops()
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card')")
            try await browser.run(
                """
                const real = window.fetch;
                const gate = new Promise((resolve) => { window.letGo = resolve; });
                window.fetch = async (path, options) => {
                  if (String(path).startsWith("/api/chart/")) await gate;
                  return real(path, options);
                };
                history.pushState({}, "", "/chart/\(stops[0].chart)?page=1");
                dispatchEvent(new Event("woodshed:route"));
                """)
            try await browser.press([.left, .left, .left])
            try await browser.run("window.letGo()")
            try await browser.wait(
                for: "\(Desk.isReady) && document.body.dataset.position === '0' && document.querySelector('.stage canvas.page')")
            try await browser.press(.right)
            try await browser.wait(for: "\(Desk.isReady) && document.body.dataset.position === '1'")
        }
    }
}
