import LibPNG
import Platform
import WebDriver

/// What is to be timed: an image, and what the agent is told before it is asked for.
struct Turn: Encodable {
    var address: String
    var selection: String?

    /// How long pages take from the request until they are there, by where they come from. Nothing was selected before.
    @LoopActor
    static func measure(
        _ pages: [ViewedPage], isQuick: Bool, by milliseconds: ([Turn]) async throws -> [Double]
    ) async throws -> Measurements {
        let counts = isQuick ? (turns: 20, live: 5) : (turns: 200, live: 50)
        var measured = Measurements()
        measured.add("turn_disk_p50_ms", "ms", try await milliseconds(pages.map { Turn(address: $0.address) }))
        // In playing order, each asked for as somebody turning pages does: once the page before it is on screen.
        let walk = (0..<counts.turns).flatMap { place in
            let (page, next) = (pages[place % pages.count], pages[(place + 1) % pages.count])
            // First the page that was selected, which is in memory; then the next one, which the agent knows to be next.
            return [Turn(address: page.address, selection: page.selection), Turn(address: next.address)]
        }
        let times = try await milliseconds(walk)
        measured.add("turn_memory_p50_ms", "ms", times.indices.filter { $0 % 2 == 0 }.map { times[$0] })
        measured.add("turn_p95_ms", "ms", times.indices.filter { $0 % 2 == 1 }.map { times[$0] }.percentile(0.95))
        let live = (0..<counts.live).map { Turn(address: pages[$0 % pages.count].liveAddress) }
        measured.add("turn_live_p50_ms", "ms", try await milliseconds(live))
        return measured
    }
}

extension ViewedAgent {
    /// The milliseconds from asking for each image, one after the other, until libpng has decoded it.
    func milliseconds(of turns: [Turn]) throws -> [Double] {
        try turns.map { turn in
            if let selection = turn.selection { try ask(post("/api/select", selection)) }
            let request = get(turn.address)
            let start = ProcessFigures.wallMilliseconds
            _ = try DecodedPNG(ours: try ask(request))
            return ProcessFigures.wallMilliseconds - start
        }
    }
}

extension ChromiumDriver {
    /// The same until the browser has decoded it. Each address gets a number, since the browser would not ask twice for something
    /// that never changes.
    func milliseconds(of turns: [Turn]) async throws -> [Double] {
        try await ask(
            """
            const token = document.querySelector('meta[name=woodshed-token]').content;
            return (async () => {
              const times = [];
              for (const turn of arguments) {
                if (turn.selection) {
                  const headers = {'Content-Type': 'application/json', 'X-Woodshed-Token': token};
                  const answer = await fetch('/api/select', {method: 'POST', headers, body: turn.selection});
                  if (!answer.ok) throw new Error('a selection is answered ' + answer.status);
                  await answer.text();
                }
                const image = new Image();
                const start = performance.now();
                window.asked = (window.asked ?? 0) + 1;
                image.src = turn.address + (turn.address.includes('?') ? '&' : '?') + 'n=' + window.asked;
                await image.decode();
                times.push(performance.now() - start);
              }
              return times;
            })();
            """, turns)
    }
}

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
    static func measure(_ agent: ViewedAgent, place: String, mostTurns: Int) async throws -> Measurements {
        let screens: [(width: Int, height: Int, scale: Double)] = [(1366, 768, 1), (2560, 1440, 2)]
        var measured = Measurements()
        for screen in screens {
            let name = "@\(screen.width)@\(Int(screen.scale))"
            let played: PlayedPlan = try await agent.browse(place: place + name) { browser in
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                try await browser.open(try agent.invitation())
                return try await browser.ask(script, [mostTurns])
            }
            measured.add("played_turn_p95_ms" + name, "ms", played.turns.percentile(0.95))
            guard screen == screens[0] else { continue }
            measured.add("shell_requests", "requests", played.requests)
            measured.add("shell_kib", "KiB", played.kibibytes)
            measured.add("plan_in_browser_s", "s", played.seconds)
            measured.add("plan_in_browser_pages", "pages", played.pages)
        }
        return measured
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
