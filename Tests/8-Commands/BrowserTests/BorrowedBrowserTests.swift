import Platform
import TestSupport
import Testing

/// What is told of pages to the test that borrowed the browser, and to no other.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct BorrowedBrowserTests {
    /// Pages that still ask while their browser is given back are gone before it is no longer signed in.
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
}
