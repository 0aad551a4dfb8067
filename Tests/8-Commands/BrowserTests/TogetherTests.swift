import Foundation
import Platform
import TestSupport
import Testing

/// Two browsers of one agent turn together.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct TogetherTests {
    private struct Turn: Decodable {
        var place: String
        /// In milliseconds since 1970.
        var at: Double
    }

    private static let here = "`${document.body.dataset.chart} ${document.body.dataset.position}`"
    private static let isShown = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    /// Notes each place that comes on the stand, and when.
    private static let noting = """
        window.noted = [];
        modules["events.js"].on("stand", () => noted.push({ place: \(here), at: performance.timeOrigin + performance.now() }));
        """
    private static let sign = "document.querySelector('.bar-together')"
    private static let isFollowing = "document.querySelector('.bar-together[aria-pressed=true]')"

    /// Runs a test with a browser that leads and another one that may follow, both at the first page of the plan.
    @LoopActor
    private func use(_ test: @LoopActor (_ desk: Desk, _ leader: Browser, _ other: Browser) async throws -> Void) async throws {
        try await Desk.use { desk in
            _ = try await desk.play()
            let address: String = try await desk.browser.ask("return location.href")
            let other = try await Browsers.borrow()
            do {
                // Both show as many pages side by side.
                for browser in [desk.browser, other] { try await browser.resize(900, 1200) }
                try await other.open(try await desk.secretAddress())
                try await other.open(address)
                for browser in [desk.browser, other] {
                    try await browser.wait(for: "\(Self.isShown) && modules['later.js'].later('together')")
                }
                try await desk.browser.run("modules['later.js'].later('together').lead()")
                for browser in [desk.browser, other] { try await browser.wait(for: "\(Self.sign) && !\(Self.sign).hidden") }
                try await test(desk, desk.browser, other)
            } catch {
                await Browsers.giveBack(other)
                throw error
            }
            await Browsers.giveBack(other)
        }
    }

    @LoopActor
    private func follow(_ browser: Browser) async throws {
        try await browser.run("modules['later.js'].later('together').follow()")
        try await browser.wait(for: Self.isFollowing)
    }

    /// Prints how late a follower is. `WOODSHED_TOGETHER_P95` is the bound in milliseconds, for a quiet machine.
    @Test @LoopActor func fiveTurnsASecondArriveAndNobodyEndsElsewhere() async throws {
        try await use { _, leader, other in
            try await follow(other)
            for browser in [leader, other] { try await browser.run(Self.noting) }
            for part in 1...4 {
                try await leader.run(
                    """
                    let count = 0;
                    const turning = setInterval(() => {
                      const key = Math.floor(count / 6) % 2 ? "ArrowLeft" : "ArrowRight";
                      dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                      count += 1;
                      if (count === 50) { clearInterval(turning); window.turned = \(part); }
                    }, 200);
                    """)
                try await waitUntil { try await leader.ask("return window.turned === \(part)") }
            }
            let end: String = try await leader.ask("return \(Self.here)")
            try await other.wait(for: "\(Self.here) === '\(end)'")
            let led: [Turn] = try await leader.ask("return noted")
            let followed: [Turn] = try await other.ask("return noted")
            let late = led.compactMap { turn in
                followed.first { $0.place == turn.place && $0.at >= turn.at - 2 }.map { max(0, $0.at - turn.at) }
            }.sorted()
            #expect(led.count >= 190 && late.count >= led.count * 9 / 10)
            guard !late.isEmpty else { return }
            let p95 = late[late.count * 95 / 100]
            print("turning together: p50 \(Int(late[late.count / 2])) ms, p95 \(Int(p95)) ms of \(late.count) turns")
            let bound = ProcessInfo.processInfo.environment["WOODSHED_TOGETHER_P95"].flatMap { Double($0) } ?? 1000
            #expect(p95 <= bound)
            for browser in [leader, other] { try await browser.expectNoComplaints() }
        }
    }

    @Test @LoopActor func whoTurnsByHandIsFreeUntilFollowingAgain() async throws {
        try await use { _, leader, other in
            try await follow(other)
            try await other.press(.nextItem)
            try await other.wait(for: "!document.querySelector('.together-again').hidden")
            let own: String = try await other.ask("return \(Self.here)")
            try await leader.press(.right)
            try await leader.wait(for: Self.isShown)
            let led: String = try await leader.ask("return \(Self.here)")
            #expect(try await other.ask("return \(Self.here)") == own)
            try await other.run("document.querySelector('.together-again').click()")
            try await other.wait(for: "\(Self.here) === '\(led)'")
            #expect(try await other.ask("return document.querySelector('.together-again').hidden"))
        }
    }

    @Test @LoopActor func aSignOfLifeLeavesAPageAsFarAsItsMusicianScrolledIt() async throws {
        try await use { _, _, other in
            try await follow(other)
            let stage = "document.querySelector('.stage')"
            try await other.run("modules['settings.js'].settings.set('fit', 'width')")
            try await other.wait(for: "\(Self.isShown) && \(stage).scrollHeight > \(stage).clientHeight + 100")
            try await other.run(
                "\(stage).scrollTop = 80; window.received = 0; modules['events.js'].on('together', () => { window.received += 1; });")
            try await other.wait(for: "window.received > 1")
            #expect(try await other.ask("return Math.round(\(stage).scrollTop)") == 80)
        }
    }

    @Test @LoopActor func whatTheLeaderSaysIsSeenAndTheLeadIsTakenWithOneTap() async throws {
        try await use { _, leader, other in
            try await leader.run("modules['later.js'].later('together').say('Again from B')")
            try await other.wait(
                for: "document.querySelector('.together').textContent === 'Again from B' && !document.querySelector('.together').hidden")
            try await other.run("modules['later.js'].later('together').lead()")
            try await other.wait(for: "\(Self.sign).textContent === 'You lead'")
            try await leader.wait(for: "\(Self.sign).textContent.endsWith('leads')")
        }
    }

    @Test @LoopActor func withoutNewsThePageStaysAndSaysSo() async throws {
        try await use { _, leader, other in
            try await follow(other)
            let page: String = try await other.ask("return \(Self.here)")
            try await leader.open("about:blank")
            try await other.wait(for: "\(Self.sign).textContent.startsWith('No news from')")
            #expect(try await other.ask("return \(Self.here)") == page)
        }
    }

    @Test @LoopActor func whoComesLateIsWhereTheLeaderIs() async throws {
        try await use { _, leader, other in
            try await leader.press(.nextItem)
            try await leader.wait(for: Self.isShown)
            let led: String = try await leader.ask("return \(Self.here)")
            try await other.run("location.reload()")
            try await other.wait(for: "\(Self.sign) && !\(Self.sign).hidden")
            try await follow(other)
            try await other.wait(for: "\(Self.here) === '\(led)'")
        }
    }
}
