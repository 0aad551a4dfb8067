import Platform
import StandInSupport
import TestSupport
import Testing

/// Events from the agent reach an open page.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct NewsTests {
    /// The number of pixels of the page on screen in a green that no chart has.
    private static let greens = """
        (() => {
          const canvas = document.querySelector(".stage > .sheet canvas.page");
          if (!canvas) return 0;
          const context = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
          context.drawImage(canvas, 0, 0);
          const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (data[i] < 40 && data[i + 1] > 220 && data[i + 2] < 40) count += 1;
          return count;
        })()
        """

    /// The number of green strokes that cross the middle of the page, which does not depend on the image's size.
    private static let strokes = """
        (() => {
          const canvas = document.querySelector(".stage > .sheet canvas.page");
          if (!canvas) return 0;
          const context = new OffscreenCanvas(1, canvas.height).getContext("2d");
          context.drawImage(canvas, -Math.round(canvas.width / 2), 0);
          const { data } = context.getImageData(0, 0, 1, canvas.height);
          const isGreen = (i) => i >= 0 && data[i] < 40 && data[i + 1] > 220 && data[i + 2] < 40;
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (isGreen(i) && !isGreen(i - 4)) count += 1;
          return count;
        })()
        """

    @Test @LoopActor func marksThatAreSavedAppearOnTheOpenPage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            #expect(try await browser.ask("return \(Self.greens)") == 0)
            let page: Int = try await browser.ask("return Number(document.body.dataset.page)")
            let line = ##"{"id":"1","page":\##(page),"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##
            try desk.save(line, on: stop.chart)
            try await browser.wait(for: "\(Self.greens) > 500")
            try await browser.screenshot("saved-marks")
            try desk.save("", on: stop.chart)
            try await browser.wait(for: "\(Self.greens) === 0")
            let account = try await witness.account()
            #expect(account.blank == 0 && account.arrivals == [], "the page stays where it is")
            try await browser.expectNoComplaints()
        }
    }

    private static func line(_ id: Int, on page: Int, height: Double) -> String {
        ##"{"id":"\##(id)","page":\##(page),"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,\##(height)],[0.8,\##(height)]]}"##
    }

    /// Answers and events come through two connections, so an event may arrive before an answer that was sent earlier.
    @Test @LoopActor func newsThatOvertakesAnAnswerIsNotLost() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            let page: Int = try await browser.ask("return Number(document.body.dataset.page)")
            let (first, second) = (Self.line(1, on: page, height: 0.4), Self.line(2, on: page, height: 0.6))
            try desk.save(first, on: stop.chart)
            try await browser.wait(for: "\(Self.strokes) === 1")
            try await browser.run(
                """
                const real = window.fetch;
                window.held = [];
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  const isHeld = window.held && new URL(path, location.href).pathname === "/api/chart/\(stop.chart)";
                  if (isHeld) await new Promise((resolve) => window.held.push(resolve));
                  return reply;
                };
                // Act like a window that becomes visible again, which connects anew and requests everything that it missed.
                dispatchEvent(new Event("pagehide"));
                dispatchEvent(new Event("pageshow"));
                """)
            try await browser.wait(for: "window.held.length > 0")
            try desk.save("\(first),\(second)", on: stop.chart)
            try await browser.wait(for: "\(Self.strokes) === 2")
            try await browser.run(
                """
                for (const answer of window.held) answer();
                window.held = null;
                return modules["api.js"].api.state().then(() => new Promise((resolve) => setTimeout(resolve, 300)));
                """)
            // A lost event would never be repeated. On a busy machine, the page may appear only now.
            try await browser.wait(for: "\(Self.strokes) === 2 && document.body.dataset.state === 'ready'")
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func marksWhoseImageCannotBeMadeLeaveThePageAndAreHintedAt() async throws {
        // The images fit the screen, so no sharper image of the same page arrives meanwhile and changes the pixels.
        try await Desk.use(fullSize: 1200, ownPrograms: true) { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            try await desk.hideControls()
            let stop = try await witness.stops()[0]
            let page: Int = try await browser.ask("return Number(document.body.dataset.page)")
            try desk.save(Self.line(1, on: page, height: 0.4), on: stop.chart)
            try await browser.wait(for: "\(Self.greens) > 500")
            let before: Int = try await browser.ask("return \(Self.greens)")

            let hint = "document.querySelector('.hint:not([hidden])')"
            try desk.takeRendererAway()
            try desk.save(Self.line(1, on: page, height: 0.4) + "," + Self.line(2, on: page, height: 0.6), on: stop.chart)
            try await browser.wait(for: hint)
            let said: String = try await browser.ask("return \(hint).innerText")
            #expect(said.contains("The latest marks are missing here: the image with them could not be made."))
            #expect(said.contains("the renderer does not start"))
            #expect(try await browser.ask("return \(Self.greens)") == before, "the page stays as it was")
            try await browser.screenshot("hint")
            try await browser.expectAccess("a hint")
            #expect(try await browser.ask("return document.body.dataset.state") == "ready")

            // After a turn to the next page and back, the hint is shown again.
            try await browser.press(.right)
            try await browser.wait(for: "document.body.dataset.state === 'ready' && !\(hint)")
            try await browser.press(.left)
            try await browser.wait(for: "document.body.dataset.state === 'ready' && \(hint)")
            #expect(try await browser.ask("return \(Self.greens)") == before)

            // After a while the hint is a single word, and stays that way when the screen is rotated.
            try await browser.wait(for: "\(hint) && !document.querySelector('.hint.fresh')")
            #expect(try await browser.ask("return document.querySelector('.hint-short').getBoundingClientRect().height > 8"))
            try await browser.screenshot("hint-rested")
            try await browser.resize(390, 844, scale: 2)
            try await browser.setDark(true)
            try await browser.run(
                "document.querySelector('.stage').dispatchEvent(new PointerEvent('pointermove', {pointerType: 'mouse', bubbles: true}))")
            try await browser.wait(
                for:
                    "document.body.dataset.state === 'ready' && \(hint) && document.querySelector('.stage canvas.page').getBoundingClientRect().width === 390"
            )
            try await browser.screenshot("hint-dark-narrow")
            try await browser.expectAccess("a hint in the dark")
            try await browser.resize(900, 1200)
            try await browser.setDark(false)

            try desk.bringRendererBack()
            try await browser.wait(for: "\(Self.greens) > \(before * 3 / 2) && !\(hint)")
            try await browser.screenshot("hint-gone")
            let account = try await witness.account()
            #expect(account.blank == 0 && account.wrong == [])
        }
    }

    @Test @LoopActor func manyTabsHearAndOneThatWasHiddenCatchesUp() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            let page: Int = try await browser.ask("return Number(document.body.dataset.page)")
            try await browser.run(
                """
                const banner = document.getElementById("banner");
                window.banners = [];
                new MutationObserver(() => banner.hidden || window.banners.push(banner.textContent))
                  .observe(banner, { attributes: true, childList: true });
                """)
            let first = try await browser.tab()
            var last = first
            // Open more tabs than the six connections that a browser opens to one host.
            for _ in 0..<8 {
                last = try await browser.openTab()
                try await desk.visit("/")
                try await browser.wait(for: "document.querySelector('.plan-card')")
                #expect(try await browser.ask("return document.visibilityState") == "visible")
            }
            try desk.save(Self.line(1, on: page, height: 0.4), on: stop.chart)
            try await browser.wait(
                for: "fetch('/api/chart/\(stop.chart)').then((reply) => reply.json()).then((chart) => chart.pages[\(page)].marked)")
            try await browser.show(first)
            try await browser.wait(for: "\(Self.greens) > 500")
            #expect(try await browser.ask("return window.banners") == [String]())
            // Further changes appear by themselves.
            try desk.save("", on: stop.chart)
            try await browser.wait(for: "\(Self.greens) === 0")
            try await browser.show(last)
            try await browser.wait(for: "document.visibilityState === 'visible' && document.querySelector('.plan-card')")
        }
    }

    @Test @LoopActor func aServiceThatIsAwayIsToldAndTheMusicStays() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let witness = try await desk.play()
            #expect(try await browser.ask("return document.getElementById('banner').hidden"))
            desk.service.stop()
            let sync = try await desk.run(["sync"])
            #expect(sync.exit != .code(0))
            try await browser.wait(for: "document.getElementById('banner').textContent.startsWith('Offline since')")
            #expect(try await browser.ask("return document.getElementById('banner').textContent.includes(' is stored on this computer.')"))
            try await browser.screenshot("offline-chart")
            let chart: String = try await browser.ask("return location.pathname + location.search")
            for number in 1...3 {
                try await browser.press(.right)
                try await witness.arrivals(number)
            }
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card') && !document.getElementById('banner').hidden")
            try await browser.screenshot("offline-plans")
            // A page that is opened later also reports since when the service has been unreachable.
            try await desk.visit(chart)
            try await browser.wait(for: "document.getElementById('banner').textContent.startsWith('Offline since')")
        }
    }
}
