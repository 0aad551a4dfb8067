import Platform
import TestSupport
import Testing

/// A musician sets margins by hand, for one chart and in one browser.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct HandMarginsTests {
    private static let edge = "(name) => document.querySelector(`dialog[open] .margin-edge.${name}`)"

    /// Opens the panel in which margins are set on a page.
    @LoopActor private func openBox(_ browser: Browser) async throws {
        try await browser.press(.v)
        try await browser.wait(for: "document.querySelector('dialog[open] .by-hand button')")
        try await browser.run("document.querySelector('dialog[open] .by-hand button').click()")
        try await browser.wait(for: "document.querySelector('dialog[open] .margin-page img')?.complete && (\(Self.edge))('left')")
    }

    @LoopActor private func value(_ edge: String, _ browser: Browser) async throws -> Int {
        try await browser.ask("return Number((\(Self.edge))('\(edge)').getAttribute('aria-valuenow'))")
    }

    @LoopActor private func use(_ browser: Browser) async throws {
        try await browser.run("document.querySelector('dialog[open] .button.strong').click()")
        try await browser.wait(for: "!document.querySelector('dialog[open]') && \(Desk.isReady)")
    }

    @Test @LoopActor func keysMoveTheEdges() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 2)
            try await desk.openChart(chart)
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "one")
            try await desk.choose("margins", "printed")
            try await openBox(browser)
            #expect(try await value("left", browser) == 0, "as printed")
            // The left edge has the focus at first, and Tab leads to the right edge.
            try await browser.press(Array(repeating: .right, count: 40))
            #expect(try await value("left", browser) == 20)
            try await browser.press([.tab] + Array(repeating: .left, count: 20))
            #expect(try await value("right", browser) == 90)
            #expect(try await browser.ask("return (\(Self.edge))('right') === document.activeElement"))
            let smallest: Double = try await browser.ask(
                "return Math.min(...[...document.querySelectorAll('dialog[open] button')].map((each) => each.getBoundingClientRect().height))"
            )
            #expect(smallest >= 44)
            try await browser.screenshot("margins-by-hand")
            try await browser.expectAccess("margins")
            try await browser.setDark(true)
            try await browser.screenshot("margins-by-hand-dark")
            try await browser.expectAccess("margins in the dark")
            try await use(browser)

            // Measure the second page: the first one has marks from the stand-in, and marks may extend the visible part.
            try await desk.turn(to: 1)
            let bare = try await desk.shownPart()
            #expect(abs(bare.left / bare.width - 0.2) < 0.005 && abs(bare.right / bare.width - 0.1) < 0.005)
            #expect(bare.top == 0 && bare.bottom == 0)
            // The margins are kept, for this chart only.
            try await desk.openChart(chart, page: 2)
            let again = try await desk.shownPart()
            #expect(abs(again.left / again.width - bare.left / bare.width) < 0.005)

            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog[open] .by-hand button:nth-child(2):not([hidden])')")
            try await browser.screenshot("margins-to-forget")
            try await browser.run("document.querySelector('dialog[open] .by-hand button:nth-child(2)').click()")
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]') && \(Desk.isReady)")
            let automatic = try await desk.shownPart()
            #expect(automatic.cut == 0 && automatic.left / automatic.width < 0.1 && automatic.left > 0)
            try await browser.expectNoComplaints()
        }
    }

    /// A finger drags the edge under it, or the nearest corner; Escape restores the former margins.
    @Test @LoopActor func fingersDragTheEdges() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.openChart(try await desk.put(pages: 1))
            try await desk.choose("margins", "printed")
            try await openBox(browser)
            let page = "document.querySelector('dialog[open] .margin-page').getBoundingClientRect()"
            func place(_ side: String) async throws -> Int { try await browser.ask("return Math.round(\(page).\(side))") }
            let (left, top) = try await (place("left"), place("top"))
            let (width, height) = try await (place("width"), place("height"))
            try await browser.touch(x: left + 2, y: top + height / 2, by: (width / 4, 0), for: 50)
            let dragged = try await value("left", browser)
            #expect((24...26).contains(dragged))
            try await browser.touch(x: left + width * 9 / 10, y: top + height * 9 / 10, by: (-width / 10, -height / 5), for: 50)
            let (right, bottom) = try await (value("right", browser), value("bottom", browser))
            #expect((89...91).contains(right) && (79...81).contains(bottom))
            #expect(try await value("top", browser) == 0)
            // An edge stops at the border of the page, and at the opposite edge.
            try await browser.touch(x: left + width * 9 / 10, y: top + height * 2 / 5, by: (-width, 0), for: 50)
            let stopped = try await value("right", browser)
            #expect((44...46).contains(stopped))
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]') && \(Desk.isReady)")
            #expect(try await desk.shownPart().left == 0)
        }
    }

    @Test @LoopActor func marksOutsideAreShownAllTheSame() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 2)
            try await desk.openChart(chart, page: 2)
            try await desk.choose("spread", "one")
            try await desk.choose("fit", "page")
            try await desk.choose("margins", "printed")
            try await openBox(browser)
            try await browser.press(Array(repeating: .right, count: 60))
            try await use(browser)
            let before = try await desk.shownPart()
            #expect(abs(before.left / before.width - 0.3) < 0.005)
            // The new mark is on music that the margins cut off.
            try desk.save(
                ##"{"id":"1","page":1,"kind":"pen","color":"#cc0000","width":0.004,"points":[[0.2,0.4],[0.25,0.6]]}"##, on: chart)
            try await browser.wait(for: "\(Desk.shown).left < \(before.left - 20) && \(Desk.isReady)")
            let after = try await desk.shownPart()
            #expect((0.17..<0.2).contains(after.left / after.width), "\(after)")
            #expect(after.right == 0 && after.top == 0 && after.bottom == 0)
            try await browser.press(.m)
            try await browser.wait(for: "\(Desk.shown).left === \(before.left) && \(Desk.isReady)")
        }
    }
}
