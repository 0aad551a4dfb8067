import Platform
import TestSupport
import Testing

/// The browser stores a song in the keys near its own, for times when the agent is away.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct NearKeysTests {
    private static let plan = "67820001"
    private static let isReady = "document.body.dataset.state === 'ready'"
    private static let key = "document.querySelector('.bar-key').textContent"
    private static let panel = "document.querySelector('.song-key').innerText"
    /// An expression for the song's place in the plan and its chart as shown.
    private static let drawn = """
        (({ book }) => book.all.filter(({ chart }) => chart.song?.view).map(({ place }) => ({ place, chart: book.peek(place) }))[0])\
        (modules['books.js'])
        """
    private static let isTold = "\(drawn).chart.song.waits !== true"
    private static let near = "modules['near-keys.js'].nearCharts(\(drawn).place).map(({ song }) => song.sounding)"
    private static let shelved = """
        caches.match("/shelf").then((reply) => reply?.json()).then((set) => set?.near?.flatMap(({ charts }) => charts).length ?? 0)
        """

    /// Opens the plan's song, and waits until the browser has stored its nearest keys. Returns the song's chart id.
    @LoopActor private static func open(_ desk: Desk) async throws -> String {
        let browser = desk.browser
        try await browser.resize(900, 1200)
        try await desk.visit("/plan/\(plan)")
        try await browser.wait(for: "document.body.innerText.includes('Shall We Gather at the River')")
        let address: String = try await browser.ask(
            "return [...document.querySelectorAll('a')].find((link) => link.innerText.includes('Shall We Gather')).getAttribute('href')")
        try await desk.visit(address)
        try await browser.wait(for: "\(isReady) && document.querySelector('.bar-key')")
        try await browser.wait(for: "\(shelved).then((count) => count === 4)")
        return try await browser.ask("return \(drawn).chart.id")
    }

    @LoopActor private static func openPanel(_ browser: Browser) async throws {
        try await browser.run("document.querySelector('.bar-key').click()")
        try await browser.wait(for: "document.querySelector('.song-keys')")
    }

    /// Chooses a key, and returns the time (ms) until another page is on the screen.
    @LoopActor private static func choose(_ key: String, _ browser: Browser) async throws -> Double {
        try await browser.ask(
            """
            const shown = () => document.querySelector(".stage .sheet canvas.page");
            const former = shown();
            const begun = performance.now();
            \(button(key)).click();
            return new Promise((done) => {
              const look = () => (shown() && shown() !== former ? done(performance.now() - begun) : requestAnimationFrame(look));
              requestAnimationFrame(look);
              setTimeout(() => done(99999), 5000);
            });
            """)
    }

    private static func button(_ key: String) -> String {
        "[...document.querySelectorAll('.song-keys input')].find(({ value }) => value === '\(key)')"
    }

    @LoopActor private static func click(_ key: String, _ browser: Browser) async throws { try await browser.run("\(button(key)).click()") }

    /// The agent's setting for the song: the key, and the plans for which the key holds.
    @LoopActor private static func told(_ chart: String, _ browser: Browser) async throws -> [String] {
        try await browser.ask(
            """
            return fetch("/api/chart/\(chart.replacing("/", with: "%2F"))?plan=\(plan)").then((reply) => reply.json())
              .then(({ song }) => [song.sounding, song.scope ?? ""]);
            """)
    }

    @Test(arguments: Asked.some(of: HeldTests.Absence.allCases))
    @LoopActor func aNearKeyIsShownWithoutTheAgentAndKeptOnceItAnswers(absence: HeldTests.Absence) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            #expect(try await browser.ask("return \(Self.near).sort()") == ["C", "Db", "E", "Eb"])
            #expect(try await Self.told(chart, browser) == ["D", ""], "nobody has chosen anything")
            if absence == .ended { try await desk.endAgent() } else { desk.stopAgentsHeart() }
            try await Self.openPanel(browser)
            let time = try await Self.choose("E", browser)
            Attachment.record("\(time) ms", named: "near-key.txt")
            #expect(time < 1000)
            try await browser.wait(for: "\(Self.key) === 'Key E' && \(Self.isReady)")
            try await browser.wait(for: "\(Self.panel).includes('This holds in this window until Woodshed’s agent answers again')")
            #expect(try await browser.ask("return document.querySelector('.stage .card')?.textContent ?? ''") == "")
            try await browser.screenshot("song-key-without-agent")

            if absence == .ended { try await desk.beginAgain() } else { desk.letAgentGoOn() }
            try await browser.wait(for: "\(Self.drawn).chart.song.scope === 'plan' && \(Self.isTold)")
            #expect(try await Self.told(chart, browser) == ["E", "plan"])
            #expect(try await browser.ask("return \(Self.key)") == "Key E")
            try await browser.wait(for: "!document.querySelector('.song-key')?.innerText.includes('holds in this window')")
            #expect(try await browser.ask("return !document.querySelector('.offer')"), "nobody is asked about what they chose")
        }
    }

    /// While the agent hangs, a page that is loaded anew has the nearby keys from the browser's store, with the marks of the song.
    @Test @LoopActor func whatIsNotHereSaysWhatIs() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            let line = ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##
            try desk.save(line, on: chart)
            try await browser.wait(
                for: """
                    caches.match("/shelf").then((reply) => reply.json()).then(({ near }) => near.length === 1
                      && near[0].charts.every(([, { chart }]) => chart.pages[0].marked))
                    """)
            desk.stopAgentsHeart()
            try await browser.run("location.reload()")
            try await browser.wait(for: "\(Self.isReady) && document.querySelector('.bar-key') && modules['api.js'].api.isSilent")
            try await Self.openPanel(browser)
            try await Self.click("A", browser)
            try await browser.wait(for: "\(Self.panel).includes('this song can be read in C, D♭, D, E♭ and E.')")
            try await browser.screenshot("song-key-not-here")
            #expect(try await browser.ask("return document.querySelector('.song-keys input:checked').value") == "D")
            for key in ["Eb", "D", "C"] {
                #expect(try await Self.choose(key, browser) < 1000)
                try await browser.wait(for: "\(Self.key) === 'Key \(key == "Eb" ? "E♭" : key)' && \(Self.isReady)")
                #expect(try await browser.ask("return document.querySelector('.stage .card')?.textContent ?? ''") == "")
                #expect(try await browser.ask("return \(Self.drawn).chart.pages[0].marked"), "marks belong to the song")
            }
            let kept = "modules['books.js'].setOf('\(Self.plan)').charts.find(({ chart }) => chart.song?.view).chart"
            #expect(try await browser.ask("return \(kept).song.sounding") == "D", "the shelf keeps what the agent knows")
            try await browser.run(
                "[...document.querySelectorAll('.song-key button')].find((b) => b.innerText === 'As the plan has it').click()")
            try await browser.wait(for: "\(Self.key) === 'Key D' && \(Self.isReady)")
            desk.letAgentGoOn()
            try await browser.wait(for: Self.isTold)
            #expect(try await Self.told(chart, browser) == ["D", ""], "what was chosen last is what counts")
        }
    }

    /// If the song is not here in the chosen key, the browser keeps the key that was chosen before, sends that one to the agent, and
    /// still receives changes of the song.
    @Test @LoopActor func aChoiceThatFailsLeavesTheOneBefore() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            desk.stopAgentsHeart()
            try await browser.wait(for: "modules['api.js'].api.isSilent")
            try await Self.openPanel(browser)
            #expect(try await Self.choose("E", browser) < 1000)
            try await browser.wait(for: "\(Self.key) === 'Key E' && \(Self.isReady)")
            try await Self.click("A", browser)
            try await browser.wait(for: "\(Self.panel).includes('this song can be read in')")
            #expect(try await browser.ask("return document.querySelector('.song-keys input:checked').value") == "E")
            #expect(try await browser.ask("return \(Self.key)") == "Key E")
            desk.letAgentGoOn()
            try await browser.wait(for: Self.isTold)
            #expect(try await Self.told(chart, browser) == ["E", "plan"])
            let line = ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##
            try desk.save(line, on: chart)
            try await browser.wait(for: "\(Self.drawn).chart.pages[0].marked && \(Self.isReady)")
            #expect(try await browser.ask("return \(Self.key)") == "Key E")
            #expect(try await browser.ask("return !document.querySelector('.offer')"))
        }
    }

    /// A hung agent finds the request when it goes on, but nobody waits for the answer any more.
    @Test @LoopActor func aChoiceThatFailedIsNotDoneLater() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            desk.stopAgentsHeart()
            try await Self.openPanel(browser)
            try await Self.click("A", browser)
            try await browser.wait(for: "\(Self.panel).includes('does not answer')")
            #expect(try await browser.ask("return document.querySelector('.song-keys input:checked').value") == "D")
            desk.letAgentGoOn()
            #expect(try await Self.told(chart, browser) == ["D", ""])
            // The next choice consists of what is shown and of itself.
            try await browser.wait(for: "!modules['api.js'].api.isSilent")
            try await browser.run("document.querySelector('.song-capos input[value=\"2\"]').click()")
            try await browser.wait(for: "\(Self.drawn).chart.song.view?.capo === 2 && \(Self.isReady)")
            #expect(try await Self.told(chart, browser) == ["D", "plan"])
        }
    }

    /// Has the browser look for missing charts, and returns the number of charts that came.
    @LoopActor private func browserAsksAgain(_ desk: Desk) async throws -> Int {
        try await desk.browser.ask(
            """
            return modules["later.js"].later("near")([\(Self.drawn).place], () => Promise.resolve(true)).then(({ come }) => come);
            """)
    }

    /// A mark may be shown in a near key only: the stored chart in that key must be updated though the page on the screen stays the same.
    @Test @LoopActor func aMarkForANearKeyAloneComesToItsChart() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            let near = "modules['near-keys.js'].nearCharts(\(Self.drawn).place)"
            let marked = "\(near).filter((each) => each.pages[0].marked).map(({ song }) => song.sounding).join()"
            for key in ["E", "C"] {
                try desk.save(
                    ##"{"id":"1","page":0,"kind":"pen","width":0.02,"points":[[0.2,0.5],[0.8,0.5]],"key":"\##(key)"}"##, on: chart)
                try await browser.wait(for: "\(marked) === '\(key)'")
            }
            #expect(try await browser.ask("return \(Self.drawn).chart.pages[0].marked") == false)
            let why = try await desk.run(["why", chart, "1"])
            #expect(why.output.contains("0 marks, and 1 for other keys"), "\(why)")
        }
    }

    @Test @LoopActor func nothingElseKnowsOfKeysThatNobodyChose() async throws {
        try await Desk.use { desk in
            let charts = { try Folder.names(in: desk.home.path("data/charts")).filter { $0.hasSuffix(".pdf") }.sorted() }
            let images = { try Folder.names(in: desk.home.path("cache/pages")).sorted() }
            let (kept, drawn) = (try charts(), try images())
            // Leave out the times of the report and of the service's last answer.
            func ready() async throws -> [Substring] {
                try await desk.run(["ready", "--plan", Self.plan]).output.split(separator: "\n").filter { !$0.hasPrefix("As of ") }
            }
            let before = try await ready()
            _ = try await Self.open(desk)
            let come: Int = try await browserAsksAgain(desk)
            #expect(come == 0, "nothing has changed")
            #expect(try charts() == kept)
            #expect(try images() == drawn)
            let after = try await ready()
            #expect(after == before)
        }
    }
}
