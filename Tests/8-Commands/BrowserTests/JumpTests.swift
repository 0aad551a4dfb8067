import Platform
import TestSupport
import Testing

/// Jumps: made with two taps, taken by a tap or a key, and the way back.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct JumpTests {
    private static let scrolled = "Math.round(document.querySelector('.stage').scrollTop)"

    @Test @LoopActor func aJumpIsMadeWithTwoTapsAndTakenByTapAndKey() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.openToDraw(pages: 3)
            try await browser.run("hand.tool('Jump'); hand.draw([[0.8, 0.5]])")
            try await desk.press(.pageDown, to: 1)
            try await desk.press(.pageDown, to: 2)
            try await browser.run("hand.draw([[0.2, 0.4]])")
            try await browser.wait(for: Desk.isKept)
            let both = try await desk.kept(chart).sorted { $0.kind < $1.kind }
            #expect(both.map(\.kind) == ["jump", "landing"] && both.map(\.page) == [0, 2])
            #expect(both.first?.leads == both.last?.id && both.first?.pass == nil)

            // One step takes back both, from whatever page is open, and brings back both.
            try await browser.press(.z)
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart) == [])
            try await browser.press(.y)
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).count == 2)

            // The browser knows the jump from the agent alone, too.
            for isOpenedAgain in [false, true] {
                if isOpenedAgain { try await desk.openChart(chart) } else { try await desk.putToolsAway() }
                try await desk.press(.home, to: 0)
                try await browser.wait(for: "document.querySelector('.jump')?.getAttribute('aria-label') === 'Jump to page 3'")
                let box: [Int] = try await browser.ask(
                    """
                    const { x, y, width, height } = document.querySelector(".jump").getBoundingClientRect();
                    return [x + width / 2, y + height / 2, width, height].map(Math.round);
                    """)
                #expect(box[2] == 44 && box[3] == 44)
                try await browser.touch(x: box[0], y: box[1], by: (0, 0), for: 50)
                try await browser.wait(for: Desk.isAt(2))
                try await desk.press(.b, to: 0)
                try await desk.press(.j, to: 2)
                try await browser.run("document.querySelector('.jump-back').click()")
                try await browser.wait(for: Desk.isAt(0))
                try await desk.press(.y, to: 2)
                try await desk.press(.b, to: 0)
                // Beside the arrow, a tap turns one page.
                try await browser.touch(x: box[0], y: box[1] + 60, by: (0, 0), for: 50)
                try await browser.wait(for: Desk.isAt(1))
            }
            try await browser.expectAccess("a jump")
            try await browser.expectNoComplaints()
        }
    }

    /// Deleting one end deletes the other; Escape, or the tool again, takes back a jump that was only begun.
    @Test @LoopActor func aJumpHasBothEndsOrNone() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.openToDraw(pages: 2)
            // By keys alone, for the second time.
            try await browser.press([.q, .w, .w, .i, .enter])
            try await desk.press(.pageDown, to: 1)
            try await browser.press([.i, .enter])
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).compactMap(\.pass) == [2])
            #expect(try await desk.kept(chart).count == 2)
            try await browser.run("hand.draw([[0.3, 0.3]])")
            try await browser.press(.escape)
            try await browser.run("hand.draw([[0.3, 0.3]])")
            try await browser.press(.q)
            #expect(try await desk.kept(chart).count == 2)
            try await browser.press(.v)
            try await browser.run("document.querySelector('.ink-list [aria-label^=\"Where a jump\"]').focus()")
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'Delete', cancelable: true }))")
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart) == [])
            try await browser.expectNoComplaints()
        }
    }

    /// Gives the chart on the stand these jumps, as if they were its PDF's, and shows its first page again.
    @LoopActor private func give(_ jumps: String, _ desk: Desk) async throws {
        let browser = desk.browser
        try await browser.run(
            """
            const { book } = modules["books.js"];
            book.peek({ chart: document.body.dataset.chart, item: null }).jumps = \(jumps);
            return modules["later.js"].fetchLater();
            """)
        try await desk.press(.end, to: 2)
        try await desk.press(.home, to: 0)
        try await browser.wait(for: "document.querySelector('.jump')")
    }

    @Test @LoopActor func theCountSaysForWhichTimeAJumpIs() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await desk.openPages(try await desk.put(pages: 3))
            try await give(
                """
                [{ id: "coda", page: 0, x: 0.5, y: 0.5, box: [0.4, 0.5, 0.6, 0.52], pass: 2, to: { page: 2, x: 0, y: 0 } },
                 { id: "segno", page: 1, x: 0.5, y: 0.5, box: [0.4, 0.5, 0.6, 0.52], to: { page: 0, x: 0, y: 0 } }]
                """, desk)
            let time = "document.querySelector('.jump-time')?.textContent"
            try await browser.wait(for: "\(time) === 'now 1st time'")
            try await browser.noteCues()
            try await browser.press(.j)
            try await browser.wait(for: "\(Browser.lastCue) === 'No jump yet: this is the 1st time'")
            try await desk.press(.right, to: 1)
            try await desk.press(.j, to: 0)
            try await browser.wait(for: "\(time) === 'now 2nd time'")
            try await desk.press(.j, to: 2)
            try await desk.press(.b, to: 0)
            try await browser.wait(for: "\(time) === 'now 2nd time'")
            // A long press starts the count anew, and does not jump.
            let place: [Int] = try await browser.ask(
                """
                const { x, y, width, height } = document.querySelector(".jump").getBoundingClientRect();
                return [Math.round(x + width / 2), Math.round(y + height / 2)];
                """)
            try await browser.touch(x: place[0], y: place[1], by: (0, 0), for: 1000)
            try await browser.wait(for: "\(time) === 'now 1st time'")
            #expect(try await browser.ask("return document.body.dataset.position") == "0")
            try await browser.expectNoComplaints()
        }
    }

    /// Where a page is taller than the screen, the system of the destination is at the top.
    @Test @LoopActor func aDestinationComesToTheTopOfTheScreen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.openChart(try await desk.put(pages: 3))
            try await desk.choose("spread", "one")
            try await desk.hideControls()
            try await give("[{ id: 'low', page: 0, x: 0.5, y: 0.1, box: [0.4, 0.1, 0.6, 0.12], to: { page: 1, x: 0, y: 0.5 } }]", desk)
            try await desk.hideControls()
            let before: Int = try await browser.ask("return \(Self.scrolled)")
            try await desk.press(.j, to: 1)
            let share: Double = try await browser.ask(
                """
                const { top, height } = document.querySelector(".stage canvas.page").getBoundingClientRect();
                return -top / height;
                """)
            #expect(share > 0.3 && share <= 0.5, "\(share)")
            try await desk.press(.b, to: 0)
            #expect(try await browser.ask("return \(Self.scrolled)") == before)
        }
    }
}
