import Platform
import WebDriver

/// How long a musician waits for a song in another key: from the click in the panel to the frame that shows the page.
@LoopActor
struct KeyChoice {
    private static let plan = "67820001"
    private static let song = "Shall We Gather"

    private let browser: ChromiumDriver
    private let runs: Int

    /// Measures with an agent of its own, which it ends several times. In the end, the song is in the plan's key again.
    static func measure(_ home: AgentHome, place: String, isQuick: Bool) async throws -> Measurements {
        let agent = try await ViewedAgent(home)
        return try await agent.browse(place: place) { browser in
            try await browser.resize(1366, 768, scale: 1)
            try await browser.open(try agent.invitation())
            let origin: String = try await browser.ask("return location.origin", [Int]())
            try await browser.open("\(origin)/plan/\(plan)")
            let choice = KeyChoice(browser: browser, runs: isQuick ? 3 : 20)
            return try await choice.measure(home, agent.running)
        }
    }

    private struct Keys: Decodable {
        /// The keys that the browser has fetched ahead and, below, those that nobody has drawn.
        let near: [String]
        let far: [String]
    }

    private func measure(_ home: AgentHome, _ agent: RunningProgram) async throws -> Measurements {
        let keys: Keys = try await browser.ask(Self.opening, [Self.song])
        try require(keys.near.count > 1 && keys.far.count > 2, "the song has the keys \(keys.near) near its own, and else \(keys.far)")
        var measured = Measurements()
        for number in 0..<runs {
            // With another capo, every key is another page.
            if number > 0, number % keys.far.count == 0 {
                _ = try await choose("song-keys", keys.near[0])
                _ = try await choose("song-capos", "\(number / keys.far.count)")
            }
            measured.add("key_new_ms", "ms", try await choose("song-keys", keys.far[number % keys.far.count]))
        }
        for number in 0..<runs { measured.add("key_seen_ms", "ms", try await choose("song-keys", keys.far[number % 3])) }

        _ = try await choose("song-keys", keys.near[0])
        var running = agent
        for number in 1...runs {
            await running.end()
            measured.add("key_gone_ms", "ms", try await choose("song-keys", keys.near[number % keys.near.count], settles: false))
            running = try await home.start()
            let _: Bool = try await browser.ask("return keys.settle()", [Int]())
        }
        let _: Bool = try await browser.ask("return keys.reset()", [Int]())
        await running.end()
        return measured
    }

    /// The milliseconds from the click to the page. If it `settles`, returns once the agent has nothing more to draw for this choice.
    private func choose(_ row: String, _ value: String, settles: Bool = true) async throws -> Double {
        let time: Double = try await browser.ask("return keys.choose(...arguments)", [row, value])
        if settles { let _: Bool = try await browser.ask("return keys.settle()", [Int]()) }
        return time
    }

    /// Opens the song with this title and its panel, and returns the keys to choose from.
    private static let opening = """
        const [title] = arguments;
        const pause = (time) => new Promise((resume) => setTimeout(resume, time));
        const until = async (holds, wait = () => pause(10)) => {
          const end = performance.now() + 60000;
          for (; !holds(); await wait()) if (performance.now() > end) throw new Error(`waited in vain until ${holds}`);
        };
        const { api } = modules["api.js"];
        const { book } = modules["books.js"];
        const entry = () => book.all.find(({ chart }) => chart.song?.view);
        const shown = () => book.peek(entry().place).song;
        const near = () => modules["near-keys.js"].nearCharts(entry().place).map(({ song }) => song.sounding)
          .filter((key) => key !== shown().sounding);
        const isReady = () => document.body.dataset.view === "chart" && document.body.dataset.state === "ready";
        const page = () => document.querySelector(".stage > .sheet:last-child canvas.page");
        const inputs = (row) => [...document.querySelectorAll(`.${row} input`)];
        const isOpen = () => inputs("song-keys").length > 0 || (document.querySelector(".bar-key").click(), false);
        const isCalm = () => isOpen() && isReady() && !document.querySelector("[aria-busy=true]");
        window.keys = {
          async choose(row, value) {
            await until(isCalm);
            const [former, start] = [page(), performance.now()];
            inputs(row).find((input) => input.value === value).click();
            await until(() => page() && page() !== former && isReady(), () => new Promise(requestAnimationFrame));
            return performance.now() - start;
          },
          // The keys near the plan's are fetched after each choice.
          async settle() {
            await until(() => !api.isSilent && book.waiting.length === 0 && isCalm() && near().length >= 4);
            await pause(1000);
            await until(isCalm);
            return true;
          },
          async reset() {
            await until(isCalm);
            document.querySelector(".song-key .by-hand button").click();
            await until(() => shown().scope === null);
            return true;
          },
        };
        const link = () => [...document.querySelectorAll("a")].find((each) => each.innerText.includes(title));
        return (async () => {
          await until(link);
          link().click();
          await until(() => isReady() && document.querySelector(".bar-key:not([hidden])") && entry());
          await keys.settle();
          const [own, close] = [shown().sounding, near()];
          return { near: close, far: inputs("song-keys").map(({ value }) => value).filter((key) => key !== own && !close.includes(key)) };
        })();
        """
}
