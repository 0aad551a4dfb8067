import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// The page of one plan, read from a stand and while it changes.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct PlanPageTests {
    private static let plan = "67810002"
    private static let isShown = "document.body.dataset.view === 'plan' && document.querySelector('ol.items')"
    private static let changes = "document.querySelector('details[data-name=changes]')"

    /// The ids of the next plan's items that have charts.
    @LoopActor private func songs(_ browser: Browser) async throws -> [String] {
        try await browser.ask(
            """
            return fetch("/api/plan/\(Self.plan)").then((reply) => reply.json())
              .then(({ items }) => items.filter(({ charts }) => charts.length > 0).map(({ id }) => id));
            """)
    }

    @LoopActor private func rename(_ item: String, _ title: String, on desk: Desk) async throws {
        try desk.service.edit(.renameItem(item: item, title: title))
        try await desk.run(["sync"])
        try await desk.browser.wait(for: "document.querySelector('ol.items').textContent.includes('\(title)')")
    }

    /// Moves an item in the plan, and waits until the page shows this as a change.
    @LoopActor private func move(_ item: String, to position: Int, on desk: Desk) async throws {
        let words = "\(Self.changes)?.querySelector('summary').textContent ?? ''"
        let former: String = try await desk.browser.ask("return \(words)")
        try desk.service.edit(.moveItem(item: item, position: position))
        try await desk.run(["sync"])
        try await desk.browser.wait(for: "(\(words)) !== '\(former)'")
    }

    @Test @LoopActor func changesAreFoldedAndUnfoldedByKeyboardAndPointer() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(820, 1180)
            try await desk.visit("/plan/" + Self.plan)
            try await browser.wait(for: Self.isShown)
            let songs = try await songs(browser)
            try await move(songs[1], to: 7, on: desk)
            let isOpen = "\(Self.changes).open"
            let isSeen = "\(Self.changes).querySelector('li').checkVisibility()"
            #expect(try await browser.ask("return [\(isOpen), \(isSeen)]") == [false, false])
            let summary: [Double] = try await browser.ask(
                "const { left, top, width, height } = \(Self.changes).querySelector('summary').getBoundingClientRect(); return [left, top, width, height]"
            )
            #expect(summary[3] >= 44, "a finger hits it")
            for state in [true, false] {
                try await browser.touch(x: Int(summary[0]) + 20, y: Int(summary[1] + summary[3] / 2), by: (0, 0), for: 30)
                try await browser.wait(for: "\(isOpen) === \(state) && \(isSeen) === \(state)")
            }
            try await browser.run("document.getElementById('content').focus()")
            for _ in 0..<20 {
                try await browser.press(.tab)
                if try await browser.ask("return document.activeElement.matches('.changes summary')") { break }
            }
            for (key, state) in [(Key.enter, true), (.space, false), (.space, true)] {
                try await browser.press(key)
                try await browser.wait(for: "\(isOpen) === \(state) && \(isSeen) === \(state)")
            }
            try await browser.screenshot("changes-unfolded")
            // After one more change, unfolded parts stay unfolded, and the focus stays in its place.
            try await move(songs[3], to: 1, on: desk)
            #expect(try await browser.ask("return [\(isOpen), document.activeElement.matches('.changes summary')]") == [true, true])
            // The service's version that was held back is folded separately.
            try desk.service.edit(.shrinkPlan(plan: Self.plan, keep: 1))
            try await desk.run(["sync"])
            let held = "document.querySelector('details[data-name=held]')"
            try await browser.wait(for: held)
            #expect(try await browser.ask("return [\(held).open, \(isOpen)]") == [false, true])
            try await browser.press(.tab)
            #expect(try await browser.ask("return document.activeElement.textContent") == "Seen")
            try await browser.press(.enter)
            try await browser.wait(for: "!\(Self.changes)")
            #expect(try await browser.ask("return document.activeElement.id") == "content", "from where Tab goes on")
        }
    }

    @Test @LoopActor func theFocusStaysWhenAListIsDrawnAgain() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/plan/" + Self.plan)
            try await browser.wait(for: Self.isShown)
            let songs = try await songs(browser)
            let focused = "(document.activeElement.getAttribute('href') ?? '')"
            for part in ["h2 a", ".chart:last-child"] {
                try await browser.run("document.querySelectorAll('ol.items .song')[1].querySelector('\(part)').focus()")
                let address: String = try await browser.ask("return \(focused)")
                // Rename another song, and then the song with the focus.
                for (number, title) in [(2, "Elsewhere \(part.count)"), (1, "Here \(part.count)")] {
                    try await rename(songs[number], title, on: desk)
                    #expect(try await browser.ask("return \(focused)") == address, "\(part), \(title)")
                }
            }
            try await browser.run("[...document.querySelectorAll('.trail button')].at(-1).focus()")
            try await rename(songs[0], "Another", on: desk)
            #expect(try await browser.ask("return document.activeElement.textContent") == "Find")
            try await move(songs[1], to: 7, on: desk)
            // In the list of plans, the focused card keeps the focus though its text changes.
            try await desk.visit("/")
            let card = "document.querySelector('[data-card=\"\(Self.plan)\"]')"
            try await browser.wait(for: "\(card)?.querySelector('summary')")
            for (part, number) in [("a[data-plan]", 3), ("summary", 2)] {
                try await browser.run("\(card).querySelector('\(part)').focus()")
                try await move(songs[number], to: 1, on: desk)
                #expect(try await browser.ask("return document.activeElement === \(card).querySelector('\(part)')"), "\(part)")
            }
        }
    }

    /// Waits until scrolling has ended, because Chromium ignores a key that is pressed during the last frames of scrolling.
    @LoopActor private func waitUntilAtRest(_ browser: Browser) async throws {
        let _: Bool = try await browser.ask(
            """
            return new Promise((done) => {
              const view = document.getElementById("content");
              let [last, frames] = [view.scrollTop, 0];
              const look = () => {
                frames = view.scrollTop === last ? frames + 1 : 0;
                last = view.scrollTop;
                if (frames > 15) done(true); else requestAnimationFrame(look);
              };
              look();
            });
            """)
    }

    /// With forty songs, each line can be read from a stand, no line covers another, and all lines can be reached.
    @Test(arguments: Asked.some(of: [(390, 844), (1366, 768), (1024, 1366)])) @LoopActor
    func aPlanOfFortySongsIsLegibleAndScrolls(width: Int, height: Int) async throws {
        try await Desk.use(load: DemoLoad(plans: 1, chartsPerPlan: 40, bytesPerChart: 1000)) { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card a[data-plan]')")
            try await browser.run("document.querySelector('.plan-card a[data-plan]').click()")
            try await browser.wait(for: "\(Self.isShown) && document.querySelectorAll('ol.items .song').length === 40")
            let rows: [Row] = try await browser.ask(
                """
                return [...document.querySelectorAll("ol.items .song")].map((row) => {
                  const title = row.querySelector("h2 a");
                  const box = row.getBoundingClientRect();
                  const inside = [...row.querySelectorAll("a, .number")].map((each) => each.getBoundingClientRect());
                  return {
                    top: box.top, bottom: box.bottom, size: parseFloat(getComputedStyle(title).fontSize),
                    parts: Math.min(...[...row.querySelectorAll(".key, .chart")].map((each) => parseFloat(getComputedStyle(each).fontSize))),
                    isWhole: inside.every((each) => each.top >= box.top - 1 && each.bottom <= box.bottom + 1 && each.right <= innerWidth + 1),
                    target: Math.min(...[...row.querySelectorAll("a")].map((each) => each.getBoundingClientRect().height)),
                  };
                });
                """)
            #expect(rows.allSatisfy { $0.isWhole && $0.target >= 44 && $0.size >= 24 && $0.parts >= (width > 620 ? 24 : 20) }, "\(rows[0])")
            #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.bottom <= $1.top + 1 })
            let most = rows.map { $0.bottom - $0.top }.max() ?? 0
            #expect(most <= (width > 620 ? 80 : 130), "\(most): dense enough to look over")
            try await browser.screenshot("forty-\(width)")
            // Scroll to the end and back with keys.
            let scrolled = "document.getElementById('content').scrollTop"
            let last = "[...document.querySelectorAll('ol.items .song')].at(-1).getBoundingClientRect()"
            try await browser.run("document.activeElement.blur()")
            try await browser.press(.end)
            try await browser.wait(for: "\(last).bottom <= innerHeight && \(last).top >= 0")
            // Wait for the end of the scroll, which would otherwise override the next key.
            try await browser.wait(for: "\(scrolled) + content.clientHeight >= content.scrollHeight - 1")
            try await browser.screenshot("forty-end-\(width)")
            try await waitUntilAtRest(browser)
            try await browser.press(.home)
            try await browser.wait(for: "\(scrolled) === 0")
            try await waitUntilAtRest(browser)
            try await browser.press(.pageDown)
            try await browser.wait(for: "\(scrolled) > innerHeight / 2 && \(scrolled) < innerHeight")
            // The sentence about the agent is below the songs, and covers none.
            if width == 1366 {
                let edges = "[content.getBoundingClientRect().bottom, document.getElementById('banner').getBoundingClientRect().top]"
                desk.stopAgentsHeart()
                try await browser.wait(for: "!document.getElementById('banner').hidden")
                try await browser.screenshot("forty-silent")
                #expect(try await browser.ask("const [end, top] = \(edges); return top > 0 && end <= top"))
                desk.letAgentGoOn()
                try await browser.wait(for: "document.getElementById('banner').hidden")
            }
            // After returning from a chart, the page is scrolled as before.
            try await browser.run("\(scrolled) = 900; document.querySelectorAll('ol.items .song .chart')[20].click()")
            try await browser.wait(for: Desk.isReady)
            try await browser.press(.p)
            try await browser.wait(for: "\(Self.isShown) && Math.abs(\(scrolled) - 900) < 2")
        }
    }

    private struct Row: Decodable {
        var top: Double
        var bottom: Double
        /// The size of the title's letters, in CSS pixels.
        var size: Double
        /// The size of the smallest letters in the key and the names of parts.
        var parts: Double
        var isWhole: Bool
        /// The height of the lowest control.
        var target: Double
    }
}
