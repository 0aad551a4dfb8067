import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// A whole rehearsal with the keyboard alone: the focus is always visible, and never lost.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct KeyboardTests {
    private static let noDialog = "!document.querySelector('dialog[open]')"

    /// Records every frame in which no element has the focus, with the last key before it. Before its first key, a page needs no focus.
    private static let watching = """
        window.lost = [];
        let last = "";
        addEventListener("keydown", ({ key }) => { last = key; }, true);
        const look = () => {
          const at = document.activeElement;
          if (last && document.body && (!at || at === document.body)) window.lost.push(`${location.pathname} after ${last}`);
          requestAnimationFrame(look);
        };
        addEventListener("DOMContentLoaded", () => requestAnimationFrame(look));
        """

    /// A description of the focused element if the element is off the screen or looks like elements without the focus; empty if neither
    /// is so.
    private static let unseen = """
        const at = document.activeElement;
        const shown = at.closest(".plan-card, .segments label") ?? at;
        const { left, right, top, bottom } = shown.getBoundingClientRect();
        const isHere = right > left && bottom > top && left < innerWidth && right > 0 && top < innerHeight && bottom > 0;
        const ring = [at, at.closest(".plan-card"), at.nextElementSibling].filter(Boolean).map((each) => getComputedStyle(each))
          .some(({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 2);
        const isSeen = at.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || at.matches(".segments input");
        return isHere && isSeen && (ring || at.matches("main, .stage")) ? "" : `${at.outerHTML.slice(0, 100)} ${isHere} ${isSeen} ${ring}`;
        """

    /// Presses Tab until an element has the focus; every focused element on the way must be visible.
    @LoopActor private func tab(_ browser: Browser, to selector: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        for _ in 0..<60 {
            try await browser.press(.tab)
            #expect(try await browser.ask(Self.unseen) == "", sourceLocation: sourceLocation)
            if try await browser.ask("return document.activeElement.matches(arguments[0])", [selector]) { return }
        }
        Issue.record("Tab does not lead to \(selector)", sourceLocation: sourceLocation)
    }

    @LoopActor private func expectNothingLost(_ browser: Browser, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        #expect(try await browser.ask("return [...new Set(window.lost)]", as: [String].self) == [], sourceLocation: sourceLocation)
    }

    @Test @LoopActor func aWholeRehearsalIsPlayedByKeyboardAlone() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            try await browser.runFirst(Self.watching)
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            try await tab(browser, to: ".masthead .button:last-child")
            try await browser.press(.enter)
            try await browser.wait(for: "/^Last synced/.test(document.querySelector('.masthead .quiet').textContent)")
            try await tab(browser, to: ".plan-card.next a[data-plan]")
            try await browser.screenshot("keyboard-plans")
            try await browser.press(.enter)
            try await browser.wait(for: "document.body.dataset.view === 'plan' && document.querySelector('.plan-head a.button.strong')")
            try await tab(browser, to: ".plan-head a.button.strong")
            try await browser.screenshot("keyboard-plan")
            try await browser.press(.enter)
            try await browser.wait(for: Desk.isReady)
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            let witness = try await Witness(browser, plan: plan)
            let stops = try await witness.stops()

            // Turn through all songs to the end of the plan.
            for number in 1..<stops.count {
                try await browser.press(.right)
                try await witness.arrivals(number)
            }
            let account = try await witness.account()
            #expect(account.arrivals == Array(stops.dropFirst()) && account.blank == 0 && account.wrong == [], "\(account.wrong)")
            try await browser.press(.escape)
            try await expectNothingLost(browser)

            try await find("holy full", "Holy, Holy, Holy", browser)
            try await toggleLayers(browser, witness)
            try await chooseNight(browser)
            try await find("prelude", "Prelude", browser)
            try await acceptNewChart(desk, stops[0].chart)
            try await thumbnails(browser)

            // Go back to the plan, and to all plans.
            try await browser.press(.p)
            try await browser.wait(for: "document.body.dataset.view === 'plan' && document.querySelector('ol.items')")
            try await tab(browser, to: ".trail a")
            try await browser.press(.enter)
            try await browser.wait(for: "document.body.dataset.view === 'plans' && document.querySelector('.plan-card')")
            try await tab(browser, to: ".plan-card.next a[data-plan]")
            try await expectNothingLost(browser)
            try await browser.expectNoComplaints()
        }
    }

    @LoopActor private func find(_ words: String, _ title: String, _ browser: Browser) async throws {
        try await browser.press(.slash)
        try await browser.wait(for: "document.activeElement.matches('dialog.finder input')")
        try await browser.type(words)
        try await browser.wait(for: "document.querySelector('.found li[aria-selected=true] .found-title')?.textContent === '\(title)'")
        try await browser.press(.enter)
        try await browser.wait(
            for: "\(Self.noDialog) && \(Desk.isReady) && document.querySelector('.bar-title').textContent === '\(title)'")
        try await expectNothingLost(browser)
    }

    @LoopActor private func toggleLayers(_ browser: Browser, _ witness: Witness) async throws {
        try await browser.press(.l)
        try await browser.wait(for: "document.activeElement.matches('dialog.side h2')")
        try await tab(browser, to: ".switch")
        #expect(try await browser.ask(Self.unseen) == "")
        let isOn = "document.activeElement.checked && document.activeElement.getAttribute('aria-busy') !== 'true'"
        #expect(try await browser.ask("return \(isOn)"))
        let annotated =
            "fetch('/api/chart/' + document.body.dataset.chart).then((reply) => reply.json()).then(({ layers }) => layers.filter(({ visible }) => visible).length)"
        let before: Int = try await browser.ask("return \(annotated)")
        try await browser.press(.space)
        try await browser.wait(for: "\(annotated).then((count) => count === \(before - 1))")
        try await browser.wait(for: "document.activeElement.matches('dialog.side .switch[aria-busy=false]')")
        try await browser.press(.space)
        try await browser.wait(for: "\(annotated).then((count) => count === \(before)) && \(isOn)")
        try await browser.press(.escape)
        try await browser.wait(for: "\(Self.noDialog) && \(Desk.isReady)")
        try await expectNothingLost(browser)
    }

    @LoopActor private func chooseNight(_ browser: Browser) async throws {
        try await browser.press(.v)
        try await browser.wait(for: "document.activeElement.matches('dialog.side h2')")
        try await tab(browser, to: "input[name=night]")
        try await browser.press(.right)
        try await browser.wait(for: "document.querySelector('.stage .page.dark')")
        #expect(try await browser.ask(Self.unseen) == "")
        try await browser.screenshot("keyboard-view")
        try await browser.press(.left)
        try await browser.wait(for: "!document.querySelector('.stage .page.dark')")
        try await browser.press(.escape)
        try await browser.wait(for: "\(Self.noDialog) && \(Desk.isReady)")
        try await expectNothingLost(browser)
    }

    @LoopActor private func acceptNewChart(_ desk: Desk, _ chart: String) async throws {
        let browser = desk.browser
        let former = try await desk.folder(of: chart)
        try desk.service.edit(.replaceChartWith(attachment: chart, other: "amazing-grace-lead-g"))
        try await desk.run(["sync"])
        try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
        try await tab(browser, to: ".offer:not([data-name^=older]) .button.strong")
        try await browser.screenshot("keyboard-offer")
        try await browser.press(.enter)
        try await browser.wait(
            for: "document.querySelector('.offer:not([data-name^=older]) p').textContent === 'It will be shown when you leave this song.'")
        try await browser.press(.enter)
        try await browser.wait(for: "!document.querySelector('.offer:not([data-name^=older])') && \(Desk.isReady)")
        let shown =
            "modules['books.js'].book.peek({ chart: '\(chart)', item: new URLSearchParams(location.search).get('item') }).hash.slice(0, 32)"
        #expect(try await browser.ask("return \(shown)") != former)
        // Another offer comes, and is dismissed.
        try desk.service.edit(.replaceChartWith(attachment: chart, other: "piano-album"))
        try await desk.run(["sync"])
        try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
        try await tab(browser, to: ".offer:not([data-name^=older]) .tool")
        try await browser.press(.enter)
        try await browser.wait(for: "!document.querySelector('.offer:not([data-name^=older])')")
        try await expectNothingLost(browser)
    }

    /// Chooses a page among the thumbnails; the next key turns from that page.
    @LoopActor private func thumbnails(_ browser: Browser) async throws {
        try await browser.press(.t)
        try await tab(browser, to: ".strip button:nth-child(2), .strip button:only-child")
        try await browser.press(.enter)
        try await browser.wait(for: Desk.isReady)
        try await browser.press(.right)
        try await browser.wait(for: "\(Desk.isReady) && document.querySelector('.strip.away')")
        try await browser.press(.t)
        try await browser.press(.escape)
        try await expectNothingLost(browser)
    }
}
