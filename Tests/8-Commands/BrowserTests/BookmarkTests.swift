import Platform
import TestSupport
import Testing

/// Bookmarks: made, listed, found among the songs, and deleted.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct BookmarkTests {
    private static let rows = "[...document.querySelectorAll('dialog[open] .place > span:first-child')].map((each) => each.textContent)"

    @LoopActor private func openList(_ browser: Browser) async throws {
        try await browser.press(.o)
        try await browser.wait(for: "document.querySelector('dialog[open] .place-new input')")
    }

    @Test @LoopActor func aPlaceIsBookmarkedListedFoundAndForgotten() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.put(pages: 3)
            try await desk.openChart(chart)
            try await desk.choose("spread", "one")
            try await desk.choose("fit", "page")
            try await desk.turn(to: 1)
            try await openList(browser)
            #expect(try await browser.ask("return \(Self.rows)", as: [String].self) == [])
            try await browser.run("document.querySelector('.place-new input').focus()")
            try await browser.type("Verse 2")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Self.rows).join() === 'Verse 2'")
            try await browser.screenshot("bookmarks")
            try await browser.expectAccess("bookmarks")
            try await browser.press(.escape)
            try await browser.wait(for: Desk.isKept)
            let kept = try await desk.kept(chart)
            #expect(kept.map(\.kind) == ["bookmark"] && kept.map(\.page) == [1] && kept.first?.text == "Verse 2")

            // The agent lists it, too, and the song's own bookmarks are found with the songs.
            try await desk.openChart(chart)
            try await browser.wait(for: "modules['places.js']")
            try await browser.press(.slash)
            try await browser.wait(for: "document.activeElement.matches('dialog.finder input')")
            try await browser.type("verse")
            try await browser.wait(for: "document.querySelector('.found li[aria-selected=true] .found-title')?.textContent === 'Verse 2'")
            try await browser.press(.enter)
            try await browser.wait(for: "document.body.dataset.position === '1' && \(Desk.isReady)")

            try await openList(browser)
            try await browser.run("document.querySelector('.places li .button').click()")
            try await browser.wait(for: "document.querySelector('dialog[open]') && \(Self.rows).length === 0 && \(Desk.isKept)")
            #expect(try await desk.kept(chart) == [])
            try await browser.expectNoComplaints()
        }
    }

    /// The list has the PDF's contents, too; on a phone it needs no more room than there is.
    @Test @LoopActor func theContentsLeadToTheirPages() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(360, 740)
            try await desk.openChart(try await desk.put(pages: 3))
            try await browser.run(
                """
                modules["books.js"].book.peek({ chart: document.body.dataset.chart, item: null }).bookmarks =
                  [{ id: "1", title: "Part One", level: 0, page: 0, y: 0 }, { id: "2", title: "A title ".repeat(20), level: 1, page: 2, y: 0.3 }];
                """)
            try await openList(browser)
            let edges: [Double] = try await browser.ask(
                """
                const dialog = document.querySelector("dialog[open]");
                const rows = [...dialog.querySelectorAll(".place")].map((each) => each.getBoundingClientRect());
                return [rows.length, Math.max(...rows.map(({ right }) => right)) - innerWidth, Math.min(...rows.map(({ height }) => height)), dialog.scrollWidth - dialog.clientWidth];
                """)
            #expect(edges[0] == 2 && edges[1] <= 0 && edges[2] >= 44 && edges[3] <= 0, "\(edges)")
            try await browser.run("document.querySelectorAll('.place')[1].click()")
            try await browser.wait(for: "document.body.dataset.position === '2' && \(Desk.isReady) && !document.querySelector('dialog')")
            try await browser.press(.b)
            try await browser.wait(for: "document.body.dataset.position === '0' && \(Desk.isReady)")
        }
    }
}
