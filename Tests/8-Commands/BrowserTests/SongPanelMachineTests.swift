import Platform
import TestSupport
import Testing

/// The states of the key panel (key-choices.js), in an order that a seed decides. `failed` is `shown` with a sentence on what was dropped.
///
///     shown ──chosen──► asked ──┬─ answered ───────────────────► shown, in the new key
///                               ├─ refused, or no answer ──────► failed ──chosen──► asked
///                               └─ no answer at once, but here ► waits ──┬─ answered ► shown
///                                                                        └─ refused ─► shown; the agent's is offered
///
/// Meanwhile the agent hangs, ends or cannot draw, the page is loaded anew, and somebody chooses in another window.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SongPanelMachineTests {
    private static let longest = 100
    /// As many steps as `WOODSHED_TEST_STEPS` sets, in stretches with consecutive seeds from `WOODSHED_TEST_SEED` on.
    private static let stretches: [PanelMachine.Stretch] = {
        let (first, steps) = (Asked.seeds(everyday: 1)[0], max(1, Asked.number("STEPS", everyday: 200)))
        return stride(from: 0, to: steps, by: longest).enumerated().map { number, done in
            PanelMachine.Stretch(seed: first &+ UInt64(number), steps: min(longest, steps - done))
        }
    }()

    /// Panel, bar, stand, page and agent have the same key, capo and writing, and a choice that failed is not done.
    @Test(arguments: stretches) @LoopActor func whateverIsChosenAllAgreeWhenItIsQuiet(stretch: PanelMachine.Stretch) async throws {
        try await Desk.use(ownPrograms: true) { desk in
            try await desk.browser.resize(900, 1200)
            try await PanelMachine(desk, desk.browser, stretch).run()
        }
    }

    /// The browsers that keep songs when they end. A private window has no shelf, which a reload without the agent needs.
    private static let others = [OtherBrowser.Make.webKit, .firefox].filter(\.isInstalled)

    /// These browsers take a minute for a hundred steps, and under load a choice may be kept whose answer comes just after the window gave
    /// it up. So they are tried when somebody asks for it, and looks at the story.
    @Test(.enabled(if: Asked.number("STEPS") != nil, "set WOODSHED_TEST_STEPS"), arguments: others, stretches) @LoopActor
    func allAgreeInOtherBrowsersToo(make: OtherBrowser.Make, stretch: PanelMachine.Stretch) async throws {
        try await Desk.use(ownPrograms: true) { desk in
            try await desk.browser.open("about:blank")
            let browser = try await OtherBrowser(make)
            do {
                try await browser.resize(900, 1280)
                try await browser.open(try await desk.secretAddress())
                try await PanelMachine(desk, browser, stretch).run()
            } catch {
                try? await browser.screenshot("song-panel-\(make)")
                await browser.end()
                throw error
            }
            await browser.end()
        }
    }
}
