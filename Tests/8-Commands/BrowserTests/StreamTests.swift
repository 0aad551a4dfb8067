import Platform
import TestSupport
import Testing

/// The agent's events reach every window of a browser through one connection.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct StreamTests {
    /// Counts the event streams that a page opens.
    private static let counting = """
        window.streams = 0;
        const Real = EventSource;
        window.EventSource = class extends Real {
          constructor(...what) {
            super(...what);
            window.streams += 1;
          }
        };
        """
    private static let isOpen = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// Whether the shown page has marks of this colour.
    private func shows(_ color: String) -> String {
        """
        (() => {
          const canvas = document.querySelector(".stage > .sheet canvas.page");
          const context = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
          context.drawImage(canvas, 0, 0);
          const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
          const wanted = "\(color)".match(/../g).map((each) => parseInt(each, 16));
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (wanted.every((each, k) => Math.abs(data[i + k] - each) < 40)) count += 1;
          return count > 500;
        })()
        """
    }

    @Test @LoopActor func windowsSideBySideShareOneStream() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            @LoopActor func mark(_ color: String, _ chart: String) throws {
                try desk.save(
                    ##"{"id":"1","page":0,"kind":"pen","color":"#\##(color)","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##, on: chart)
            }
            try await browser.runFirst(Self.counting)
            let chart = try await desk.play().stops()[0].chart
            let address: String = try await browser.ask("return location.pathname + location.search")
            let first = try await browser.tab()
            let second = try await browser.openWindow()
            try await browser.runFirst(Self.counting)
            try await desk.visit(address)
            try await browser.wait(for: Self.isOpen)
            #expect(try await browser.ask("return document.visibilityState") == "visible")

            try mark("00ff00", chart)
            try await browser.wait(for: shows("00ff00"))
            #expect(try await browser.ask("return window.streams") == 0, "it hears through the other window")
            try await browser.turn(to: first)
            #expect(try await browser.ask("return document.visibilityState") == "visible")
            try await browser.wait(for: shows("00ff00"))
            #expect(try await browser.ask("return window.streams") == 1)

            // If one window detects that the agent is away or back, all windows show that.
            let banner = "document.getElementById('banner')"
            try await desk.endAgent()
            for window in [first, second] {
                try await browser.turn(to: window)
                try await browser.wait(for: "\(banner).textContent.startsWith('Woodshed’s agent does not answer')")
            }
            try await desk.beginAgain()
            for window in [first, second] {
                try await browser.turn(to: window)
                try await browser.wait(for: "\(banner).hidden")
            }

            // The remaining window opens its own stream, and requests the changes that it missed.
            try await browser.turn(to: first)
            try await browser.closeTab()
            try await browser.turn(to: second)
            try mark("ff00ff", chart)
            try await browser.wait(for: shows("ff00ff"))
            #expect(try await browser.ask("return window.streams") == 1)
        }
    }
}
