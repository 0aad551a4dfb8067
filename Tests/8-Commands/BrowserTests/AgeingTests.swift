import Platform
import TestSupport
import Testing

/// A page that stays open for days, for example on a tablet that always stays on its stand.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct AgeingTests {
    /// Sets the page's clock and the agent's time `window.ahead` milliseconds ahead, and lets timers of a minute fire after 50 ms.
    private static let ownTime = """
        (() => {
          const Real = Date;
          window.ahead = Number(sessionStorage.ahead ?? 0);
          window.Date = class extends Real {
            constructor(...parts) { super(...(parts.length > 0 ? parts : [Real.now() + window.ahead])); }
            static now() { return Real.now() + window.ahead; }
          };
          const later = setInterval;
          window.setInterval = (act, pause) => later(act, pause === 60_000 ? 50 : pause);
          const ask = fetch;
          window.fetch = async (...rest) => {
            const reply = await ask(...rest);
            if (rest[0] !== "/api/state" || !reply.ok) return reply;
            return new Response(JSON.stringify({ ...await reply.json(), now: new Date().toISOString() }), reply);
          };
        })();
        """

    /// Half a minute before the plan's day begins, the page shows "tomorrow"; once the day has begun, the page must not show that word.
    @Test(arguments: Asked.some(of: [("/", true), ("/plan/", false)])) @LoopActor
    func tomorrowBecomesTodayAtMidnight(path: String, withoutAgent: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let plan: String = try await browser.ask(
                "return fetch('/api/state').then((reply) => reply.json()).then(({ plans }) => plans[0].id)")
            try await browser.runFirst(Self.ownTime)
            try await browser.run(
                """
                return fetch("/api/state").then((reply) => reply.json()).then(({ plans }) => {
                  const midnight = new Date(plans[0].firstTime).setHours(0, 0, 0, 0);
                  sessionStorage.ahead = midnight - 30_000 - Date.now();
                });
                """)
            try await desk.visit(path == "/" ? path : path + plan)
            let words = "document.querySelector('.eyebrow')?.textContent.toLowerCase()"
            try await browser.wait(for: "\(words)?.includes('tomorrow')")
            if withoutAgent {
                desk.stopAgentsHeart()
                try await browser.wait(for: "!document.getElementById('banner').hidden")
            }
            try await browser.run("window.isTheSame = true; window.ahead += 60_000")
            try await browser.wait(for: "\(words)?.includes('today')")
            #expect(try await browser.ask("return window.isTheSame && !\(words).includes('tomorrow')"), "without being loaded anew")
            guard path == "/" else { return }
            let heard = "document.querySelector('.masthead .quiet').textContent"
            try await browser.run("window.heard = \(heard); window.ahead += 3 * 86_400_000")
            try await browser.wait(for: "\(heard).startsWith('Last synced ') && \(heard) !== window.heard")
            try await browser.wait(for: "\(words).includes('3 days ago')")
        }
    }
}
