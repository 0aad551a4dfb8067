import Glibc
import Platform
import TestSupport
import Testing

/// Pages without their margins are larger, and keep all their ink.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct MarginsTests {
    /// The number of pages: twenty by default, or WOODSHED_TEST_PAGES.
    private static let pages = Asked.number("PAGES", everyday: 20)

    @Test(arguments: Asked.some(of: [(820, 1180), (1366, 768)])) @LoopActor
    func manyPagesAreLargerAndNoInkIsCut(width: Int, height: Int) async throws {
        let pages = Self.pages
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            let chart = try await desk.put(pages: pages)
            try await desk.openChart(chart)
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "one")
            try await desk.choose("margins", "page")
            try await desk.hideControls()
            var gains: [Double] = []
            for page in 0..<pages {
                if page > 0 { try await desk.turn(to: page) }
                let shown: ShownPart = try await desk.shownPart()
                #expect(shown.cut == 0, "page \(page): \(shown)")
                let (paperWidth, paperHeight) = page % 4 == 3 ? (612.0, 792.0) : (595.0, 842.0)
                let printed = min(Double(width) / paperWidth, Double(height) / paperHeight)
                gains.append(min(shown.width / paperWidth, shown.height / paperHeight) / printed)
            }
            let sorted = gains.sorted()
            let figures = "\(width)x\(height): median \(sorted[pages / 2]), least \(sorted[0]), most \(sorted[pages - 1])"
            print(figures)
            Attachment.record(figures, named: "gain-\(width).txt")
            try await browser.screenshot("margins-off-\(width)")
            #expect(sorted[pages / 2] >= 1.09 && sorted[0] >= 1.03, "\(figures)")
            try await browser.expectNoComplaints()
        }
    }

    /// All pages of the chart are cut alike, so staves keep their size and place.
    @Test @LoopActor func aWholeChartCanBeCutAlike() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            // Every fourth page has another size, so use a chart of only three pages.
            let chart = try await desk.put(pages: 3)
            try await desk.openChart(chart)
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "one")
            try await desk.choose("margins", "printed")
            let printed: ShownPart = try await desk.shownPart()
            #expect(printed.left == 0 && printed.top == 0 && printed.right == 0 && printed.bottom == 0)
            var found: [[ShownPart]] = []
            for choice in ["page", "chart"] {
                try await desk.choose("margins", choice)
                try await browser.press(.home)
                try await browser.wait(for: "document.body.dataset.position === '0' && \(Desk.isReady)")
                var pages: [ShownPart] = []
                for page in 0..<3 {
                    if page > 0 { try await desk.turn(to: page) }
                    let shown: ShownPart = try await desk.shownPart()
                    #expect(shown.cut == 0 && shown.width > printed.width)
                    pages.append(shown)
                }
                found.append(pages)
            }
            #expect(Set(found[0].map(\.left)).count > 1, "each page has its own margins")
            for side in [\ShownPart.left, \.top, \.right, \.bottom, \.width, \.height] {
                #expect(Set(found[1].map { $0[keyPath: side] }).count == 1)
            }
            for side in [\ShownPart.left, \.top, \.right, \.bottom] {
                let most = zip(found[0], found[1]).allSatisfy { $0[keyPath: side] / $0.width >= $1[keyPath: side] / $1.width - 0.002 }
                #expect(most, "what is alike is the least that any page needs")
            }
        }
    }

    @Test @LoopActor func aMarkInTheMarginIsShown() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 2)
            try await desk.openChart(chart)
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "one")
            try await desk.choose("margins", "page")
            let before: ShownPart = try await desk.shownPart()
            #expect(before.left > 10 && before.right > 10)
            try desk.save(
                ##"{"id":"1","page":0,"kind":"pen","color":"#cc0000","width":0.005,"points":[[0.01,0.4],[0.01,0.6]]}"##, on: chart)
            try await browser.wait(for: "\(Desk.shown).left < 8 && \(Desk.isReady)")
            let after: ShownPart = try await desk.shownPart()
            #expect(after.cut == 0)
            #expect(after.right / after.width > 0.9 * before.right / before.width, "the other sides stay as they were")
            try await browser.screenshot("mark-in-the-margin")
            // Without the mark, the margin is cut off again.
            try await browser.press(.m)
            try await browser.wait(for: "\(Desk.shown).left > 10 && \(Desk.isReady)")
        }
    }

    /// A key changes to the next choice and announces it. Pages from a version that did not measure ink are shown whole.
    @Test @LoopActor func pagesWhoseInkIsNotKnownStayWhole() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 2)
            try await desk.openChart(chart)
            try await desk.choose("margins", "printed")
            try await browser.noteCues()
            try await browser.press(.x)
            try await browser.wait(for: "\(Browser.lastCue) === 'Margins cropped, page by page' && \(Desk.isReady)")
            #expect(try await desk.shownPart().left > 10)
            try await browser.run(
                """
                const real = window.fetch;
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  if (!String(path).startsWith("/api/chart/")) return reply;
                  const told = await reply.json();
                  for (const page of told.pages) page.plain.ink = page.annotated.ink = null;
                  return new Response(JSON.stringify(told));
                };
                history.pushState({}, "", "/");
                dispatchEvent(new Event("woodshed:route"));
                modules["books.js"].book.renew("\(chart)");
                """)
            try await browser.wait(
                for: "document.body.dataset.view === 'plans' && !modules['books.js'].book.isDoubted({ chart: '\(chart)' })")
            try await browser.run(
                "history.pushState({}, '', '/chart/\(chart)?page=1'); dispatchEvent(new Event('woodshed:route'));")
            try await browser.wait(for: Desk.isReady)
            let whole: ShownPart = try await desk.shownPart()
            #expect(whole.left == 0 && whole.top == 0 && whole.right == 0 && whole.bottom == 0)
            try await browser.press(.x)
            try await browser.wait(for: "\(Browser.lastCue) === 'Margins cropped, but this page’s are not known'")
            try await browser.press(.x)
            try await browser.wait(for: "\(Browser.lastCue) === 'Margins as printed'")
        }
    }

    /// The agent may draw a page without having room to keep the image. The browser must then read the chart's description again once,
    /// and not again and again.
    @Test @LoopActor func aPageThatIsNeverKeptIsNotAskedForAgainAndAgain() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 2)
            try await desk.openChart(chart)
            try await browser.run(
                """
                const real = window.fetch;
                window.asked = 0;
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  if (!String(path).startsWith("/api/chart/")) return reply;
                  window.asked += 1;
                  const told = await reply.json();
                  for (const page of told.pages) page.plain.here = false;
                  return new Response(JSON.stringify(told));
                };
                history.pushState({}, "", "/");
                dispatchEvent(new Event("woodshed:route"));
                modules["books.js"].book.renew("\(chart)");
                """)
            try await browser.wait(for: "document.body.dataset.view === 'plans' && window.asked > 0")
            try await browser.run(
                "history.pushState({}, '', '/chart/\(chart)?page=1'); dispatchEvent(new Event('woodshed:route'));")
            try await browser.wait(for: Desk.isReady)
            let before: Int = try await browser.ask("return window.asked")
            let after: Int = try await browser.ask(
                "return new Promise((done) => setTimeout(() => done(window.asked), 3000))")
            #expect(after <= before + 2, "\(before), then \(after)")
        }
    }
}
