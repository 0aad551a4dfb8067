import Platform
import TestSupport
import Testing

/// A song drawn from words and chords, in a key that the musician chooses at the stand.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SongKeyTests {
    /// Nearby keys are fetched ahead; marks or another choice may replace their images before the browser requests these.
    private static let replaced = "410 (Gone)"

    private static let isReady = "document.body.dataset.state === 'ready'"
    private static let button = "document.querySelector('.bar-key')"
    private static let text = "\(button).textContent"
    private static let image = "modules['books.js'].book.all.find(({ chart }) => chart.song?.view)?.chart.pages[0].annotated.src"

    @LoopActor private static func choose(_ name: String, _ value: String, _ desk: Desk) async throws {
        try await desk.browser.run(
            "[...document.querySelectorAll('.\(name) input')].find((input) => input.value === '\(value)').click()")
    }

    @Test @LoopActor func aKeyThatIsChosenIsOnThePageWithTheMarks() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/plan/67820001")
            try await browser.wait(for: "document.body.innerText.includes('Shall We Gather at the River')")
            let song: String = try await browser.ask(
                "return [...document.querySelectorAll('a')].find((link) => link.innerText.includes('Shall We Gather')).getAttribute('href')"
            )
            try await desk.visit(song)
            try await browser.wait(for: "\(Self.isReady) && \(Self.button) && !\(Self.button).hidden")
            #expect(try await browser.ask("return \(Self.text)") == "Key D")
            try await browser.screenshot("song")

            let line = ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##
            let chart: String = try await browser.ask("return modules['books.js'].book.all.find(({ chart }) => chart.song).chart.id")
            try desk.save(line, on: chart)
            try await browser.wait(for: "\(Self.image).includes('annotated')")
            let before: String = try await browser.ask("return \(Self.image)")

            try await browser.run("\(Self.button).click()")
            try await browser.wait(for: "document.querySelector('.song-keys')")
            #expect(try await browser.ask("return document.querySelector('.song-keys input:checked').value") == "D")
            try await browser.screenshot("song-key")
            try await browser.expectAccess("a song's key")
            try await Self.choose("song-keys", "G", desk)
            try await browser.wait(for: "\(Self.text) === 'Key G' && \(Self.isReady)")
            #expect(try await browser.ask("return \(Self.image)") != before)
            #expect(
                try await browser.ask("return modules['books.js'].book.all.find(({ chart }) => chart.song?.view).chart.pages[0].marked"),
                "marks belong to the song")
            try await browser.wait(for: "document.querySelector('.song-keys input:checked')?.value === 'G'")
            try await Self.choose("song-capos", "3", desk)
            try await browser.wait(for: "\(Self.text) === 'Key G, capo 3' && \(Self.isReady)")
            let said: String = try await browser.ask("return document.querySelector('.song-key').innerText")
            #expect(said.contains("The band plays D. You see E, with a capo at fret 3, which sounds in G."))
            try await browser.screenshot("song-capo")
            #expect(try await browser.ask("return !document.querySelector('.offer')"), "nobody is asked about what they chose")
            try await browser.run(
                "[...document.querySelectorAll('.song-key button')].find((b) => b.innerText === 'As the plan has it').click()")
            try await browser.wait(for: "\(Self.text) === 'Key D' && \(Self.isReady)")
            let again: String = try await browser.ask("return \(Self.image)")
            #expect(again == before, "it is the same chart again")
            try await browser.expectNoComplaints(besides: Self.replaced)
        }
    }

    /// The next choice starts from the song as shown, not from the choice that failed.
    @Test @LoopActor func aChoiceThatFailsLeavesNothingBehind() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await Self.openToDraw(desk)
            try await browser.run("\(Self.button).click()")
            try await browser.wait(for: "document.querySelector('.song-keys')")
            let trouble = "document.querySelector('.song-key .trouble').textContent"
            /// Refuses this many of the next choices, once `refusing` is called.
            func refuse(_ times: Int) async throws {
                try await browser.run(
                    """
                    const agent = window.fetch;
                    let left = \(times);
                    window.fetch = (address, ...rest) => {
                      if (address !== "/api/song" || left === 0) return agent(address, ...rest);
                      left -= 1;
                      const body = JSON.stringify({ error: "This cannot be drawn." });
                      return new Promise((done) => { window.refusing = () => done(new Response(body, { status: 500 })); });
                    };
                    """)
            }
            try await refuse(1)
            try await Self.choose("song-keys", "A", desk)
            try await browser.wait(for: "window.refusing")
            try await browser.run("window.refusing()")
            try await browser.wait(for: "\(trouble) === 'This cannot be drawn.'")
            #expect(try await browser.ask("return document.querySelector('.song-keys input:checked').value") == "D")
            try await Self.choose("song-capos", "2", desk)
            try await browser.wait(for: "\(Self.text) === 'Key D, capo 2' && \(Self.isReady)")
            try await browser.wait(for: "document.querySelector('.song-capos input:checked')?.value === '2'")

            // If two choices follow each other quickly, the second request also contains the first choice, even if that request failed.
            try await refuse(1)
            try await browser.run("window.refusing = null")
            try await Self.choose("song-keys", "A", desk)
            try await browser.wait(for: "window.refusing")
            try await Self.choose("song-capos", "4", desk)
            try await browser.run("window.refusing()")
            try await browser.wait(for: "\(Self.text) === 'Key A, capo 4' && \(Self.isReady)")
        }
    }

    /// Ink belongs to the song: a mark drawn in one key is also shown in another, and can be changed there.
    @Test @LoopActor func whatIsDrawnInOneKeyIsRightInAnother() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let chart = try await Self.openToDraw(desk)
            try await browser.run("hand.tool('Pen')")
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await desk.waitUntilDry()
            try await browser.run("\(Self.button).click()")
            try await browser.wait(for: "document.querySelector('.song-keys')")
            try await Self.choose("song-keys", "A", desk)
            try await browser.wait(for: "\(Self.text) === 'Key A' && \(Self.isReady) && \(Self.image).includes('annotated')")
            try await browser.run("document.querySelector('dialog[open]').close()")
            try await desk.takeToolsOut()
            try await desk.draw((0.2, 0.7), (0.8, 0.7))
            try await desk.waitUntilDry()
            #expect(try await desk.kept(chart).count == 2)
            let said = try await desk.run(["ready", "--plan", "67820001"])
            #expect(!said.output.contains("version") && !said.messages.contains("version"), "\(said)")
            #expect(try await browser.ask("return !document.querySelector('.offer')"))
        }
    }

    /// A note written next to the chords of one key may be wrong in another, so a mark can be limited to one key.
    @Test @LoopActor func whatIsForOneKeyIsShownInThatOneAlone() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await Self.openToDraw(desk)
            let only = "document.querySelector('.draw .only').parentElement"
            func said() async throws -> String {
                try await browser.ask("return \(only).hidden ? 'nothing' : `${\(only).ariaLabel}, ${\(only).ariaPressed}`")
            }
            #expect(try await said() == "Only in D, false")
            try await browser.run("hand.tool('Pen'); hand.tool('Only in D')")
            #expect(try await said() == "Only in D, true")
            try await desk.draw((0.2, 0.5), (0.8, 0.5))
            try await browser.screenshot("song-only")
            try await desk.waitUntilDry()
            #expect(try await desk.kept(chart).map(\.key) == ["D"])

            func choose(_ key: String) async throws {
                try await browser.run("\(Self.button).click()")
                try await browser.wait(for: "document.querySelector('.song-keys')")
                try await Self.choose("song-keys", key, desk)
                try await browser.wait(for: "\(Self.text) === 'Key \(key)' && \(Self.isReady)")
                try await browser.run("document.querySelector('dialog[open]').close()")
            }
            let isMarked = "modules['books.js'].book.all.find(({ chart }) => chart.song?.view).chart.pages[0].marked"
            try await choose("A")
            #expect(try await browser.ask("return \(isMarked)") == false)
            try await desk.takeToolsOut()
            #expect(try await said() == "Only in A, false")
            try await browser.run("hand.tool('Choose')")
            #expect(try await browser.ask("return document.querySelectorAll('.ink-list [role=option]').length") == 0)
            try await browser.run("hand.tool('Pen')")
            try await desk.draw((0.2, 0.7), (0.8, 0.7))
            try await desk.waitUntilDry()
            try await choose("D")
            try await browser.wait(for: isMarked)
            try await desk.takeToolsOut()
            try await browser.run("hand.tool('Choose')")
            try await browser.wait(for: "document.querySelectorAll('.ink-list [role=option]').length === 2")
            #expect(try await said() == "Only in D, false", "nothing is chosen yet")
            // A mark for one key can be changed to be shown in all keys.
            try await browser.run("document.querySelector('.ink-list [role=option]').focus(); hand.tool('Only in D')")
            try await desk.waitUntilDry()
            #expect(try await desk.kept(chart).map(\.key) == [nil, nil])
            // Go to another chart while the tools are out.
            try await desk.takeToolsOut()
            try await browser.run("hand.tool('Pen'); hand.tool('Only in D')")
            #expect(try await said() == "Only in D, true")
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: '[', bubbles: true }))")
            try await browser.wait(for: "\(only).hidden && \(Self.isReady)")
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true }))")
            try await browser.wait(for: "!\(only).hidden && \(Self.isReady)")
            #expect(try await said() == "Only in D, false")
            try await browser.expectNoComplaints(besides: Self.replaced)
        }
    }

    /// The keys for larger and smaller transpose the song while the panel is open.
    @Test @LoopActor func aKeyHigherIsOnePressAway() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(390, 844)
            try await desk.visit("/chart/song%2F\(try await Self.arrangement(desk))?plan=67820001")
            try await browser.wait(for: "\(Self.isReady) && \(Self.button)")
            try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }))")
            try await browser.wait(for: "document.querySelector('.song-keys')")
            try await browser.screenshot("song-key-narrow")
            try await browser.run(
                "document.querySelector('.song-keys').dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true }))")
            try await browser.wait(for: "\(Self.text) === 'Key E♭' && \(Self.isReady)")
            try await browser.run(
                "document.querySelector('.song-keys').dispatchEvent(new KeyboardEvent('keydown', { key: '-', bubbles: true }))")
            try await browser.wait(for: "\(Self.text) === 'Key D' && \(Self.isReady)")
            try await browser.expectNoComplaints(besides: Self.replaced)
        }
    }

    /// Somebody asks for a song of another plan: nothing of the plan being played changes, and the key can be chosen all the same.
    @Test @LoopActor func aSongOutsideThePlanIsReadInAnotherKey() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/chart/song%2F\(try await Self.arrangement(desk))")
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key D'")
            try await browser.run("\(Self.button).click()")
            try await browser.wait(for: "document.querySelector('.song-keys')")
            #expect(try await browser.ask("return document.querySelector('.song-scope').innerText.includes('Only in its own plan')"))
            try await Self.choose("song-keys", "E", desk)
            try await browser.wait(for: "\(Self.text) === 'Key E' && \(Self.isReady)")
            let said: String = try await browser.ask("return document.querySelector('.song-key .trouble').textContent")
            #expect(said.isEmpty)
            let leads: Bool = try await browser.ask(
                "return modules['books.js'].book.all.some(({ place, chart }) => !place.plan && (chart.next || chart.previous))")
            #expect(!leads, "it does not lead on into that plan")
            let keys: [String] = try await browser.ask(
                """
                return fetch("/api/plan/67820001").then((reply) => reply.json())
                  .then(({ items }) => items.map(({ view }) => view?.key).filter((key) => key === "E"));
                """)
            #expect(keys == ["E"], "it is kept there")
            try await browser.expectNoComplaints(besides: Self.replaced)
        }
    }

    /// A key of one's own beside a lead sheet: it stays where the musician turns away and back, it is no news to whoever chose it, and
    /// going back to the plan's key takes it back.
    @Test @LoopActor func aKeyBesideALeadSheetStaysUntilItIsTakenBack() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/plan/67810002")
            let lead = "[...document.querySelectorAll('a.chart')].find((link) => link.innerText.startsWith('lead sheet in G'))"
            try await browser.wait(for: lead)
            try await browser.run("\(lead).click()")
            let part = "document.querySelector('.bar-part').textContent"
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key G' && \(part) === 'lead sheet in G'")
            try await browser.press(.k)
            try await browser.wait(for: "document.querySelector('.song-keys')")
            try await browser.press(.plus)
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key A♭' && \(part) === 'words and chords'")
            try await browser.run("document.querySelector('dialog[open]').close()")
            let item: String = try await browser.ask("return new URLSearchParams(location.search).get('item')")
            let isBack = "new URLSearchParams(location.search).get('item') === '\(item)'"
            try await browser.press(.nextItem)
            try await browser.wait(for: "\(Self.isReady) && !(\(isBack))")
            try await browser.press(.previousItem)
            try await browser.wait(for: "\(Self.isReady) && \(isBack) && \(Self.text) === 'Key A♭' && \(part) === 'words and chords'")
            #expect(try await browser.ask("return !document.querySelector('.banner')?.textContent.includes('running order')"))
            #expect(try await Self.parts(of: item, desk).first == "Amazing Grace, words and chords")

            try await browser.press(.k)
            try await browser.wait(for: "document.querySelector('.song-keys input:checked')?.value === 'Ab'")
            try await browser.run(
                "document.querySelector('.song-keys').dispatchEvent(new KeyboardEvent('keydown', { key: '-', bubbles: true }))")
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key G' && \(part) === 'lead sheet in G'")
            #expect(
                try await !Self.parts(of: item, desk).contains("Amazing Grace, words and chords"), "every browser has what the plan has")
            let also = "[...document.querySelectorAll('.song-key button')].find((each) => each.innerText === 'Also as words and chords')"
            try await browser.wait(for: also)
            try await browser.run("\(also).click()")
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key G' && \(part) === 'words and chords'")
            #expect(try await Self.parts(of: item, desk).first == "Amazing Grace - lead sheet in G", "the plan's chart stays in front")
            try await browser.resize(844, 390)
            try await browser.wait(
                for: "document.querySelector('dialog[open]').scrollHeight <= document.querySelector('dialog[open]').clientHeight + 1")
            try await browser.screenshot("song-key-low")
        }
    }

    /// The plan has the song in G, and the service's chart of it is in F.
    @Test @LoopActor func aChartThatIsKnownToBeInAnotherKeySaysSo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/plan/67810003")
            let chart = "[...document.querySelectorAll('a.chart')].find((link) => link.title.endsWith('Chariot - F'))"
            try await browser.wait(for: chart)
            try await browser.run("\(chart).click()")
            try await browser.wait(for: "\(Self.isReady) && \(Self.text) === 'Key F'")
            #expect(try await browser.ask("return document.querySelector('.bar-where').textContent.includes('G · chart in F')"))
        }
    }

    /// The names of an item's charts, in the order of the plan.
    @LoopActor private static func parts(of item: String, _ desk: Desk) async throws -> [String] {
        try await desk.browser.ask(
            """
            return fetch("/api/plan/67810002").then((reply) => reply.json())
              .then(({ items }) => items.find(({ id }) => id === "\(item)").charts.map(({ name }) => name));
            """)
    }

    /// Opens the plan's song, and takes the tools out. Returns the song's chart id.
    @LoopActor private static func openToDraw(_ desk: Desk) async throws -> String {
        try await desk.visit("/chart/song%2F\(try await arrangement(desk))?plan=67820001")
        try await desk.browser.wait(for: "\(isReady) && \(button)")
        try await desk.takeToolsOut()
        return try await desk.browser.ask("return modules['books.js'].book.all.find(({ chart }) => chart.song).chart.id")
    }

    @LoopActor private static func arrangement(_ desk: Desk) async throws -> String {
        try await desk.visit("/plan/67820001")
        try await desk.browser.wait(for: "document.body.innerText.includes('Shall We Gather at the River')")
        let song: String = try await desk.browser.ask(
            "return decodeURIComponent([...document.querySelectorAll('a')].find((link) => link.innerText.includes('Shall We Gather')).href)"
        )
        let found = try #require(song.firstMatch(of: /song\/([^?\/]+)/))
        return String(found.1)
    }
}
