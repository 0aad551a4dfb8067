import Platform
import TestSupport
import Testing

/// The place of the music on the screen: next to the bar, in halves, and with its thumbnails.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct StageTests {
    private static let page = "document.querySelector('.stage > .sheet:last-child canvas.page').getBoundingClientRect()"

    /// While the controls are shown, the title must be visible, too.
    @Test(arguments: Asked.some(of: [(1366, 768), (390, 844), (1024, 1366)]))
    @LoopActor func theBarCoversNothingOfTheMusic(width: Int, height: Int) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            _ = try await desk.play()
            try await browser.press(.right)
            try await browser.press(.left)
            try await desk.hideControls()
            try await browser.press(.t)
            try await browser.press(.tab)
            try await browser.wait(for: "document.body.dataset.bar === 'shown' && !document.querySelector('.strip.away')")
            try await browser.wait(for: "\(Self.page).bottom <= document.querySelector('.strip').getBoundingClientRect().top")
            let (bar, top): (Double, Double) = try await (
                browser.ask("return document.querySelector('.bar').getBoundingClientRect().bottom"), browser.ask("return \(Self.page).top")
            )
            #expect(bar > 40 && top >= bar, "\(bar) \(top)")
            try await browser.screenshot("bar-\(width)")
        }
    }

    /// After half a turn, the upper half of the next page lies over the present page, which is still being played. The cut must be
    /// where the present page has no ink.
    @Test @LoopActor func aHalfTurnCutsInTheWhite() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(820, 1180)
            let chart = try await desk.put(pages: 6)
            try await desk.openChart(chart)
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "one")
            try await browser.press(.h)
            var cuts: [Double] = []
            for turn in 1..<6 {
                try await browser.press(.right)
                try await browser.wait(for: "document.body.dataset.half === 'upper' && \(Desk.isReady)")
                let cut: Cut = try await browser.ask(
                    """
                    const [below, above] = document.querySelectorAll(".stage > .sheet");
                    const share = Number.parseFloat(getComputedStyle(above).getPropertyValue("--cut")) / 100;
                    const inked = (sheet) => {
                      const canvas = sheet.querySelector("canvas.page");
                      const [box, whole] = [canvas.getBoundingClientRect(), sheet.getBoundingClientRect()];
                      const row = Math.round((whole.top + share * whole.height - box.top) * canvas.height / box.height);
                      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
                      copy.drawImage(canvas, 0, 0);
                      const { data } = copy.getImageData(0, row - 1, canvas.width, 3);
                      let count = 0;
                      for (let i = 0; i < data.length; i += 4) if (Math.min(data[i], data[i + 1], data[i + 2]) < 200) count += 1;
                      return count;
                    };
                    return { share, below: inked(below) };
                    """)
                #expect(cut.below == 0 && cut.share > 0.3 && cut.share < 0.7, "turn \(turn): \(cut)")
                cuts.append(cut.share)
                try await browser.screenshot("half-turn-\(turn)")
                try await browser.press(.right)
                try await browser.wait(
                    for: "document.body.dataset.half === '' && document.body.dataset.position === '\(turn)' && \(Desk.isReady)")
            }
            #expect(Set(cuts).count > 2, "each page has its white elsewhere: \(cuts)")
        }
    }

    private struct Cut: Decodable {
        var share: Double
        var below: Int
    }

    @Test @LoopActor func thumbnailsOpenWhereOneIsAndComeWhenTheyAreSeen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(820, 1180)
            let chart = try await desk.put(pages: 40)
            try await desk.openChart(chart, page: 30)
            try await browser.press(.t)
            try await browser.press(.tab)
            let current = "document.querySelector('.strip [aria-current]')"
            try await browser.wait(for: "\(current)?.querySelector('img').complete && \(current).querySelector('img').naturalWidth > 0")
            let strip: Strip = try await browser.ask(
                """
                const box = (element) => element.getBoundingClientRect();
                const strip = document.querySelector(".strip");
                const buttons = [...strip.querySelectorAll("button")];
                return {
                  count: buttons.length, current: buttons.indexOf(\(current)),
                  isSeen: box(\(current)).left >= 0 && box(\(current)).right <= innerWidth,
                  fetched: buttons.filter((each) => each.querySelector("img").src).length, first: Boolean(buttons[0].querySelector("img").src),
                };
                """)
            #expect(strip.count == 40 && strip.current == 29 && strip.isSeen)
            #expect(strip.fetched >= 5 && strip.fetched < 30 && !strip.first, "\(strip)")
            try await browser.screenshot("strip")
            // At night, thumbnails are as dark as their pages.
            try await browser.press(.n)
            try await browser.wait(for: "\(current).querySelector('img.dark') && document.querySelector('.stage .page.dark')")
            try await browser.screenshot("strip-night")
            try await browser.press(.n)
            try await browser.wait(for: "!document.querySelector('.strip .dark')")
            try await browser.run("document.querySelector('.strip').scrollLeft = 0")
            try await browser.wait(for: "document.querySelector('.strip button img').src")
        }
    }

    private struct Strip: Decodable {
        var count: Int
        var current: Int
        var isSeen: Bool
        var fetched: Int
        var first: Bool
    }

    /// When the screen is rotated, two pages side by side become one: the requested page, not its neighbour.
    @Test @LoopActor func turningTheScreenKeepsThePage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1400, 1000)
            let chart = try await desk.put(pages: 6)
            try await desk.openChart(chart, page: 4)
            try await desk.choose("fit", "page")
            let count = "document.querySelectorAll('.stage > .sheet:last-child canvas.page').length"
            try await browser.wait(for: "\(count) === 2 && document.body.dataset.position === '2'")
            try await browser.resize(1000, 1400)
            try await browser.wait(for: "\(count) === 1 && \(Desk.isReady)")
            try await browser.wait(for: "document.body.dataset.position === '3'")
            try await browser.resize(1400, 1000)
            try await browser.wait(for: "\(count) === 2 && document.body.dataset.position === '2'")
            try await browser.resize(1000, 1400)
            try await browser.wait(for: "\(count) === 1 && document.body.dataset.position === '3'")
        }
    }

    /// Two songs of one page each are shown together, from whichever side they are reached, and a turn leads past both.
    @Test @LoopActor func shortSongsAreSideBySide() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 900)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let lengths = Dictionary(grouping: stops, by: \.chart).mapValues(\.count)
            let first = try #require(stops.indices.dropLast().first { lengths[stops[$0].chart] == 1 && lengths[stops[$0 + 1].chart] == 1 })
            let (left, right, next, former) = (stops[first], stops[first + 1], stops[first + 2], stops[first - 1])
            try await browser.wait(for: "modules['plan-holder.js'].holder.progress?.isWhole")
            try await desk.choose("spread", "auto")
            let count = "document.querySelectorAll('.stage > .sheet:last-child canvas.page').length"
            func wait(_ chart: String, _ pages: Int) async throws {
                try await browser.wait(for: "document.body.dataset.chart === '\(chart)' && \(count) === \(pages) && \(Desk.isReady)")
            }
            try await desk.go(to: left.chart)
            try await wait(left.chart, 2)
            try await browser.wait(for: "document.querySelector('.bar-title').textContent.includes(' + ')")
            let labels: [String] = try await browser.ask(
                "return [...document.querySelectorAll('.stage > .sheet canvas.page')].map((page) => page.getAttribute('aria-label'))")
            #expect(Set(labels).count == 2, "\(labels)")
            try await browser.screenshot("side-by-side")
            // Turn past both songs and back, and then come to them from the item before.
            try await browser.press(.right)
            try await browser.wait(for: "document.body.dataset.chart === '\(next.chart)' && \(Desk.isReady)")
            try await browser.press(.left)
            try await wait(left.chart, 2)
            try await browser.press(.left)
            try await browser.wait(for: "document.body.dataset.chart === '\(former.chart)' && \(Desk.isReady)")
            try await browser.press(.nextItem)
            try await wait(left.chart, 2)
            // The address of the right song also shows the left one. A narrow screen shows the requested song alone.
            try await browser.run(
                """
                const item = modules["books.js"].knownPlan(new URLSearchParams(location.search).get("plan"))
                  .items.find(({ charts }) => charts.some(({ id }) => id === "\(right.chart)"));
                const { chartAddress, go } = modules["routes.js"];
                go(chartAddress({ chart: "\(right.chart)", plan: new URLSearchParams(location.search).get("plan"), item: item.id }));
                """)
            try await wait(left.chart, 2)
            try await browser.resize(700, 1200)
            try await wait(right.chart, 1)
            try await browser.resize(1366, 900)
            try await wait(left.chart, 2)
            try await desk.choose("spread", "one")
            try await wait(right.chart, 1)
            try await browser.expectNoComplaints()
        }
    }

    /// A page in full width is taller than a laptop's screen: a sign shows the visible part, and keys alone can reach all of it.
    @Test @LoopActor func whereOneIsInATallPageIsSeen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 3)
            try await desk.openChart(chart)
            try await desk.choose("spread", "one")
            try await desk.choose("fit", "width")
            try await desk.hideControls()
            let first = try await sign(browser)
            // The white above the first ink is skipped.
            #expect(first.isSeen && first.top < 40 && first.bottom > 100 && first.bottom < 700 && first.right <= 1366, "\(first)")
            #expect(first.right >= 1350 && first.width >= 4, "at the side, where no music is: \(first)")
            try await browser.screenshot("where-first")
            try await browser.press(.right)
            try await browser.wait(for: "document.querySelector('.stage').scrollTop > 100")
            let next = try await sign(browser)
            #expect(next.top > first.top + 50 && next.bottom <= 768.5 && abs(next.top - next.scrolled) < 1.5, "\(next)")
            try await browser.screenshot("where-next")
            #expect(try await browser.ask("return document.body.dataset.position") == "0", "it is the same page")
            // Tab must reach the stage, so that scrolling needs no finger.
            for _ in 0..<30 {
                try await browser.press(.tab)
                if try await browser.ask("return document.activeElement.matches('.stage')") { break }
            }
            #expect(try await browser.ask("return document.activeElement.matches('.stage:focus-visible')"))
            try await desk.choose("fit", "page")
            try await browser.wait(for: "document.querySelector('.where').hidden")
            #expect(try await browser.ask("return document.querySelector('.stage').tabIndex") == -1, "there is nothing to scroll")
        }
    }

    @LoopActor private func sign(_ browser: Browser) async throws -> Sign {
        try await browser.ask(
            """
            const sign = document.querySelector(".where");
            const { top, bottom, right, width } = sign.getBoundingClientRect();
            const { scrollTop, scrollHeight } = document.querySelector(".stage");
            return { top, bottom, right, width, scrolled: scrollTop / scrollHeight * innerHeight, isSeen: sign.checkVisibility() };
            """)
    }

    private struct Sign: Decodable {
        var top: Double
        var bottom: Double
        var right: Double
        var width: Double
        /// The expected top of the sign, by the scroll position.
        var scrolled: Double
        var isSeen: Bool
    }
}
