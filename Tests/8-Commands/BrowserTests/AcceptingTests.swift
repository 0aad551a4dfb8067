import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// A person accepts a change on the page that reports it.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct AcceptingTests {
    @Test @LoopActor func aChartIsAcceptedAsItIsOnThePlansPage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 1000)
            _ = try await desk.play()
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            try await browser.runFirst(
                """
                const real = window.fetch;
                window.fetch = async (path, options) => {
                  if (path === "/api/accept") {
                    window.accepted = JSON.parse(options.body);
                    return new Response("{}");
                  }
                  const reply = await real(path, options);
                  if (!String(path).startsWith("/api/plan/") || window.accepted) return reply;
                  const told = await reply.json();
                  const { charts } = told.items.find((item) => item.charts.length > 0);
                  charts[0].doubts = { of: "tag", sentences: ["Page 1 is damaged, and something may be missing there."] };
                  return new Response(JSON.stringify(told));
                };
                """)
            try await desk.visit("/plan/" + plan)
            let doubts = "document.querySelector('.item details.changes')"
            try await browser.wait(for: "\(doubts)?.querySelector('summary').textContent.endsWith('right as it is?')")
            try await browser.run("\(doubts).open = true")
            try await browser.screenshot("doubts")
            try await browser.expectAccess("doubts")
            try await browser.run("\(doubts).querySelector('button').click()")
            try await browser.wait(for: "window.accepted && !\(doubts)")
            #expect(
                try await browser.ask(
                    "return window.accepted.plan === '\(plan)' && window.accepted.of === 'tag' && Boolean(window.accepted.chart)"))
        }
    }

    /// The service's version of a held-back plan can be read and accepted in the browser, without a terminal.
    @Test @LoopActor func aPlanThatIsHeldBackIsAcceptedWhereItIsSeen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 1000)
            _ = try await desk.play()
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            try await desk.visit("/plan/" + plan)
            try await browser.wait(for: "document.querySelectorAll('ol.items .chart').length > 3")
            try desk.service.edit(.shrinkPlan(plan: plan, keep: 1))
            _ = try await desk.run(["sync"])
            let offer = "document.querySelector('details.changes button.button')"
            try await browser.wait(
                for: "document.querySelector('details.changes summary')?.textContent.startsWith('The service has this plan with')")
            #expect(try await browser.ask("return document.querySelectorAll('ol.items .chart').length > 3"), "it is kept as it was")
            try await browser.run("document.querySelector('details.changes').open = true")
            try await browser.screenshot("held-back")
            // Only the version that was read can be accepted.
            let refused: Int = try await browser.ask(
                "return modules['api.js'].api.accept('\(plan)', 'another').then(() => 0, (error) => error.status)")
            #expect(refused == 410)
            // A musician may tap twice: only one request is sent, so none is refused.
            try await browser.run(
                """
                const real = window.fetch;
                window.taken = 0;
                window.fetch = (path, options) => {
                  if (path === "/api/accept") window.taken += 1;
                  return real(path, options);
                };
                const button = \(offer);
                button.click();
                button.click();
                """)
            try await browser.wait(for: "document.querySelectorAll('ol.items .chart').length <= 3")
            #expect(try await browser.ask("return window.taken") == 1)
            #expect(
                try await browser.ask(
                    "return !document.querySelector('details.changes summary')?.textContent.startsWith('The service has')"))
        }
    }
}
