import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// Events while music is played: pedal presses, offers, searches for other songs, and a change to another part.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct PlayingTests {
    @Test @LoopActor func theFirstCardStartsTheMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let first = try await desk.play().stops()[0]
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plan-card.next a.button:not([hidden])')")
            try await browser.run("document.querySelector('.plan-card.next a.button').click()")
            try await browser.wait(for: "\(Desk.isReady) && document.body.dataset.chart === '\(first.chart)'")
        }
    }

    /// A musician teaches the viewer the key of a pedal. The key then turns pages, even behind an open panel.
    @Test @LoopActor func aPedalLearnsByBeingPressedAndTurnsBehindAPanel() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            _ = try await desk.play()
            try await browser.press(.end)
            try await browser.press(.home)
            try await browser.wait(for: Desk.isAt(0))
            try await browser.press(.question)
            try await browser.wait(for: "document.querySelector('.pedals button')")
            try await browser.run("document.querySelector('.pedals button.button:not(.plain)').focus(); document.activeElement.click()")
            try await browser.screenshot("pedals")
            try await browser.press(.k)
            try await browser.wait(for: "document.querySelector('.pedals li .quiet').textContent === 'k'")
            #expect(try await browser.ask("return document.body.dataset.position") == "0", "it was learned, and turned nothing")
            try await browser.press(.k)
            try await browser.wait(for: Desk.isAt(1))
            try await browser.press(.pageDown)
            try await browser.wait(for: Desk.isAt(2))
            #expect(try await browser.ask("return document.querySelector('dialog[open]') !== null"))
            try await browser.press(.escape)
            // A focused field uses the arrow keys, but not a pedal's keys.
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog input')")
            try await browser.run("document.querySelector('dialog input').focus()")
            try await browser.press(.pageUp)
            try await browser.wait(for: Desk.isAt(1))
            try await browser.press(.pageDown)
            try await browser.wait(for: Desk.isAt(2))
            #expect(try await browser.ask("return document.querySelector('dialog[open]') !== null"))
            try await browser.press(.escape)
            try await browser.press(.k)
            try await browser.wait(for: Desk.isAt(3))
            try await browser.wait(for: "new URLSearchParams(location.search).get('page') === '4'")
            try await browser.run("location.reload()")
            try await browser.wait(for: Desk.isAt(3))
            try await browser.press(.k)
            try await browser.wait(for: Desk.isAt(4))
        }
    }

    /// A tap on the offer of a changed chart replaces nothing before the end of the song.
    @Test @LoopActor func aChangedChartWaitsForTheSongsEnd() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stop = try await witness.stops()[0]
            let former = try await desk.folder(of: stop.chart)
            try desk.service.edit(.replaceChartWith(attachment: stop.chart, other: "amazing-grace-lead-g"))
            try await desk.run(["sync"])
            try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
            let shown =
                "modules['books.js'].book.peek({ chart: '\(stop.chart)', item: new URLSearchParams(location.search).get('item'), plan: new URLSearchParams(location.search).get('plan') })?.hash"
            try await browser.run("document.querySelector('.offer:not([data-name^=older]) .button').click()")
            #expect(
                try await browser.ask("return document.querySelector('.offer:not([data-name^=older]) p').textContent")
                    == "It will be shown when you leave this song.")
            try await browser.screenshot("offer")
            #expect(try await browser.ask("return \(shown).slice(0, 32)") == former)
            try await browser.press(.right)
            try await browser.wait(for: Desk.isAt(1))
            #expect(try await browser.ask("return \(shown).slice(0, 32)") == former)
            try await browser.press(.nextItem)
            try await browser.wait(
                for:
                    "document.body.dataset.chart !== '\(stop.chart)' && \(Desk.isReady) && !document.querySelector('.offer:not([data-name^=older])')"
            )
            try await browser.press(.previousItem)
            try await browser.wait(for: "document.body.dataset.chart === '\(stop.chart)' && \(Desk.isReady) && \(shown)")
            #expect(try await browser.ask("return \(shown).slice(0, 32)") != former)
        }
    }

    /// The agent may report a chart again while its accepted version has not reached the stand yet.
    @Test @LoopActor func whatWasAcceptedIsNotOfferedAgain() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await browser.runFirst(
                """
                const Source = EventSource;
                window.EventSource = class extends Source { constructor(...rest) { super(...rest); window.source = this; } };
                """)
            let stop = try await desk.play().stops()[0]
            try desk.service.edit(.replaceChartWith(attachment: stop.chart, other: "amazing-grace-lead-g"))
            try await desk.run(["sync"])
            try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
            try await browser.run(
                """
                window.kept = [];
                const post = Worker.prototype.postMessage;
                Worker.prototype.postMessage = function (...message) {
                  if (window.kept) window.kept.push(() => post.apply(this, message)); else post.apply(this, message);
                };
                for (let tap = 0; tap < 2; tap += 1) document.querySelector(".offer:not([data-name^=older]) .button").click();
                """)
            try await browser.wait(for: "window.kept.length > 0 && !document.querySelector('.offer:not([data-name^=older])')")
            // Act as if the agent reported the chart again, and wait until the page has read the chart's description.
            let hasAsked: Bool = try await browser.ask(
                """
                const real = window.fetch;
                return new Promise((resolve) => {
                  window.fetch = (...rest) => {
                    const reply = real(...rest);
                    if (String(rest[0]).startsWith("/api/chart/")) reply.then(() => setTimeout(() => resolve(true), 100));
                    return reply;
                  };
                  window.source.dispatchEvent(new MessageEvent("chart", { data: '{"chart":"\(stop.chart)","set":"another"}' }));
                });
                """)
            #expect(hasAsked)
            #expect(try await browser.ask("return document.querySelector('.offer:not([data-name^=older])') === null"))
            try await browser.run("const all = window.kept; window.kept = null; for (const each of all) each();")
            try await browser.wait(for: Desk.isReady)
            #expect(try await browser.ask("return document.querySelector('.offer:not([data-name^=older])') === null"))
        }
    }

    /// No offer covers the zones where a tap turns the page.
    @Test @LoopActor func anOfferLiesBetweenTheTurningZones() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let witness = try await desk.play()
            try desk.service.edit(.replaceChartWith(attachment: try await witness.stops()[0].chart, other: "amazing-grace-lead-g"))
            try await desk.run(["sync"])
            try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
            let box: [Double] = try await browser.ask(
                "const { left, right, bottom } = document.querySelector('.offer:not([data-name^=older])').getBoundingClientRect(); return [left, right, bottom];"
            )
            #expect(box[0] >= 1366 / 3 - 1 && box[1] <= 1366 * 2 / 3 + 1 && box[2] < 384, "\(box)")
            try await browser.screenshot("offer-laptop")
            try await browser.resize(390, 844)
            try await browser.screenshot("offer-phone")
            // The buttons stay within the middle third of any screen; in the outer thirds, a tap reaches the page.
            for width in [390, 820, 1024, 1280] {
                try await browser.resize(width, 844)
                let buttons: [[Double]] = try await browser.ask(
                    """
                    return [...document.querySelectorAll(".offer:not([data-name^=older]) button")].map((each) => each.getBoundingClientRect())
                      .map(({ left, right, width, height }) => [left, right, Math.min(width, height)]);
                    """)
                let third = Double(width) / 3
                #expect(buttons.allSatisfy { $0[0] >= third && $0[1] <= 2 * third && $0[2] >= 44 }, "\(width): \(buttons)")
                let isOnStage: Bool = try await browser.ask(
                    """
                    const { left, right, top, bottom } = document.querySelector(".offer:not([data-name^=older])").getBoundingClientRect();
                    return [left + 3, right - 3].every((x) => document.elementFromPoint(x, (top + bottom) / 2).closest(".stage"));
                    """)
                #expect(isOnStage)
            }
        }
    }

    /// A musician with an instrument cannot close an open panel, so pedals turn behind it until somebody touches it.
    @Test @LoopActor func aPanelThatNobodyTouchesLeavesTheMusicToPedals() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await browser.run(
                "const later = setTimeout; window.setTimeout = (act, pause) => later(act, pause === 20000 ? window.patience : pause)")
            let fit = "return modules['settings.js'].settings.get('fit')"
            try await browser.run("window.patience = 60000")
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog input[name=fit]')")
            for (number, key) in [Key.right, .space, .enter].enumerated() {
                try await browser.press(key)
                try await browser.wait(for: Desk.isAt(number + 1))
            }
            for position in [2, 1, 0] {
                try await browser.press(.up)
                try await browser.wait(for: Desk.isAt(position))
            }
            #expect(try await browser.ask(fit) == "page", "no pedal chooses a setting")
            // A pedal does not change the choice of layers, either.
            try await browser.press(.escape)
            try await browser.press(.l)
            try await browser.wait(for: "document.querySelector('dialog .switch')")
            try await browser.press(.space)
            try await browser.wait(for: Desk.isAt(1))
            #expect(try await browser.ask("return [...document.querySelectorAll('dialog .switch')].every(({ checked }) => checked)"))
            try await browser.press(.escape)
            try await browser.press(.left)
            try await browser.wait(for: Desk.isAt(0))
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog input[name=fit]')")
            // After Tab, keys apply to the panel.
            try await browser.press(.tab)
            try await browser.run("document.querySelector('dialog input[name=fit]:checked').focus()")
            try await browser.press(.right)
            #expect(try await browser.ask(fit) == "width")
            #expect(try await browser.ask("return document.body.dataset.position") == "0")
            try await browser.press(.escape)
            try await browser.run("window.patience = 2000")
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog[open]')")
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
        }
    }

    /// For an encore, a musician finds a song of another plan, and then goes back to this plan.
    @Test @LoopActor func anySongThatIsHereIsFound() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let own = try await desk.play().stops()[0].chart
            func find(_ words: String) async throws {
                try await browser.press(.slash)
                try await browser.wait(for: "document.querySelector('dialog input')")
                try await browser.run(
                    "const input = document.querySelector('dialog input'); input.value = '\(words)'; input.dispatchEvent(new Event('input'))"
                )
                try await browser.wait(for: "document.querySelector('.found li[role=option]')")
            }
            try await find("silent")
            #expect(try await browser.ask("return /day, \\w+ \\d/.test(document.querySelector('.found li').innerText)"), "where it is from")
            try await browser.screenshot("one-more")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.bar-title').textContent === 'Silent Night'")
            try await find("prelude")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Desk.isReady) && document.body.dataset.chart === '\(own)'")
            try await browser.wait(for: "new URLSearchParams(location.search).has('plan')")
            // After a song of another plan, the plan's key leads back to the musician's own plan.
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            try await find("silent")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.bar-title').textContent === 'Silent Night'")
            try await browser.press(.p)
            try await browser.wait(for: "location.pathname === '/plan/\(plan)' && document.querySelector('ol.items')")
        }
    }

    /// The song is found from the list of plans, and after a reload of a chart that was opened without a plan.
    @Test @LoopActor func aSongOfAPlanThatIsNotInTheListIsFound() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await desk.visit("/")
            let plans = "fetch('/api/state').then((reply) => reply.json()).then(({ plans }) => plans)"
            let plan: String = try await browser.ask(
                """
                return \(plans).then(async (plans) => {
                  const items = await Promise.all(plans.map(({ id }) => modules["api.js"].api.plan(id).then(({ items }) => items)));
                  return plans[items.findIndex((each) => each.some(({ title }) => title === "Silent Night"))].id;
                });
                """)
            try desk.service.edit(.setTimes(plan: plan, starts: ["2028-12-24T10:00:00Z"]))
            for words in [["sync"], ["accept", plan, "--yes"], ["sync"]] { try await desk.run(words) }
            try await browser.wait(for: "\(plans).then((plans) => plans.every(({ id }) => id !== '\(plan)'))")
            func find(_ words: String, _ title: String) async throws {
                try await browser.press(.slash)
                try await browser.wait(for: "document.activeElement.matches('dialog input')")
                try await browser.type(words)
                try await browser.wait(
                    for: "document.querySelector('.found [aria-selected=true] .found-title')?.textContent === '\(title)'")
                try await browser.screenshot("found-\(words)")
                try await browser.press(.enter)
                try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.bar-title').textContent === '\(title)'")
            }
            try await browser.wait(for: "document.querySelector('.plan-card')")
            try await find("silent", "Silent Night")
            try await browser.run("location.reload()")
            try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.stage canvas.page')")
            #expect(try await browser.ask("return new URLSearchParams(location.search).get('plan')", as: String?.self) == nil)
            try await find("prelude", "Prelude")
            try await browser.wait(for: "new URLSearchParams(location.search).has('plan')")
            try await browser.expectNoComplaints()
        }
    }

    /// Rows that are already in the finder stay in their places while songs of other plans arrive, and the chosen row stays chosen.
    @Test @LoopActor func whatIsFoundLaterComesBelow() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await find(browser)
            try await browser.run(
                "const input = document.querySelector('dialog input'); input.value = 'silent'; input.dispatchEvent(new Event('input'))")
            try await browser.wait(for: "document.querySelector('.found .nothing')")
            for _ in 1...2 { try await tellOfAPlan(browser) }
            try await browser.wait(for: "document.querySelector('.found li').getAttribute('aria-selected') === 'true'")
            #expect(try await browser.ask("return document.querySelectorAll('.found .nothing').length") == 0)

            let here: String = try await browser.ask("return location.pathname + location.search")
            try await desk.visit(here)
            try await browser.wait(for: Desk.isReady)
            try await find(browser)
            try await browser.press(.down)
            try await browser.run(
                """
                window.rows = [...document.querySelectorAll(".found li")];
                document.querySelector(".found").style.height = "9rem";
                document.querySelector(".found").scrollTop = 90;
                window.tops = window.rows.map((row) => row.getBoundingClientRect().top);
                window.chosen = document.querySelector(".found [aria-selected=true]");
                """)
            for _ in 1...2 {
                let before: Int = try await browser.ask("return document.querySelectorAll('.found li').length")
                try await tellOfAPlan(browser)
                try await browser.wait(for: "document.querySelectorAll('.found li').length > \(before)")
                let moved: [Int] = try await browser.ask(
                    """
                    const rows = [...document.querySelectorAll(".found li")];
                    return window.rows.flatMap((row, i) => (row === rows[i] && row.getBoundingClientRect().top === window.tops[i] ? [] : [i]));
                    """)
                #expect(moved == [])
                #expect(try await browser.ask("return document.querySelector('.found [aria-selected=true]') === window.chosen"))
            }
        }
    }

    /// Opens the finder, and holds back the other plans until the test releases them.
    @LoopActor
    private func find(_ browser: Browser) async throws {
        try await browser.run(
            """
            const ask = fetch;
            window.held = [];
            // The page requests its own plan after every event about it, and this plan adds no songs.
            const own = `/api/plan/${new URLSearchParams(location.search).get("plan")}`;
            window.fetch = (...rest) => String(rest[0]).startsWith("/api/plan/") && rest[0] !== own
              ? new Promise((resolve) => window.held.push(() => resolve(ask(...rest)))) : ask(...rest);
            """)
        try await browser.press(.slash)
        try await browser.wait(for: "document.querySelectorAll('.found li').length > 4")
    }

    @LoopActor
    private func tellOfAPlan(_ browser: Browser) async throws {
        try await browser.wait(for: "window.held.length > 0")
        try await browser.run("const tell = window.held.shift(); tell();")
    }

    /// The bar shows the item, another part is two taps away, and the next key turns the pages of that part.
    @Test @LoopActor func anotherPartOfTheSongIsTwoTapsAway() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.querySelector('.bar-where').textContent.startsWith('Song 2 of') && \(Desk.isReady)")
            let former: String = try await browser.ask("return document.body.dataset.chart")
            try await browser.press(.tab)
            try await browser.run("document.querySelector('.bar-part').click()")
            try await browser.screenshot("parts")
            try await browser.run("document.querySelector('.parts button[aria-pressed=false]').click()")
            try await browser.wait(for: "document.body.dataset.chart !== '\(former)' && \(Desk.isReady)")
            let other: String = try await browser.ask("return document.body.dataset.chart")
            #expect(try await browser.ask("return document.querySelector('dialog[open]') === null"))
            try await browser.press(.previousItem)
            try await browser.wait(for: "document.querySelector('.bar-where').textContent.startsWith('Song 1 of') && \(Desk.isReady)")
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.body.dataset.chart === '\(other)' && \(Desk.isReady)")
        }
    }
}
