import DemoService
import Platform
import TestSupport
import Testing

/// What comes to the browser while it is looked at.
@Suite(.onLoop, .serialized, .timeLimit(.minutes(10)), .enabled(if: Browser.isInstalled, Browser.isMissing))
struct NewsTests {
    /// How many pixels of the page on screen are of a green that no chart has.
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
            #expect(try await browser.complaints() == [])
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
            try await browser.screenshot("offline-chart")
            for number in 1...3 {
                try await browser.press(.right)
                try await witness.arrivals(number)
            }
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card') && !document.getElementById('banner').hidden")
            try await browser.screenshot("offline-plans")
        }
    }
}
