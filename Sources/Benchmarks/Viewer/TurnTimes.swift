import Platform
import WebDriver

/// How long pages take from the request until they are there, by where they come from.
@LoopActor
struct TurnTimes {
    /// In playing order, each asked for as somebody turning pages does: once the page before it is on screen.
    private var turns: [Double] = []
    private var memory: [Double] = []
    private var disk: [Double] = []
    private var live: [Double] = []

    private static func counts(isQuick: Bool) -> (turns: Int, live: Int) { isQuick ? (20, 5) : (200, 50) }

    var figures: [Figure] {
        [
            Figure("turn_p95_ms", unit: "ms", runs: [turns.percentile(0.95)]),
            Figure("turn_memory_p50_ms", unit: "ms", runs: memory), Figure("turn_disk_p50_ms", unit: "ms", runs: disk),
            Figure("turn_live_p50_ms", unit: "ms", runs: live),
        ]
    }

    /// As a browser sees it: until the image is decoded. Nothing was selected before.
    ///
    /// Each address gets a number, since the browser would not ask twice for something that never changes.
    init(of pages: [ViewedPage], by browser: ChromiumDriver, isQuick: Bool) async throws {
        let counts = Self.counts(isQuick: isQuick)
        var number = 0
        func turn(_ address: String, _ selection: String? = nil) -> Turn {
            number += 1
            return Turn(address: address + (address.contains("?") ? "&" : "?") + "n=\(number)", selection: selection)
        }
        disk = try await browser.milliseconds(of: pages.map { turn($0.address) })
        let walk = (0..<counts.turns).flatMap { place in
            let (page, next) = (pages[place % pages.count], pages[(place + 1) % pages.count])
            // First the page that was selected, which is in memory; then the next one, which the agent knows to be next.
            return [turn(page.address, page.selection), turn(next.address)]
        }
        let times = try await browser.milliseconds(of: walk)
        memory = times.indices.filter { $0 % 2 == 0 }.map { times[$0] }
        turns = times.indices.filter { $0 % 2 == 1 }.map { times[$0] }
        live = try await browser.milliseconds(of: (0..<counts.live).map { turn(pages[$0 % pages.count].liveAddress) })
    }

    /// As a program sees it: until libpng has decoded it.
    init(of pages: [ViewedPage], from agent: ViewedAgent, isQuick: Bool) throws {
        let counts = Self.counts(isQuick: isQuick)
        func time(_ address: String) throws -> Double {
            let request = agent.get(address)
            let start = ProcessFigures.wallMilliseconds
            _ = try DecodedImage(try agent.ask(request))
            return ProcessFigures.wallMilliseconds - start
        }
        disk = try pages.map { try time($0.address) }
        for place in 0..<counts.turns {
            let page = pages[place % pages.count]
            try agent.ask(agent.post("/api/select", page.selection))
            memory.append(try time(page.address))
            turns.append(try time(pages[(place + 1) % pages.count].address))
        }
        live = try (0..<counts.live).map { try time(pages[$0 % pages.count].liveAddress) }
    }
}

/// What is to be timed: an image, and what the agent is told before it is asked for.
private struct Turn: Encodable {
    var address: String
    var selection: String?
}

extension ChromiumDriver {
    /// The milliseconds from asking for each image until it is decoded, one after the other.
    fileprivate func milliseconds(of turns: [Turn]) async throws -> [Double] {
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
                image.src = turn.address;
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
