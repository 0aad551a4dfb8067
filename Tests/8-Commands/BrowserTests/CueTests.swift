import Platform
import TestSupport
import Testing

/// Texts that the stage shows for a moment, and the effects of a touch.
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
