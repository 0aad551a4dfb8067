import Platform
import TestSupport
import Testing

/// The keys beside a song's own, which are in the browser for when the agent is away.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct NearKeysTests {
    private static let plan = "67820001"
    private static let isReady = "document.body.dataset.state === 'ready'"
    private static let key = "document.querySelector('.bar-key').textContent"
    private static let panel = "document.querySelector('.song-key').innerText"
    private static let drawn = "modules['books.js'].book.all.find(({ chart }) => chart.song?.view)"
    private static let near = "modules['near-keys.js'].nearCharts(\(drawn).place).map(({ song }) => song.sounding)"
    private static let shelved = """
        caches.match("/shelf").then((reply) => reply?.json()).then((set) => set?.near?.flatMap(({ charts }) => charts).length ?? 0)
        """

    /// Opens the plan's drawn song, and waits until its nearest keys are on the browser's shelf. Answers its id.
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

    /// Chooses a key, and answers how long it took (ms) until another page was on the screen.
    @LoopActor private static func choose(_ key: String, _ browser: Browser) async throws -> Double {
        try await browser.ask(
            """
            const shown = () => document.querySelector(".stage .sheet canvas.page");
            const former = shown();
            const begun = performance.now();
            [...document.querySelectorAll(".song-keys input")].find(({ value }) => value === "\(key)").click();
            return new Promise((done) => {
              const look = () => (shown() && shown() !== former ? done(performance.now() - begun) : requestAnimationFrame(look));
              requestAnimationFrame(look);
              setTimeout(() => done(99999), 5000);
            });
            """)
    }

    /// How the agent says that the song is read: the key, and for which plans.
    @LoopActor private static func told(_ chart: String, _ browser: Browser) async throws -> [String] {
        try await browser.ask(
            """
            return fetch("/api/chart/\(chart.replacing("/", with: "%2F"))?plan=\(plan)").then((reply) => reply.json())
              .then(({ song }) => [song.sounding, song.scope ?? ""]);
            """)
    }

    @Test @LoopActor func aNearKeyIsShownWithoutTheAgentAndIsKeptOnceItAnswers() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await Self.open(desk)
            #expect(try await browser.ask("return \(Self.near).sort()") == ["C", "Db", "E", "Eb"])
            #expect(try await Self.told(chart, browser) == ["D", ""], "nobody has chosen anything")
            try await desk.endAgent()
            try await Self.openPanel(browser)
            let time = try await Self.choose("E", browser)
            print("a near key without the agent: \(time) ms")
            #expect(time < 1000)
            try await browser.wait(for: "\(Self.key) === 'Key E' && \(Self.isReady)")
            try await browser.wait(for: "\(Self.panel).includes('your choice holds in this window')")
            #expect(try await browser.ask("return document.querySelector('.stage .card')?.textContent ?? ''") == "")
            try await browser.screenshot("song-key-without-agent")

            try await desk.beginAgain()
            try await browser.wait(for: "\(Self.drawn).chart.song.scope === 'plan' && !\(Self.drawn).chart.song.isWaiting")
            #expect(try await Self.told(chart, browser) == ["E", "plan"])
            #expect(try await browser.ask("return \(Self.key)") == "Key E")
            #expect(try await browser.ask("return !document.querySelector('.offer')"), "nobody is asked about what they chose")
        }
    }
}
