import Platform
import TestSupport
import Testing

/// Errors on a page are reported only to the test that borrowed the browser.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct BorrowedBrowserTests {
    /// Pages may still send requests when their browser is given back; they must be closed before the browser loses its cookie.
    @Test(arguments: 1...2) @LoopActor func nothingThatAFormerPageMetIsToldToTheNextTest(number: Int) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.slowDown(10)
            try await browser.run(
                """
                for (let i = 0; i < 40; i += 1) (async () => { while (true) await fetch("/api/state").catch(() => {}); })();
                """)
            let said = try await browser.forgetAll()
            #expect(said == [])
        }
    }

    @Test @LoopActor func whyARequestWasRefusedIsKept() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.run("return fetch('/api/chart/none?plan=1').then(() => null)")
            _ = try await desk.play()
            try await browser.run(
                """
                const { order, pages } = await fetch("/api/chart/" + document.body.dataset.chart).then((reply) => reply.json());
                const decoder = new Worker(document.querySelector("script[src^='/assets/']").src);
                const src = pages[order[0]].plain.src.replace(/-[0-9a-f]+\\.png$/, "-0.png");
                return new Promise((resolve) => {
                  decoder.onmessage = resolve;
                  decoder.postMessage({ id: 1, src, width: 10, height: 10 });
                }).then(() => null);
                """)
            try await desk.visit("/")
            let refusals = try await browser.refusals()
            #expect(refusals.count == 2)
            #expect(refusals.first?.contains("404 GET \(desk.address)/api/chart/none?plan=1, at /: {") == true, "\(refusals)")
            #expect(refusals.last?.contains("404 GET /pages/") == true && refusals.last?.contains("There is no such page") == true)
        }
    }
}
