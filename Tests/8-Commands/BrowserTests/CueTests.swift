import Platform
import TestSupport
import Testing

/// Texts that the stage and the bar show, and the effects of a touch.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct CueTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    @Test @LoopActor func aSongsBeginningAndEndAreShownAndGo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await browser.noteCues()
            try await browser.press(.nextItem)
            try await browser.wait(for: "/^2 of \\d+ · ./.test\(Browser.lastCue)")
            try await browser.screenshot("cue-song")
            let spoken: String = try await browser.ask("return document.getElementById('spoken').textContent")
            #expect(spoken.contains(", page 1 of"))
            try await browser.wait(for: "document.querySelector('.cue').hidden")
            try await browser.press(.end)
            try await browser.wait(for: "/^Next: ./.test\(Browser.lastCue)")
            try await browser.press(.h)
            try await browser.wait(for: "\(Browser.lastCue) === 'Half-page turns: on'")
            try await browser.press(.h)
            var before = -1
            while true {
                let now: Int = try await browser.ask(
                    "return performance.getEntriesByType('measure').filter(({ name }) => name.startsWith('turn')).length")
                if now == before { break }
                before = now
                try await browser.press(.nextItem)
                try await browser.wait(for: "(\(Self.isReady) || document.body.dataset.state === 'missing')")
            }
            try await browser.press(.end)
            try await browser.wait(for: "/Last page of the plan$/.test(\(Browser.lastCue))")
            try await browser.press(.right)
            try await browser.wait(for: "\(Browser.lastCue) === 'End of the plan'")
        }
    }

    /// A song that was found outside the plan says so, and the way back leads to the very turn.
    @Test @LoopActor func aSongOutsideThePlanLeadsBackToTheTurn() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play(asOpened: true)
            try await browser.noteCues()
            let place = "[document.body.dataset.chart, document.querySelector('.stage').scrollTop].join(' ')"
            try await desk.hideControls()
            try await browser.press(.right)
            try await browser.wait(for: "document.querySelector('.stage').scrollTop > 100")
            let before: String = try await browser.ask("return \(place)")
            try await browser.press(.slash)
            try await browser.wait(for: "document.activeElement.matches('dialog input')")
            try await browser.type("silent")
            try await browser.wait(
                for: "document.querySelector('.found [aria-selected=true] .found-title')?.textContent === 'Silent Night'")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Self.isReady) && \(Browser.lastCue) === 'Not in this plan · ] leads back'")
            #expect(try await browser.ask("return document.querySelector('.bar-where').textContent.startsWith('Not in this plan')"))
            try await browser.press(.nextItem)
            try await browser.wait(for: "\(Self.isReady) && \(place) === '\(before)'")
        }
    }

    /// Words over the music stand in white of the page, if it has any, and no line of them is cut.
    @Test(arguments: [(1366, 768), (390, 844)]) @LoopActor func wordsCoverNeitherPrintNorMarks(width: Int, height: Int) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            _ = try await desk.play(asOpened: true)
            try await browser.wait(for: "modules['later.js'].later('white')")
            try await desk.hideControls()
            try await browser.run(
                """
                const cue = document.querySelector(".cue");
                window.placed = [];
                new MutationObserver(() => {
                  if (cue.hidden) return;
                  const box = cue.getBoundingClientRect();
                  const copy = new OffscreenCanvas(Math.round(box.width), Math.round(box.height)).getContext("2d");
                  for (const canvas of document.querySelectorAll(".stage canvas.page")) {
                    const page = canvas.getBoundingClientRect();
                    copy.drawImage(canvas, page.left - box.left, page.top - box.top, page.width, page.height);
                  }
                  const { data } = copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height);
                  const isCovering = data.some((value, i) => i % 4 < 3 && value < 150 && data[i - i % 4 + 3] > 0);
                  window.placed.push({ isCovering, isAtEdge: cue.style.top === "0px", isCut: cue.scrollHeight > cue.clientHeight + 1 });
                }).observe(cue, { attributes: true, attributeFilter: ["hidden"], childList: true });
                """)
            struct Placed: Decodable {
                var isCovering, isAtEdge, isCut: Bool
            }
            for number in 2...4 {
                try await browser.press(.nextItem)
                try await browser.wait(for: "\(Self.isReady) && document.querySelector('.cue').textContent.startsWith('\(number) of')")
            }
            let placed: [Placed] = try await browser.ask("return window.placed")
            #expect(placed.count >= 3 && placed.contains { !$0.isAtEdge })
            #expect(placed.allSatisfy { !$0.isCut && ($0.isAtEdge || !$0.isCovering) }, "\(placed)")
        }
    }

    /// On a phone, the bar has room for the title and the key, and the other parts are offered under "View".
    @Test @LoopActor func aPhonesBarNamesTheSong() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(390, 844)
            _ = try await desk.play()
            try await browser.press(.nextItem)
            try await browser.wait(for: "\(Self.isReady) && document.querySelector('.bar-title').textContent === 'Holy, Holy, Holy'")
            try await browser.press(.tab)
            try await browser.wait(for: "document.body.dataset.bar === 'shown'")
            try await browser.screenshot("phone-bar")
            #expect(
                try await browser.ask(
                    """
                    const title = document.querySelector(".bar-title");
                    return title.scrollWidth <= title.clientWidth && !document.querySelector(".bar-part").checkVisibility();
                    """))
            try await browser.press(.v)
            try await browser.wait(
                for: "[...document.querySelectorAll('dialog[open] button')].some((each) => each.textContent === 'Choose another part…')")
        }
    }

    /// At the sides, a touch turns the page even if the thumb rests or slips a little; in the middle such a touch does not.
    @Test @LoopActor func aSlowAndUnsteadyTouchTurns() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            try await browser.touch(x: 800, y: 600, by: (30, -25), for: 900)
            try await witness.arrivals(1)
            try await browser.touch(x: 100, y: 600, by: (0, 0), for: 900)
            try await witness.arrivals(2)
            try await browser.touch(x: 450, y: 600, by: (20, 0), for: 900)
            try await browser.touch(x: 800, y: 600, by: (0, 0), for: 50)
            try await witness.arrivals(3)
            let account = try await witness.account()
            let stops = try await witness.stops()
            #expect(account.arrivals == [stops[1], stops[0], stops[1]])
        }
    }
}
