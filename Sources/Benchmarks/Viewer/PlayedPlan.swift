import Platform
import WebDriver

/// The demo's next plan in the viewer itself, as a musician plays it: what its shell costs to load, how long until the whole plan is in
/// the browser, and how long turns take.
struct PlayedPlan: Decodable {
    /// The page, its code and its style, as far as they are loaded before the first page of music.
    var requests: Double
    var kibibytes: Double
    /// From opening the plan until all of its images are in the browser.
    var seconds: Double
    var pages: Double
    /// Each from the key to the frame that shows the page.
    var turns: [Double]

    /// Plays on two screens, in CSS pixels of so many pixels each, with so many turns forward at most.
    @LoopActor
    static func measure(_ agent: ViewedAgent, place: String, mostTurns: Int) async throws -> [Figure] {
        let screens: [(width: Int, height: Int, scale: Double)] = [(1366, 768, 1), (2560, 1440, 2)]
        var figures: [Figure] = []
        for screen in screens {
            let name = "@\(screen.width)@\(Int(screen.scale))"
            let played: PlayedPlan = try await agent.browse(place: place + name) { browser in
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                try await browser.open(try agent.invitation())
                return try await browser.ask(script, [mostTurns])
            }
            figures.append(Figure("played_turn_p95_ms" + name, unit: "ms", runs: [played.turns.percentile(0.95)]))
            guard screen == screens[0] else { continue }
            figures += [
                Figure("shell_requests", unit: "requests", runs: [played.requests]),
                Figure("shell_kib", unit: "KiB", runs: [played.kibibytes]),
                Figure("plan_in_browser_s", unit: "s", runs: [played.seconds]),
                Figure("plan_in_browser_pages", unit: "pages", runs: [played.pages]),
            ]
        }
        return figures
    }

    /// A turn each 300 ms, forward through the plan and back again.
    private static let script = """
        const until = async (holds) => {
          while (!holds()) await new Promise((resume) => setTimeout(resume, 10));
        };
        const [mostTurns] = arguments;
        return (async () => {
          await until(() => document.querySelector(".plan-card.next a[data-plan]"));
          const start = performance.now();
          document.querySelector(".plan-card.next a[data-plan]").click();
          const held = () => modules["plan-holder.js"].holder.progress;
          await until(() => held()?.isWhole);
          const [seconds, pages] = [(performance.now() - start) / 1000, held().all];
          document.querySelector(".plan-head a.button.strong").click();
          await until(() => document.body.dataset.view === "chart" && document.body.dataset.state === "ready");
          const shell = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
            .filter(({ name, entryType }) => entryType === "navigation" || name.includes("/assets/"));
          const kibibytes = shell.reduce((sum, entry) => sum + entry.transferSize, 0) / 1024;
          for (const key of ["ArrowRight", "ArrowLeft"]) {
            for (let number = 0; number < Math.min(pages, mostTurns); number += 1) {
              await new Promise((resume) => setTimeout(resume, 300));
              dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
            }
          }
          await new Promise((resume) => setTimeout(resume, 1000));
          const turns = performance.getEntriesByType("measure").filter(({ name }) => name.startsWith("paint-")).map(({ duration }) => duration);
          return { requests: shell.length, kibibytes, seconds, pages, turns };
        })();
        """
}
