import Platform
import TestSupport
import Testing

/// A browser in which somebody chooses a song's key.
@LoopActor
protocol PanelBrowser {
    /// Has a script run in each page opened from now on, before the page's own scripts or, where a browser cannot do that, after them.
    func runFirst(_ script: String) async throws
    func open(_ address: String) async throws
    /// Returns once the new page is complete.
    func reload() async throws
    func ask<Answer: Decodable>(_ script: String, _ arguments: [Any], as type: Answer.Type) async throws -> Answer
    func wait(for condition: String, sourceLocation: SourceLocation) async throws
}

extension OtherBrowser: PanelBrowser {}

extension Browser: PanelBrowser {
    func reload() async throws {
        try await run("window.isFormer = true; location.reload()")
        try await wait(for: "!window.isFormer && document.readyState === 'complete'")
    }
}

/// A musician at the key panel, and what happens to the agent and in other windows.
@LoopActor
final class PanelMachine {
    /// Steps at one desk. A run ends if no test ends for minutes, so many steps are several tests.
    struct Stretch: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        let steps: Int
        var testDescription: String { "WOODSHED_TEST_SEED=\(seed) WOODSHED_TEST_STEPS=\(steps)" }
    }

    private enum Condition { case runs, stopped, broken }
    private enum Step {
        /// Each choice is a row of the panel, a value, and the milliseconds since the choice before.
        case choose([[String]])
        case stop, goOn, breakDrawing, mendDrawing, reload
        /// The agent ends, these choices are made, and another agent begins.
        case restart([[String]])
        /// Somebody chooses a key, a capo and a writing in another window.
        case colleague([String])
    }

    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let isThere = "\(isReady) && document.querySelector('.bar-key:not([hidden])')"
    /// The rows of the panel that make a view.
    private static let rows = ["song-keys", "song-capos", "song-writing"]
    private static let (near, writings) = (["C", "Db", "D", "Eb", "E"], ["letters", "numbers", "german"])

    private let desk: Desk
    private let browser: any PanelBrowser
    private let stretch: Stretch
    private var random: SeededGenerator
    private var (story, far) = ([String](), [String]())
    /// Whether nothing has happened since the last quiet moment, and whether nothing but choices has.
    private var (isSettled, isCalm) = (false, false)
    /// Whether the browser's shelf had the song as shown when the agent was stopped.
    private var (condition, mayReload) = (Condition.runs, false)
    /// The view at the last quiet moment; and the view to which the choices since then lead if none fails.
    private var (before, expected) = ("", [String]())
    /// The views that failed, as the panel said, and were not asked for since; and those that others chose since the last quiet moment.
    private var (failed, byOthers) = (Set<String>(), Set<String>())

    /// The time that each kind of step took, and waiting for quiet moments.
    private var times: [String: Duration] = [:]

    /// The browser is signed in at the desk's agent.
    init(_ desk: Desk, _ browser: any PanelBrowser, _ stretch: Stretch) {
        (self.desk, self.browser, self.stretch, random) = (desk, browser, stretch, SeededGenerator(seed: stretch.seed))
    }

    private func ask<Answer: Decodable>(_ script: String, _ arguments: [Any] = []) async throws -> Answer {
        try await browser.ask(script, arguments, as: Answer.self)
    }

    private func wait(for condition: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await browser.wait(for: condition, sourceLocation: sourceLocation)
    }

    private func timed(_ what: String, _ act: @LoopActor () async throws -> Void) async throws {
        let begin = ContinuousClock.now
        try await act()
        times[what, default: .zero] += ContinuousClock.now - begin
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private func pick(_ all: [String]) -> String { all[number(0..<all.count)] }

    /// Opens the plan's song with its panel, and waits until the browser has stored its nearest keys.
    private func openPanel() async throws {
        try await browser.runFirst(Self.script)
        try await browser.open(desk.address + "/plan/67820001")
        try await wait(for: "document.body.innerText.includes('Shall We Gather at the River')")
        let address: String = try await ask(
            "return [...document.querySelectorAll('a')].find((link) => link.innerText.includes('Shall We Gather')).getAttribute('href')")
        try await browser.open(desk.address + address)
        try await wait(for: "\(Self.isThere) && await machine.hasNearKeys() && machine.isOpen()")
        let keys: [String] = try await ask("return [...document.querySelectorAll('.song-keys input')].map(({ value }) => value)")
        try #require(Set(Self.near).isSubset(of: keys))
        far = keys.filter { !Self.near.contains($0) }
        try await settle()
    }

    func run() async throws {
        print("The key panel: \(stretch.testDescription)")
        try await timed("opening") { try await openPanel() }
        do {
            for count in 1...stretch.steps {
                let step = next()
                story.append("\(count). \(step)")
                isSettled = false
                try await timed(String("\(step)".prefix { $0 != "(" })) { try await take(step) }
                // What follows at once finds more of the panel's states than what waits for the step before.
                if condition == .runs, !isSettled, number(0..<3) == 0 { try await settle() }
            }
            if condition == .stopped { try await take(.goOn) }
            if condition == .broken { try await take(.mendDrawing) }
            if !isSettled { try await settle() }
        } catch {
            let places = try? await browser.ask("return machine.places().then(JSON.stringify, String)", [], as: String.self)
            complain(places ?? "the page does not answer")
            throw error
        }
        let parts = times.sorted { $0.value > $1.value }.map { "\($0.key) \($0.value)" }
        print("\(stretch.testDescription) took: \(parts.joined(separator: ", "))")
    }

    private func complain(_ words: String) {
        Issue.record("\(words), with \(stretch.testDescription), after\n\(story.suffix(10).joined(separator: "\n"))")
    }

    /// What takes seconds, such as another agent or a reload without one, is rarer than what takes none.
    private func next() -> Step {
        switch (condition, number(0..<40)) {
        case (.runs, 0..<23), (.stopped, 0..<20), (.broken, 0..<20): .choose(choices())
        case (.runs, 23..<28): .stop
        case (.runs, 28): .restart(choices())
        case (.runs, 29..<31): isSettled ? .breakDrawing : .choose(choices())
        case (.runs, 31..<34): .reload
        case (.runs, _): .colleague([pick(Self.near + far), "\(number(0..<5))", pick(Self.writings)])
        case (.stopped, 20..<22): mayReload ? .reload : .goOn
        case (.stopped, _): .goOn
        case (.broken, _): .mendDrawing
        }
    }

    private func choices() -> [[String]] {
        let count = number(0..<3) == 0 ? number(2..<5) : 1
        return (0..<count).map { place in
            let choice =
                switch number(0..<10) {
                case 0..<3: ["song-keys", pick(Self.near)]
                case 3..<5: ["song-keys", pick(far)]
                case 5..<7: ["song-capos", "\(number(0..<5))"]
                case 7..<9: ["song-writing", pick(Self.writings)]
                default: ["song-scope", pick(["plan", "everywhere"])]
                }
            return choice + ["\(place == 0 ? 0 : number(0..<201))"]
        }
    }

    private func take(_ step: Step) async throws {
        if case .choose = step {} else { isCalm = false }
        switch step {
        case .choose(let choices): try await choose(choices)
        case .stop:
            mayReload = try await ask("return machine.isOnShelf()")
            desk.stopAgentsHeart()
            condition = .stopped
        case .goOn:
            desk.letAgentGoOn()
            condition = .runs
        case .breakDrawing:
            try desk.takeRendererAway()
            condition = .broken
        case .mendDrawing:
            try desk.bringRendererBack()
            condition = .runs
            try await settle()
        case .reload:
            _ = try await report()
            try await browser.reload()
            // Parts that load late are not there before the panel was opened once, and may then come from the agent alone.
            try await wait(for: condition == .stopped ? "\(Self.isThere) && machine.isSilent()" : "\(Self.isThere) && machine.isOpen()")
        case .restart(let choices):
            try await desk.endAgent()
            try await choose(choices)
            try await desk.beginAgain(untilItAnswers: true)
            try await settle()
        case .colleague(let view):
            let refusal: String = try await ask("return machine.colleague(...arguments)", view)
            if refusal.isEmpty { byOthers.insert(view.joined(separator: " ")) } else { story.append("   refused: \(refusal)") }
        }
    }

    private func choose(_ choices: [[String]]) async throws {
        try await wait(for: "machine.isOpen()")
        let _: Bool = try await ask("return machine.choose([...arguments])", choices)
        for choice in choices {
            if let row = Self.rows.firstIndex(of: choice[0]) { expected[row] = choice[1] }
        }
    }

    /// Waits for a quiet moment at which all agree, and checks what they agree on.
    private func settle() async throws {
        try await timed("settling") { try await wait(for: "machine.settles()") }
        let ((view, others), wanted) = (try await report(), expected.joined(separator: " "))
        if view != before, failed.contains(view), !byOthers.contains(view) { complain("“\(view)” was said to have failed") }
        // On a loaded machine, drawing may take longer than a window waits. The choice has then failed, and the panel says so.
        let isTooLate = others.contains(["failed", wanted]) && view == before
        if isCalm, !isTooLate, view != wanted || !others.isEmpty {
            complain("nothing was in the way of “\(wanted)”, and it is “\(view)”, \(others)")
        }
        expected = view.split(separator: " ").map(String.init)
        try #require(expected.count == Self.rows.count, "\(view)")
        failed.remove(view)
        (before, byOthers, isSettled, isCalm) = (view, [], true, true)
    }

    /// The view, as in "D 0 letters", and what was `failed` or `offered` since the last call, each with a view or a sentence. A window
    /// that took the agent for `silent` on a loaded machine is not calm.
    private func report() async throws -> (view: String, others: [[String]]) {
        let notes: [[String]] = try await ask("return machine.report()")
        for note in notes {
            if note[0] == "silent" { isCalm = false }
            if note[0] == "asked" { failed.remove(note[1]) }
            if note[0] == "failed" { failed.insert(note[1]) }
        }
        return (notes.last?[1] ?? "", notes.dropLast().filter { !["asked", "silent"].contains($0[0]) })
    }

    /// Runs in each page before its own scripts. Notes for each canvas which image it shows, and what the panel asks for and says.
    private static let script = """
        (() => {
          const machine = window.machine = { notes: [], trouble: "", sent: 0, isLate: document.readyState === "complete" };
          // The page notices a silent agent, and asks again, in a quarter of the time. How long it waits for drawing stays as it is.
          const [later, limit] = [window.setTimeout, AbortSignal.timeout.bind(AbortSignal)];
          const sooner = (pause) => (pause >= 500 && pause <= 2000 ? pause / 4 : pause);
          window.setTimeout = (act, pause = 0, ...rest) => later(act, sooner(pause), ...rest);
          AbortSignal.timeout = (pause) => limit(sooner(pause));
          // A choice may be under way though no part of the panel is busy: the panel is filled anew after each of several choices.
          const real = window.fetch;
          window.fetch = (address, ...rest) => {
            if (address === "/api/state") {
              return real(address, ...rest).catch((error) => {
                machine.notes.push(["silent", ""]);
                throw error;
              });
            }
            if (address !== "/api/song") return real(address, ...rest);
            machine.sent += 1;
            return real(address, ...rest).finally(() => { machine.sent -= 1; });
          };
          // The page's own listener makes the image's canvas at once.
          const [sources, watched, post, create] = [new Map(), new WeakSet(), Worker.prototype.postMessage, document.createElement];
          const watch = (worker) => {
            const own = worker.onmessage;
            worker.onmessage = (event) => {
              machine.arrived = sources.get(event.data?.id);
              own.call(worker, event);
            };
            watched.add(worker);
          };
          Worker.prototype.postMessage = function (message, ...rest) {
            if (!watched.has(this)) watch(this);
            if (message?.src) sources.set(message.id, message.src);
            post.call(this, message, ...rest);
          };
          document.createElement = (...rest) => Object.assign(create.apply(document, rest), { source: machine.arrived });
          const text = (selector) => document.querySelector(selector)?.textContent ?? "";
          const book = () => modules["books.js"].book;
          const place = () => book().all.find(({ chart }) => chart.song?.view).place;
          const shown = () => book().peek(place());
          const viewOf = (chart) => [chart?.song?.sounding, chart?.song?.view?.capo, chart?.song?.view?.writing].join(" ");
          const panel = () => \(rows).map((name) => document.querySelector(`.${name} input:checked`)?.value).join(" ");
          const capoOf = ({ capo }) => (capo > 0 ? `, capo ${capo}` : "");
          const inBar = ({ song }) => `Key ${modules["running-order.js"].withSigns(song.sounding)}${capoOf(song.view)}`;
          const note = ({ target }) => target.closest(".song-key") && machine.notes.push(["asked", machine.asked = panel()]);
          document.addEventListener("change", note, true);
          new MutationObserver(() => {
            const words = text(".song-key .trouble");
            // What is shown may be chosen for all plans, and stays in effect if that fails.
            if (words && words !== machine.trouble && machine.asked !== viewOf(shown())) machine.notes.push(["failed", machine.asked]);
            machine.trouble = words;
          }).observe(document, { subtree: true, childList: true, characterData: true });

          machine.isOpen = () => document.querySelector(".song-keys") !== null || (document.querySelector(".bar-key")?.click() ?? false);
          machine.choose = async (choices) => {
            for (const [row, value, pause] of choices) {
              await new Promise((go) => setTimeout(go, pause));
              [...document.querySelectorAll(`.${row} input`)].find((input) => input.value === value).click();
            }
            return true;
          };
          machine.colleague = (key, capo, writing) => {
            const { song } = shown();
            const view = { key: key === song.wanted ? null : key, from: song.view.from, capo: Number(capo), writing };
            return modules["api.js"].api.readSong(place(), song.id, view, false).then(() => "", (error) => error.message);
          };
          machine.shelf = () => caches.match("/shelf").then((reply) => reply?.json());
          machine.hasNearKeys = () => machine.shelf().then((set) => set?.near?.[0]?.charts.length === 4);
          machine.isSilent = () => modules["api.js"].api.isSilent;
          machine.isOnShelf = async () => {
            const kept = (await machine.shelf())?.charts.find((each) => each.place.chart === place().chart)?.chart;
            return kept?.hash === shown().hash && Boolean(await caches.match(shown().pages[0].annotated.src));
          };
          /// What each place says, and whether all say the same.
          machine.places = async () => {
            const { chart, plan, item } = place();
            const address = `/api/chart/${encodeURIComponent(chart)}?${modules["api.js"].queryOf({ plan, item })}`;
            const agent = await fetch(address, { cache: "no-store", signal: limit(5000) })
              .then((reply) => (reply.ok ? reply.json() : null)).catch(() => null);
            const image = agent?.pages[0]?.annotated.src;
            const canvas = document.querySelector(".stage > .sheet:last-child canvas.page");
            // Where this script runs late, nobody knows which image a page shows that was there before.
            const page = (machine.isLate && canvas && !("source" in canvas) ? image : canvas?.source) ?? "";
            const all = { panel: panel(), stand: viewOf(shown()), agent: viewOf(agent), bar: text(".bar-key"), page, image };
            const isOnPage = image && shown().pages[0].annotated.src === image && page.includes(agent.hash.slice(0, 32));
            const isInBar = agent?.song?.view && all.bar === inBar(agent);
            return { ...all, isOne: isOnPage && isInBar && all.panel === all.agent && all.stand === all.agent, isQuiet: machine.isQuiet() };
          };
          machine.isQuiet = () => \(isReady) && !machine.isSilent() && book().waiting.length + machine.sent === 0
            && !document.querySelector("[aria-busy=true]");
          /// Whether it is quiet and all agree. Takes what is offered, which may need two taps.
          machine.settles = async () => {
            if (!machine.isOpen() || !machine.isQuiet()) return false;
            const offer = document.querySelector(".offer[data-name^='chart ']");
            if (offer && !machine.isOffered) machine.notes.push(["offered", text(".offer[data-name^='chart '] p")]);
            (machine.isOffered = offer)?.querySelector("button.strong").click();
            return !offer && Boolean((await machine.places()).isOne) && machine.isQuiet();
          };
          machine.report = () => [...machine.notes.splice(0), ["view", viewOf(shown())]];
        })();
        """
}
