import DemoService
import Foundation
import Platform
import TestSupport
import Testing

/// Pages without their margins: larger, and with all that is on them.
@Suite(.onLoop, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct MarginsTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// What is on the stage: how large the page is shown, which part of it, and what of its ink is not.
    private struct Shown: Decodable {
        /// CSS pixels to one of the whole page's widths and heights.
        var width: Double
        var height: Double
        /// Pixels of ink that are not on the screen.
        var cut: Int
        /// The pixels of paper on each side of the screen's part.
        var left: Double
        var top: Double
        var right: Double
        var bottom: Double
    }

    private static let shown = """
        const canvas = document.querySelector(".stage > .sheet:last-child canvas.page");
        const stage = document.querySelector(".stage").getBoundingClientRect();
        const page = canvas.getBoundingClientRect();
        const inset = (getComputedStyle(canvas).clipPath.match(/[\\d.]+(?=px)/g) ?? ["0"]).map(Number);
        const [top, right = top, bottom = top, left = right] = inset;
        // Within its own clip and on the stage, from the page's corner.
        const seen = {
          left: Math.max(left, stage.left - page.left), top: Math.max(top, stage.top - page.top),
          right: Math.min(page.width - right, stage.right - page.left), bottom: Math.min(page.height - bottom, stage.bottom - page.top),
        };
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
        copy.drawImage(canvas, 0, 0);
        const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
        const [x, y] = [canvas.width / page.width, canvas.height / page.height];
        let cut = 0;
        for (let row = 0; row < canvas.height; row += 1) {
          for (let column = 0; column < canvas.width; column += 1) {
            const isSeen = column >= seen.left * x && column + 1 <= seen.right * x && row >= seen.top * y && row + 1 <= seen.bottom * y;
            const i = 4 * (row * canvas.width + column);
            // Even what nobody would see.
            if (!isSeen && Math.min(data[i], data[i + 1], data[i + 2]) < 252) cut += 1;
          }
        }
        return { width: page.width, height: page.height, cut, left, top, right, bottom };
        """

    @LoopActor private func choose(_ name: String, _ value: String, _ browser: Browser) async throws {
        try await browser.run("return modules['settings.js'].settings.set('\(name)', '\(value)')\")
        try await browser.wait(for: Self.isReady)
    }

    /// A chart of these pages in place of the next plan's first one; answers what it is called.
    @LoopActor private func put(_ pages: Int, on desk: Desk) async throws -> String {
        let chart: String = try await desk.browser.ask(
            """
            const told = async (path) => (await fetch(path)).json();
            return told("/api/state").then(({ plans }) => told(`/api/plan/${plans[0].id}`))
              .then(({ items }) => items.find((item) => item.charts.length > 0).charts[0].id);
            """)
        try desk.service.edit(.replaceChart(attachment: chart, bytes: MusicPages.pdf(pages)))
        try await desk.run(["sync"])
        return chart
    }

    @LoopActor private func open(_ chart: String, page: Int = 1, on desk: Desk) async throws {
        try await desk.visit("/chart/\(chart)?page=\(page)")
        try await desk.browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
    }

    @LoopActor private func turn(to page: Int, _ browser: Browser) async throws {
        try await browser.press(.right)
        try await browser.wait(for: "document.body.dataset.position === '\(page)' && \(Self.isReady)")
    }

    @Test(arguments: [(1366, 768), (820, 1180)]) @LoopActor
    func aHundredPagesAreLargerAndNoInkIsCut(width: Int, height: Int) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            let chart = try await put(100, on: desk)
            try await open(chart, on: desk)
            try await choose("fit", "page", browser)
            try await choose("spread", "one", browser)
            try await choose("margins", "page", browser)
            var gains: [Double] = []
            for page in 0..<100 {
                if page > 0 { try await turn(to: page, browser) }
                let shown: Shown = try await browser.ask(Self.shown)
                #expect(shown.cut == 0, "page \(page): \(shown)")
                let (paperWidth, paperHeight) = page % 4 == 3 ? (612.0, 792.0) : (595.0, 842.0)
                let printed = min(Double(width) / paperWidth, Double(height) / paperHeight)
                gains.append(min(shown.width / paperWidth, shown.height / paperHeight) / printed)
            }
            let sorted = gains.sorted()
            let figures = "\(width)x\(height): median \(sorted[50]), least \(sorted[0]), most \(sorted[99])"
            print(figures)
            Attachment.record(figures, named: "gain-\(width).txt")
            try await browser.screenshot("margins-off-\(width)")
            #expect(sorted[50] >= 1.09 && sorted[0] >= 1.03, "\(figures)")
            try await browser.expectNoComplaints()
        }
    }

    /// Whatever page of it: the staves of a chart keep their size and place.
    @Test @LoopActor func aWholeChartCanBeCutAlike() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            // Of one size: every fourth page has another one.
            let chart = try await put(3, on: desk)
            try await open(chart, on: desk)
            try await choose("fit", "page", browser)
            try await choose("spread", "one", browser)
            let printed: Shown = try await browser.ask(Self.shown)
            #expect(printed.left == 0 && printed.top == 0 && printed.right == 0 && printed.bottom == 0)
            var found: [[Shown]] = []
            for choice in ["page", "chart"] {
                try await choose("margins", choice, browser)
                try await browser.press(.home)
                try await browser.wait(for: "document.body.dataset.position === '0' && \(Self.isReady)")
                var pages: [Shown] = []
                for page in 0..<3 {
                    if page > 0 { try await turn(to: page, browser) }
                    let shown: Shown = try await browser.ask(Self.shown)
                    #expect(shown.cut == 0 && shown.width > printed.width)
                    pages.append(shown)
                }
                found.append(pages)
            }
            #expect(Set(found[0].map(\.left)).count > 1, "each page has its own margins")
            for side in [\Shown.left, \.top, \.right, \.bottom, \.width, \.height] {
                #expect(Set(found[1].map { $0[keyPath: side] }).count == 1)
            }
            for side in [\Shown.left, \.top, \.right, \.bottom] {
                let most = zip(found[0], found[1]).allSatisfy { $0[keyPath: side] / $0.width >= $1[keyPath: side] / $1.width - 0.002 }
                #expect(most, "what is alike is the least that any page needs")
            }
        }
    }

    @Test @LoopActor func aMarkInTheMarginIsShown() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await put(2, on: desk)
            try await open(chart, on: desk)
            try await choose("fit", "page", browser)
            try await choose("spread", "one", browser)
            try await choose("margins", "page", browser)
            let before: Shown = try await browser.ask(Self.shown)
            #expect(before.left > 10 && before.right > 10)
            try desk.save(
                ##"{"id":"1","page":0,"kind":"pen","color":"#cc0000","width":0.005,"points":[[0.01,0.4],[0.01,0.6]]}"##, on: chart)
            try await browser.wait(for: "(() => {\(Self.shown)})().left < 8 && \(Self.isReady)")
            let after: Shown = try await browser.ask(Self.shown)
            #expect(after.cut == 0)
            #expect(after.right / after.width > 0.9 * before.right / before.width, "the other sides stay as they were")
            try await browser.screenshot("mark-in-the-margin")
            // Without the mark the margin goes again.
            try await browser.press(.m)
            try await browser.wait(for: "(() => {\(Self.shown)})().left > 10 && \(Self.isReady)")
        }
    }

    /// A key goes through the choices and says what it did; pages drawn before anybody looked for their ink are shown whole.
    @Test @LoopActor func pagesWhoseInkIsNotKnownStayWhole() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let cue = "document.querySelector('.cue:not([hidden])')?.textContent ?? ''"
            try await browser.resize(1366, 768)
            let chart = try await put(2, on: desk)
            try await open(chart, on: desk)
            try await browser.press(.x)
            try await browser.wait(for: "(\(cue)) === 'Margins off, page by page' && \(Self.isReady)")
            #expect(try await browser.ask(Self.shown, as: Shown.self).left > 10)
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
                modules["chart-book.js"].book.forgetOthers({});
                """)
            try await browser.wait(for: "document.body.dataset.view === 'plans'")
            try await browser.run(
                "history.pushState({}, '', '/chart/\(chart)?page=1'); dispatchEvent(new Event('woodshed:route'));")
            try await browser.wait(for: Self.isReady)
            let whole: Shown = try await browser.ask(Self.shown)
            #expect(whole.left == 0 && whole.top == 0 && whole.right == 0 && whole.bottom == 0)
            try await browser.press(.x)
            try await browser.wait(for: "(\(cue)) === 'Margins off, but this page’s are not known'")
            try await browser.press(.x)
            try await browser.wait(for: "(\(cue)) === 'Margins as printed'")
        }
    }
}
