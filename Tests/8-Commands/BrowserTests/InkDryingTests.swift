import Platform
import TestSupport
import Testing

/// New ink is always visible. The page's image replaces it once the agent reports that the image contains it.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct InkDryingTests {
    /// The visible redness where these tests draw: of the ink over the page or, if there is none, of the page itself.
    @LoopActor private static let seen = "(\(redness("canvas.ink")) || \(redness("canvas.page")))"

    @LoopActor private static func redness(_ canvas: String) -> String { Desk.redness(0.2, 0.28, 0.8, 0.32, of: canvas) }

    @Test @LoopActor func noFrameLacksAMark() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            _ = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.run(
                """
                window.frames = { all: 0, bare: 0 };
                const look = () => {
                  window.frames.all += 1;
                  if (\(Self.seen) < 100) window.frames.bare += 1;
                  requestAnimationFrame(look);
                };
                look();
                """)
            // Draw more while the agent makes the image with the first mark.
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Self.redness("canvas.page")) > 100"))
            #expect(try await browser.ask("return window.frames.all > 3 && window.frames.bare === 0"))
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func inkOfALayerThatIsHiddenDries() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await desk.waitUntilDry()
            let red = Desk.redness(0.2, 0.48, 0.8, 0.52)
            #expect(try await browser.ask("return \(red) > 100"))
            try await browser.run(
                """
                return (async () => {
                  const { layers } = await modules["api.js"].api.chart({ chart: "\(chart)" });
                  for (const { id, name } of layers) if (name === "Drawn in Woodshed") await modules["api.js"].api.showLayer("\(chart)", id, false);
                })();
                """)
            try await browser.wait(for: "\(red) === 0")
            try await desk.takeToolsOut()
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Self.redness("canvas.page")) === 0"))
            #expect(try await desk.kept(chart).count == 2)
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func inkDriesWhereMarksAreSwitchedOffAndIsThereWhenTheyAreOnAgain() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            _ = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.2, 0.3), (0.8, 0.3))
            try await browser.run("modules['settings.js'].settings.set('marks', false)")
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Self.redness("canvas.page")) === 0"))
            try await browser.run("modules['settings.js'].settings.set('marks', true)")
            try await browser.wait(for: "\(Self.redness("canvas.page")) > 100")
            try await browser.expectNoComplaints()
        }
    }

    /// The white-out covers the ink, so no pixel shows whether the image contains it.
    @Test @LoopActor func inkUnderWhiteOutDries() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            let chart = try await desk.openToDraw()
            try await browser.run("hand.tool('Red')")
            try await desk.draw((0.25, 0.3), (0.75, 0.3))
            try await browser.run("hand.tool('White-out')")
            for height in [0.295, 0.3, 0.305] { try await desk.draw((0.2, height), (0.8, height)) }
            try await desk.waitUntilDry()
            #expect(try await browser.ask("return \(Self.redness("canvas.page")) === 0"))
            #expect(try await desk.kept(chart).count == 4)
            try await browser.expectNoComplaints()
        }
    }
}
