import DemoService
import Foundation
import Platform
import StandInSupport
import TestSupport
import Testing

/// axe-core finds no fault in any view, and a finger can hit every control.
@Suite(
    .onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing),
    .enabled(if: axe != nil || isCI, "axe-core is not here: .ci/axe fetches it"))
struct AccessTests {
    private static let isReady = "document.body.dataset.state === 'ready'"

    @Test @LoopActor func axeFindsNothingInAnyViewAndTheme() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            let chart: String = try await browser.ask("return location.pathname + location.search")
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            // A narrow screen has another layout but the same colours, so one theme is enough there.
            for (theme, width) in [("light", 1366), ("dark", 1366), ("forced", 1366), ("light", 390)] {
                try await browser.setDark(theme == "dark", choosesColours: theme == "forced")
                try await browser.resize(width, width == 390 ? 844 : 768)
                let name = "\(theme) \(width)"
                // Another theme changes only colours, so axe checks all rules only in the light one. Axe cannot judge colours
                // that the system chooses; `expectAccess` checks their contrast.
                let rules = theme == "light" ? AccessRules.all : .colours
                try await desk.visit("/")
                try await browser.wait(for: "\(Self.isReady) && document.querySelectorAll('.plan-card').length > 1")
                try await browser.expectAccess("plans, \(name)", rules)
                try await desk.visit("/plan/" + plan)
                try await browser.wait(for: "\(Self.isReady) && document.querySelector('ol.items')")
                try await browser.expectAccess("plan, \(name)", rules)
                try await desk.visit("/nowhere")
                try await browser.wait(for: "document.body.dataset.state === 'lost'")
                try await browser.expectAccess("nowhere, \(name)", rules)
                for night in width == 390 ? [false] : [false, true] {
                    try await desk.visit(chart)
                    try await browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
                    if night { try await browser.press(.n) }
                    try await checkReading(browser, name + (night ? ", night" : ""), night ? .colours : rules)
                    if night { try await browser.press(.n) }
                }
            }
        }
    }

    /// Checks the reading view with each panel that can be open in it.
    @LoopActor
    private func checkReading(_ browser: Browser, _ name: String, _ rules: AccessRules) async throws {
        try await browser.expectAccess("chart, \(name)", rules)
        for (what, key) in [("finder", Key.slash), ("keys", .question), ("view", .v), ("layers", .l), ("together", .u)] {
            try await browser.press(key)
            try await browser.wait(for: "document.querySelector('dialog[open]')")
            try await browser.expectAccess("\(what), \(name)", rules)
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
        }
        try await checkDrawing(browser, name, rules)
        try await browser.press(.t)
        // Wait until the page has its new layout below the thumbnails.
        let stage = "document.querySelector('.stage')"
        try await browser.wait(for: "\(Self.isReady) && (\(stage).tabIndex === 0 || \(stage).scrollHeight <= \(stage).clientHeight)")
        try await browser.expectAccess("thumbnails, \(name)", rules)
        try await browser.press(.t)
        try await browser.press(.right)
        try await browser.wait(for: "document.body.dataset.bar === 'away' && \(Self.isReady)")
        try await browser.expectAccess("chart alone, \(name)", rules)
    }

    /// Checks the drawing tools, a chosen mark, and a text that is being written.
    @LoopActor
    private func checkDrawing(_ browser: Browser, _ name: String, _ rules: AccessRules) async throws {
        try await browser.press(.a)
        try await browser.wait(for: "document.body.dataset.drawing && document.querySelector('canvas.ink') && \(Self.isReady)")
        try await browser.run("document.activeElement.blur()")
        try await browser.press([.t, .i, .enter])
        try await browser.wait(for: "document.activeElement.matches('textarea.ink-text')")
        try await browser.press([.h, .k])
        try await browser.expectAccess("writing, \(name)", rules)
        try await browser.press([.enter, .v])
        try await browser.wait(for: "document.querySelector('.ink-list [role=option]')")
        try await browser.run("document.querySelector('.ink-list [role=option]').focus()")
        try await browser.expectAccess("a mark chosen, \(name)", rules)
        try await browser.press([.backspace, .s])
        try await browser.wait(for: "document.querySelector('dialog[open] .stamps')")
        try await browser.expectAccess("stamps, \(name)", rules)
        try await browser.press(.escape)
        try await browser.press(.a)
        try await browser.wait(for: "!document.body.dataset.drawing && !document.querySelector('canvas.ink')")
    }

    /// Checks controls that appear only in some situations, on a tablet's screen and on a laptop's screen at night.
    @Test(arguments: Asked.some(of: [(820, 1180, false), (1366, 768, true)])) @LoopActor
    func axeFindsNothingInWhatComesAndGoes(width: Int, height: Int, isNight: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(width, height)
            let stop = try await desk.play().stops()[0]
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            if isNight { try await browser.press(.n) }
            let name = "\(width)\(isNight ? ", night" : "")"
            try await browser.press(.g)
            try await browser.wait(for: "document.querySelector('dialog[open] .number')")
            try await browser.expectAccess("page prompt, \(name)")
            try await browser.press(.escape)
            try await browser.press(.question)
            try await browser.wait(for: "document.querySelector('.pedals button')")
            try await browser.run("document.querySelector('.pedals button.button:not(.plain)').click()")
            try await browser.expectAccess("a pedal being taught, \(name)")
            try await browser.press(.escape)
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
            try desk.service.edit(.replaceChartWith(attachment: stop.chart, other: "amazing-grace-lead-g"))
            try await desk.run(["sync"])
            try await browser.wait(for: "document.querySelector('.offer:not([data-name^=older])')")
            try await browser.expectAccess("an offer, \(name)")
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.body.dataset.chart !== '\(stop.chart)' && \(Self.isReady)")
            try await browser.press(.s)
            try await browser.wait(for: "document.querySelector('dialog[open] .parts')")
            try await browser.expectAccess("parts, \(name)")
            try await browser.press(.escape)
            desk.stopAgentsHeart()
            try await browser.wait(for: "!document.getElementById('banner').hidden")
            try await browser.expectAccess("banner, \(name)")
            desk.letAgentGoOn()
            try await browser.wait(for: "document.getElementById('banner').hidden")
            try await desk.visit("/chart/none?plan=\(plan)")
            try await browser.wait(for: "document.querySelector('.stage .card')")
            try await browser.expectAccess("card, \(name)")
            try await desk.visit("/plan/" + plan)
            try await browser.wait(for: "document.querySelector('details.changes')")
            try await browser.run("document.querySelector('details.changes').open = true")
            try await browser.expectAccess("changes unfolded, \(name)")
            try await browser.runFirst(
                """
                const real = window.fetch;
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  return path === "/api/state" ? new Response(JSON.stringify({ ...await reply.json(), plans: [] })) : reply;
                };
                """)
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelector('.plans .sheet-of-text')")
            try await browser.expectAccess("no plans, \(name)")
        }
    }
}

/// The rules that axe checks.
enum AccessRules {
    case all, colours
}

extension Browser {
    /// Expects that axe finds no fault on the screen, that a finger can hit every control, and that all text can be read.
    func expectAccess(_ name: String, _ rules: AccessRules = .all) async throws {
        guard axe != nil || isCI else { return print("\(name): not looked at, since axe-core is not here: .ci/axe fetches it") }
        // The script of axe-core is long, so load it only once for each page.
        if try await ask("return !window.axe") { try await run(try #require(axe, "axe-core is not here: .ci/axe fetches it")) }
        let found: [String] = try await ask(
            """
            // Axe judges the page's colours even where the system overrides them, so the contrast is checked below instead.
            const areForced = matchMedia("(forced-colors: active)").matches;
            const runOnly = \(rules == .all ? "undefined" : "['color-contrast']");
            if (areForced && runOnly) return [];
            return window.axe.run(document, { runOnly, resultTypes: ["violations"], rules: { "color-contrast": { enabled: !areForced } } }).then(({ violations }) =>
              violations.map(({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(({ html, any }) => html.slice(0, 150) + " " + (any[0]?.message ?? "")).join(" | ")}`));
            """)
        #expect(found == [], "\(name)")
        let small: [String] = try await ask(
            """
            const around = document.querySelector("dialog[open]") ?? document;
            return [...around.querySelectorAll("button, a[href], input, select, [role=button], [role=radio], [role=slider]")].filter((each) => {
              // The target of a control is its label. A link to a plan has its whole card as the target.
              const target = each.closest("label") ?? (each.dataset.plan ? each.closest(".plan-card") : null) ?? each;
              const box = target.getBoundingClientRect();
              const isSeen = each.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !each.closest(".skip, .unseen, [inert]");
              return isSeen && box.width > 0 && (box.width < 44 || box.height < 44);
            }).map((each) => each.outerHTML.slice(0, 120));
            """)
        #expect(small == [], "\(name): smaller than a finger")
        let pale: [String] = try await ask(Self.pale)
        #expect(pale == [], "\(name): pale")
    }

    /// Finds text and drawings with a contrast below 4.5:1, including those about which axe-core does not decide.
    private static let pale = """
        const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
        const over = (colours, opacity = 1) => {
          for (const [number, colour] of colours.entries()) {
            pixel.globalAlpha = number === colours.length - 1 ? opacity : 1;
            pixel.fillStyle = colour;
            pixel.fillRect(0, 0, 1, 1);
          }
          const [red, green, blue] = [...pixel.getImageData(0, 0, 1, 1).data]
            .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        const around = document.querySelector("dialog[open]") ?? document.body;
        const isEmpty = (each) => each.matches("input:placeholder-shown");
        const isWritten = (each) => each.matches("svg.icon") || isEmpty(each)
          || [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        return [...around.querySelectorAll("*")].filter((each) => isWritten(each)
          && each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
          && !each.closest(".unseen, .skip, [inert], noscript, option, :disabled, [aria-disabled=true], .making")).flatMap((each) => {
            const grounds = [];
            const style = getComputedStyle(each, isEmpty(each) ? "::placeholder" : null);
            let opacity = isEmpty(each) ? Number(style.opacity) : 1;
            for (let at = each; at; at = at.parentElement) {
              grounds.unshift(getComputedStyle(at).backgroundColor);
              opacity *= Number(getComputedStyle(at).opacity);
            }
            const [ground, ink] = [over(["#fff", ...grounds]), over(["#fff", ...grounds, style.color], opacity)];
            const contrast = (Math.max(ground, ink) + 0.05) / (Math.min(ground, ink) + 0.05);
            return contrast < 4.5 ? [`${contrast.toFixed(2)}: ${each.outerHTML.slice(0, 100)} in ${each.parentElement.className}`] : [];
          });
        """
}

/// In CI, no check may be skipped.
private let isCI = ProcessInfo.processInfo.environment["CI"] != nil

/// The text of axe-core, if it was fetched.
private let axe = try? Repository.text(".build/axe/axe.min.js")
