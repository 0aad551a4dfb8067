import Platform
import StandInSupport
import TestSupport
import Testing

/// A tablet on the music stand, connected to the laptop through the network.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct TabletTests {
    private static let token = "geheim+geheim=%25"
    private static let guestToken = "gast+gast+gast=%26"

    /// Runs a test with an agent that admits tablets at `address`.
    @LoopActor
    private func use(_ test: @LoopActor (Desk, _ address: String) async throws -> Void) async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write(Self.token + "\n", to: folder.path("viewer"))
        try AtomicFile.write(Self.guestToken + "\n", to: folder.path("guests"))
        let settings = """
              listen: 0.0.0.0
              names: [\(Browser.elsewhere)]
              token_file: \(folder.path("viewer"))
              guest_token_file: \(folder.path("guests"))
            """
        try await Desk.use(viewer: settings, isNetworked: true) { desk in
            try await desk.browser.resize(820, 1180)
            try await test(desk, "http://\(Browser.elsewhere):\(desk.address.split(separator: ":").last ?? "")")
        }
    }

    @Test @LoopActor func tokenIsAskedForOnceAndMusicIsShown() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await browser.open(tablet + "/")
            #expect(try await browser.ask("return isSecureContext") == false, "as it is for a tablet")
            try await browser.screenshot("token")
            for isDark in [true, false] {
                try await browser.setDark(isDark)
                try await browser.expectAccess("the token's page, dark: \(isDark)")
            }
            try await enter("geheim+geheim=%24", browser)
            try await browser.wait(for: "document.body.innerText.includes('not the token')")
            try await enter(Self.token, browser)
            try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelectorAll('.plan-card').length > 1")
            #expect(try await browser.ask("return location.href") == tablet + "/")
            #expect(try await browser.ask("return document.cookie") == "")

            try await browser.open(tablet + "/")
            try await browser.wait(for: "document.body.dataset.state === 'ready'")
            try await browser.run("document.querySelector('.plan-card a').click()")
            try await browser.wait(for: "document.querySelector('ol.items a')")
            try await browser.run("document.querySelector('ol.items a').click()")
            try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelector('.stage canvas.page')")
            try await browser.screenshot("tablet-chart")

            // While the service is away, the sentence must name the agent's computer, not the tablet, as the place of the music.
            desk.service.stop()
            try await desk.run(["sync"])
            let banner = "document.getElementById('banner').textContent"
            try await browser.wait(for: "\(banner).startsWith('Offline since')")
            #expect(try await browser.ask("return \(banner).includes(' is stored on the computer that runs Woodshed.')"))

            // After a restart of the agent, the music stays, and the musician can type the token without leaving it.
            try await desk.endAgent()
            try await desk.beginAgain()
            let signIn = "document.querySelector('.banner:not([hidden]) .button:not([hidden])')"
            try await browser.wait(for: "\(signIn) && document.querySelector('.stage canvas.page')")
            try await browser.screenshot("tablet-restarted")
            try await leafThroughPlansUnknown(browser)
            try await browser.run("\(signIn).click()")
            for (token, isRight) in [("geheim", false), (Self.token, true)] {
                try await browser.wait(for: "document.querySelector('dialog input#token')")
                try await browser.run(
                    "document.querySelector('#token').value = '\(token)'; document.querySelector('dialog [type=submit]').click()")
                if isRight {
                    // The service is still away, and the sentence about it may have returned.
                    try await browser.wait(
                        for: "!document.querySelector('dialog') && (\(banner) === '' || \(banner).startsWith('Offline since'))")
                } else {
                    try await browser.wait(for: "document.querySelector('dialog .trouble').textContent === 'That is not the token.'")
                    try await browser.screenshot("tablet-sign-in")
                    try await browser.expectAccess("signing in again")
                }
            }
            try await browser.press(.right)
            try await browser.wait(for: "document.body.dataset.position === '1' && document.body.dataset.state === 'ready'")
        }
    }

    /// Goes from the music to its plan, to all plans and back, in a browser that the agent does not recognise.
    @LoopActor private func leafThroughPlansUnknown(_ browser: Browser) async throws {
        try await browser.press(.p)
        try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelector('ol.items a')")
        // The song is over, so the token is asked for.
        try await browser.wait(for: "document.querySelector('dialog input#token')")
        try await browser.run("document.querySelector('.trail a').click()")
        try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelectorAll('.plan-card').length > 1")
        try await browser.screenshot("tablet-restarted-plans")
        // A view that was never loaded cannot be shown; the message must suit a tablet, which has no terminal.
        try await browser.run("history.pushState({}, '', '/plan/other'); dispatchEvent(new Event('woodshed:route'))")
        let words = "document.querySelector('[role=alert]')?.textContent"
        try await browser.wait(for: "\(words)?.startsWith('This browser is no longer signed in.')")
        #expect(try await browser.ask("return \(words).includes('“Sign in”') && !\(words).includes('terminal')"))
        try await browser.screenshot("tablet-restarted-other")
        try await browser.run("document.querySelector('.sheet-of-text a[href=\"/\"]').click()")
        try await browser.wait(for: "document.querySelector('.plan-card a')")
        try await browser.run("document.querySelector('.plan-card a').click()")
        try await browser.wait(for: "document.querySelector('ol.items a')")
        try await browser.run("document.querySelector('ol.items a').click()")
        try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
    }

    /// Neither a question nor another layout of the page may disturb a musician in a song.
    @Test @LoopActor func aRestartIsToldAtOnceAndTheTokenAskedForAfterTheSong() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await signIn(browser, at: tablet)
            try await startPlaying(browser)
            try await desk.hideControls()
            try await browser.noteCues()
            let song: String = try await browser.ask("return document.body.dataset.chart")
            let place = "return JSON.stringify(document.querySelector('.stage').getBoundingClientRect())"
            let before: String = try await browser.ask(place)
            try await desk.endAgent()
            try await desk.beginAgain(untilItAnswers: true)
            try await browser.wait(for: "\(Browser.lastCue) === 'Woodshed was restarted: sign in again at the end of the song'")
            #expect(try await browser.ask(place) == before)
            try await browser.press(.right)
            try await browser.wait(for: "new URLSearchParams(location.search).get('page') === '2' && \(Desk.isReady)")
            #expect(try await browser.ask("return document.querySelector('dialog') === null"))

            let second = try await goOn(browser, from: song)
            try await browser.wait(for: "document.activeElement.matches('dialog input#token')")
            try await browser.screenshot("tablet-asked")
            try await browser.press(.escape)
            _ = try await goOn(browser, from: second)
            #expect(try await browser.ask("return document.querySelector('dialog') === null"), "whoever closed it is left alone")

            let banner = "document.getElementById('banner')"
            try await browser.run("\(banner).click()")
            #expect(try await browser.ask("return \(banner).clientWidth > 100 && !document.querySelector('dialog')"))
            try await browser.run("\(banner).querySelector('span').click()")
            try await browser.wait(for: "document.querySelector('dialog input#token')")
            try await browser.run(
                "document.querySelector('#token').value = '\(Self.token)'; document.querySelector('dialog [type=submit]').click()")
            try await browser.wait(for: "!document.querySelector('dialog') && \(banner).hidden")
        }
    }

    @LoopActor private func startPlaying(_ browser: Browser) async throws {
        try await browser.wait(for: "document.querySelector('.plan-card.next a.button:not([hidden])')")
        try await browser.run("document.querySelector('.plan-card.next a.button').click()")
        try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
    }

    /// Goes to the next song, and returns its chart once it is on the stand: the address changes then.
    @LoopActor private func goOn(_ browser: Browser, from chart: String) async throws -> String {
        try await browser.press(.nextItem)
        let now = "document.body.dataset.chart"
        try await browser.wait(for: "\(now) !== '\(chart)' && decodeURIComponent(location.pathname) === `/chart/${\(now)}`")
        return try await browser.ask("return \(now)")
    }

    /// Signs a tablet in, and restarts the agent, which does not recognise the tablet then. Counts how many times the page notices this.
    @LoopActor private func becomeUnknown(_ desk: Desk, _ tablet: String) async throws {
        let browser = desk.browser
        try await browser.open(tablet + "/")
        try await enter(Self.token, browser)
        try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
        try await browser.run("window.tries = 0; modules['events.js'].on('stranger', () => { window.tries += 1; })")
        try await desk.endAgent()
        try await desk.beginAgain(untilItAnswers: true)
        try await browser.wait(for: "window.tries > 0")
    }

    /// The return to the music must not depend on how long the agent has refused the browser.
    @Test @LoopActor func whoeverSignsInElsewhereIsBackSoon() async throws {
        try await use { desk, tablet in
            try await becomeUnknown(desk, tablet)
            try await desk.browser.wait(for: "window.tries > 3 && document.querySelector('dialog input#token')")
            let took: Double = try await desk.browser.ask(
                """
                const [way] = arguments;
                const began = performance.now();
                return fetch("/", way).then((reply) => reply.json()).then(({ token }) => new Promise((resolve) => {
                  // Act as another window does that stores the token.
                  localStorage.setItem("woodshed-token", token);
                  dispatchEvent(new StorageEvent("storage", { key: "woodshed-token" }));
                  const check = () => {
                    if (document.getElementById("banner").hidden) resolve(performance.now() - began);
                    else setTimeout(check, 20);
                  };
                  check();
                }));
                """,
                [
                    [
                        "method": "POST", "body": "token=\(Self.token)\r\n",
                        "headers": ["Content-Type": "text/plain", "Accept": "application/json"],
                    ]
                ])
            #expect(took < 2000)
            #expect(try await desk.browser.ask("return document.querySelector('dialog') === null"), "nobody is asked any more")
        }
    }

    /// A browser with its cookie but without its token may be anybody at another port of the same address, so it is refused.
    @Test @LoopActor func whatATabletKeptIsAskedForAgainWhereItIsGone() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await browser.open(tablet + "/")
            try await enter(Self.token, browser)
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            #expect(try await browser.ask("return location.hash + document.querySelector('meta[name=woodshed-token]').content") == "")
            let statuses: [Int] = try await browser.ask(
                "return Promise.all(['/api/state', '/api/others'].map((path) => fetch(path).then(({ status }) => status)))")
            #expect(statuses == [403, 403])
            // The music and its thumbnails must be shown.
            try await browser.run("document.querySelector('.plan-card a').click()")
            try await browser.wait(for: "document.querySelector('ol.items a')")
            try await browser.run("document.querySelector('ol.items a').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
            try await browser.press(.t)
            try await browser.wait(for: "document.querySelector('.strip img')?.naturalWidth > 0")

            try await browser.run("localStorage.removeItem('woodshed-token'); location.href = '/'")
            try await browser.wait(for: "document.querySelector('dialog input#token')")
            #expect(try await browser.ask("return document.querySelectorAll('.plan-card').length") == 0)
            try await browser.run(
                "document.querySelector('#token').value = '\(Self.token)'; document.querySelector('dialog [type=submit]').click()")
            try await browser.wait(for: "!document.querySelector('dialog') && document.querySelectorAll('.plan-card').length > 1")
        }
    }

    /// Somebody who has to sign in at the address of a chart is then at that chart, even after a wrong token.
    @Test @LoopActor func whoSignsInAtAChartIsAtTheChartThen() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            let chart = try #require(try await desk.charts().first)
            try await browser.open("\(tablet)/chart/\(chart.id)?page=1")
            try await enter("geheim", browser)
            try await browser.wait(for: "document.body.innerText.includes('not the token')")
            try await enter(Self.token, browser)
            try await browser.wait(for: "document.body.dataset.chart === '\(chart.id)' && document.querySelector('.stage canvas.page')")
        }
    }

    /// The mark was drawn before the sign-in as a guest. Only this browser has it, and must not lose it.
    @Test @LoopActor func marksThatWaitAreNamedToAGuest() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await signIn(by: Self.guestToken, browser, at: tablet)
            #expect(try await browser.ask("return modules['api.js'].mayChange") == false)
            try await browser.run(
                "localStorage.setItem('woodshed-ink 79073902 a', JSON.stringify({ id: 'a', v: 1, mark: null })); location.reload()")
            try await browser.wait(for: "document.getElementById('banner').textContent.startsWith('Marks wait in this browser until')")
            try await browser.screenshot("guest-waiting")
            #expect(try await browser.ask("return localStorage.length") == 2)
        }
    }

    @Test @LoopActor func aGuestWhoWantsToDrawIsToldThatGuestsLook() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await signIn(by: Self.guestToken, browser, at: tablet)
            try await startPlaying(browser)
            for key in [Key.a, .k] {
                try await browser.noteCues()
                try await browser.press(key)
                try await browser.wait(for: "\(Browser.lastCue).includes('guests only look')")
                // The next key is to show the words again.
                try await browser.run("document.querySelector('.cue').hidden = true")
            }
            #expect(try await browser.ask("return !document.body.dataset.drawing && !document.querySelector('dialog')"))
        }
    }

    /// Anybody may send such a link to a musician.
    @Test @LoopActor func aLinkWithAnotherTokenSignsNobodyOut() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await signIn(browser, at: tablet)
            for address in ["/#token=0", "/#token=\(String(repeating: "0", count: 64))"] {
                try await browser.open("about:blank")
                try await browser.open(tablet + address)
                try await browser.wait(for: "document.querySelector('.plan-card.next') && document.body.dataset.state === 'ready'")
                #expect(try await browser.ask("return location.hash") == "")
            }
            try await browser.run("location.reload()")
            try await browser.wait(for: "document.querySelector('.plan-card.next') && document.body.dataset.state === 'ready'")
        }
    }

    @Test @LoopActor func signingInWhileTheAgentHangsIsTriedAgain() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await becomeUnknown(desk, tablet)
            try await browser.run("document.querySelector('.banner .button:not([hidden])').click()")
            try await browser.wait(for: "document.querySelector('dialog input#token')")
            desk.stopAgentsHeart()
            let signIn = "document.querySelector('#token').value = '\(Self.token)'; document.querySelector('dialog [type=submit]').click()"
            try await browser.run(signIn)
            try await browser.wait(for: "document.querySelector('dialog .trouble').textContent === 'Woodshed’s agent does not answer.'")
            try await browser.screenshot("tablet-sign-in-silent")
            desk.letAgentGoOn()
            try await browser.run(signIn)
            try await browser.wait(for: "!document.querySelector('dialog') && document.getElementById('banner').hidden")
        }
    }

    /// Over a network, browsers allow pages less than on the agent's own computer, but a loaded plan must still be available.
    @Test @LoopActor func whatWasLoadedTurnsWithTheAgentAway() async throws {
        try await use { desk, tablet in
            let browser = desk.browser
            try await signIn(browser, at: tablet)
            let plan: String = try await browser.ask("return document.querySelector('.plan-card.next a[data-plan]').dataset.plan")
            try await browser.run("document.querySelector('.plan-card.next a[data-plan]').click()")
            try await browser.wait(for: "/In this browser: (\\d+) of \\1 pages$/.test(document.querySelector('.held')?.textContent)")
            try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
            #expect(try await browser.ask("return isSecureContext") == false, "as it is for a tablet")
            let witness = try await Witness(browser, plan: plan)
            let way = Array(try await witness.stops().dropFirst())
            try await desk.endAgent()
            let banner = "document.getElementById('banner')"
            try await browser.wait(for: "!\(banner).hidden")
            #expect(
                try await browser.ask("return \(banner).querySelector('span').textContent")
                    == "Woodshed’s agent does not answer. All pages of this plan are in this browser and can be turned. "
                    + "Do not reload this page.")
            for (number, _) in way.enumerated() {
                try await browser.press(.right)
                try await witness.arrivals(number + 1)
            }
            let account = try await witness.account()
            #expect(account.arrivals == way && account.blank == 0 && account.wrong == [], "\(account.wrong)")
            try await browser.screenshot("tablet-without-agent")
            // The plan and the way back to the music must work, too.
            try await browser.press(.p)
            try await browser.wait(for: "document.body.dataset.view === 'plan' && document.querySelector('.plan-head a.button.strong')")
            try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
            try await desk.beginAgain()
            // The new agent does not accept the former sign-in, and the sentence explains how to return.
            try await browser.wait(for: "\(banner).querySelector('span').textContent.startsWith('Woodshed was restarted: sign in again.')")
        }
    }

    /// The camera reads the code on the laptop's page and opens the plans; a code from a terminal opens the place for which it was made.
    @Test(.enabled(if: CodeReader.isInstalled, "\(CodeReader.isMissing)")) @LoopActor func aCodeLetsATabletIn() async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write("geheim+geheim=%25\n", to: folder.path("viewer"))
        let settings = "  listen: 0.0.0.0\n  names: [\(Browser.elsewhere)]\n  token_file: \(folder.path("viewer"))"
        try await Desk.use(viewer: settings, isNetworked: true) { desk in
            let laptop = desk.browser
            let site = "http://\(Browser.elsewhere):\(desk.address.split(separator: ":").last ?? "")"
            try await desk.visit("/")
            try await laptop.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            try await laptop.run(Self.askForCode)
            try await laptop.wait(for: "document.querySelector('dialog .code')")
            let address = try #require(try await CodeReader.read(try await laptop.picture("pairing")).first)
            #expect(address.hasPrefix(site + "/open?secret="))
            try await laptop.expectAccess("a tablet's code")
            // In a dark theme, the code is still black on white.
            try await laptop.setDark(true)
            try await laptop.expectAccess("a tablet's code in the dark")
            #expect(try await CodeReader.read(try await laptop.picture("pairing-dark")) == [address])
            try await laptop.setDark(false)
            try await laptop.expectNoComplaints()

            let printed = try await desk.run(["open", "next", "--tablet"])
            #expect(printed.exit == .code(0), "\(printed.messages)")
            let lines = printed.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 1 && lines[0].hasPrefix(site + "/open?secret="), "no picture where there is no terminal")

            let tablet = try await Browsers.borrow()
            do {
                try await enter(tablet, by: [address, lines[0]], site)
            } catch {
                await Browsers.giveBack(tablet)
                throw error
            }
            await Browsers.giveBack(tablet)
            for spent in [address, lines[0]] {
                try await laptop.open(spent)
                try await laptop.wait(for: "document.querySelector('[role=status]').textContent.includes('used already')")
                try await laptop.run("document.querySelector('details').open = true")
                try await laptop.screenshot("pairing-spent")
                try await laptop.expectAccess("a spent code")
            }
        }
    }

    private static let askForCode =
        "[...document.querySelectorAll('.tools button')].find((each) => each.textContent === 'Bring in a tablet').click()"

    /// Opens the first address, which leads to the plans, and then, in the emptied browser, the second one, which leads to a plan.
    @LoopActor
    private func enter(_ tablet: Browser, by addresses: [String], _ site: String) async throws {
        try await tablet.resize(820, 1180)
        try await tablet.open(addresses[0])
        try await tablet.wait(for: "document.body.dataset.state === 'ready' && document.querySelectorAll('.plan-card').length > 1")
        #expect(try await tablet.ask("return location.href") == site + "/")
        let tools: [String] = try await tablet.ask(
            "return [...document.querySelectorAll('.tools button:not([hidden])')].map((each) => each.textContent)")
        #expect(tools == ["Find", "System theme", "Check for changes"], "no tablet lets in others")
        try await tablet.forgetAll()
        // The second time, as from the browser's history, the tablet is in already.
        for _ in 0..<2 {
            try await tablet.open("about:blank")
            try await tablet.open(addresses[1])
            try await tablet.wait(for: "document.body.dataset.state === 'ready' && document.querySelector('ol.items')")
        }
    }

    /// If the viewer serves this machine only, its page and `woodshed open --tablet` must both explain how a tablet gets in.
    @Test @LoopActor func withoutANetworkItIsSaidHowATabletGetsIn() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            try await browser.run(Self.askForCode)
            try await browser.wait(for: "document.querySelector('dialog .pairing')?.textContent.includes('woodshed help tablet')")
            try await browser.screenshot("pairing-alone")
            try await browser.expectAccess("no tablet can be let in")
            try await browser.expectNoComplaints()
            let printed = try await desk.run(["open", "--tablet"])
            #expect(printed.exit == .code(1) && printed.output.isEmpty && printed.messages.contains("help tablet"), "\(printed.messages)")
            #expect(printed.messages.contains("\n    token_file: \(desk.home.path("config/viewer-token"))\n"), "\(printed.messages)")
            let made = try AtomicFile.read(desk.home.path("config/viewer-token"), limit: 100)
            #expect(try await desk.run(["open", "--tablet"]).messages.contains("was made") == false)
            let kept = try AtomicFile.read(desk.home.path("config/viewer-token"), limit: 100)
            #expect(made.count == 25 && made == kept)
        }
    }

    @LoopActor
    private func signIn(by token: String = Self.token, _ browser: Browser, at tablet: String) async throws {
        try await browser.open(tablet + "/")
        try await enter(token, browser)
        try await browser.wait(for: "document.querySelector('.plan-card.next a[data-plan]')")
    }

    @LoopActor
    private func enter(_ token: String, _ browser: Browser) async throws {
        try await browser.run("document.querySelector('input').value = '\(token)'; document.querySelector('button').click()")
    }
}
