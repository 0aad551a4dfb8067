import Platform
import TestSupport
import Testing

/// Pedals and remotes beyond the keys that turn: a long press, a wheel, volume keys, and one page of two.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct PedalTests {
    /// A script that holds a key for this many milliseconds; keys that repeat meanwhile change nothing.
    private static func hold(_ key: String, for milliseconds: Int) -> String {
        """
        const tell = (kind, repeat = false) => (document.activeElement ?? document.body)
          .dispatchEvent(new KeyboardEvent(kind, { key: "\(key)", code: "\(key)", repeat, bubbles: true, cancelable: true }));
        tell("keydown");
        const repeating = setInterval(() => tell("keydown", true), 30);
        return new Promise((go) => setTimeout(() => {
          clearInterval(repeating);
          tell("keyup");
          go();
        }, \(milliseconds)));
        """
    }

    @LoopActor private func teach(_ command: String, _ script: String, _ browser: Browser) async throws {
        try await browser.run(
            """
            const teach = document.querySelector(".pedals [aria-label='Teach a pedal “\(command)”']");
            teach.focus();
            teach.click();
            """)
        try await browser.run(script)
    }

    @Test @LoopActor func aPedalHasASecondCommandAndAWheelAndVolumeKeysHaveOne() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await desk.openPages(try await desk.put(pages: 3))
            let wheel = """
                const turn = () => new WheelEvent("wheel", { deltaY: 40, bubbles: true, cancelable: true });
                for (let i = 0; i < 5; i += 1) document.querySelector(".stage").dispatchEvent(turn());
                """
            try await browser.press(.question)
            try await browser.wait(for: "document.querySelector('.pedals li')")
            try await teach("Next page", Self.hold("F13", for: 20), browser)
            try await teach("First page of the song", Self.hold("F13", for: 1000), browser)
            try await teach("Previous page", wheel, browser)
            try await teach("One page of two on", Self.hold("AudioVolumeUp", for: 20), browser)
            let known: [String] = try await browser.ask(
                "return [...document.querySelectorAll('.pedals li .quiet')].map((each) => each.textContent).filter(Boolean)")
            #expect(known == ["F13", "Wheel ↓", "F13, held", "Volume ↑"])
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")

            try await browser.run(Self.hold("F13", for: 100))
            try await browser.wait(for: Desk.isAt(1))
            try await browser.run(Self.hold("AudioVolumeUp", for: 20))
            try await browser.wait(for: Desk.isAt(2))
            // Many events of a wheel are one turn.
            try await browser.run(wheel)
            try await browser.wait(for: Desk.isAt(1))
            try await browser.run(Self.hold("F13", for: 1000))
            try await browser.wait(for: Desk.isAt(0))
            #expect(try await browser.ask("return document.body.dataset.position") == "0", "a release after a long press does nothing")
            try await browser.expectNoComplaints()
        }
    }

    /// Whoever draws presses the keys of the tools, and turns with the others, though something was taught for holding them.
    @Test @LoopActor func aShortPressOfAKeyThatIsHeldDoesWhileDrawingWhatTheKeyDoes() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await desk.openToDraw(pages: 3)
            try await browser.run(
                "for (const key of ['p', 'Enter', 'PageDown']) modules['settings.js'].settings.put('pedals', `Held ${key}`, 'first')")
            // The commands of pedals come with the panels.
            try await browser.press(.question)
            try await browser.wait(for: "document.querySelector('.pedals li')")
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
            try await browser.run("hand.tool('Box')")
            try await browser.run(Self.hold("p", for: 100))
            try await browser.wait(for: "document.querySelector('.draw [aria-label^=Pen]').getAttribute('aria-pressed') === 'true'")
            #expect(try await browser.ask("return document.body.dataset.view") == "chart", "p leaves the music only without the tools")
            try await browser.run("hand.tool('Box')")
            try await browser.press(.i)
            try await browser.run(Self.hold("Enter", for: 100))
            try await browser.press([.right, .right, .down])
            try await browser.run(Self.hold("Enter", for: 100))
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).map(\.kind) == ["rectangle"])
            try await browser.run(Self.hold("PageDown", for: 100))
            try await browser.wait(for: Desk.isAt(1))
            try await browser.run(Self.hold("PageDown", for: 1000))
            try await browser.wait(for: Desk.isAt(0))
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func aSpreadTurnsByOnePage() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1600, 900)
            try await desk.openChart(try await desk.put(pages: 4))
            try await desk.choose("fit", "page")
            try await desk.choose("spread", "two")
            func turn(_ key: String, to position: Int) async throws {
                try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: '\(key)', shiftKey: true, cancelable: true }))")
                try await browser.wait(for: "\(Desk.isAt(position)) && document.querySelectorAll('.stage canvas.page').length === 2")
            }
            try await turn("PageDown", to: 1)
            try await turn("PageDown", to: 2)
            try await turn("PageUp", to: 1)
            try await turn("PageUp", to: 0)
            try await browser.expectNoComplaints()
        }
    }
}
