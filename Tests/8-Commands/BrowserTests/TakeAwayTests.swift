import Platform
import TestSupport
import Testing

/// Copies to take away: paper, PDFs from the viewer, and booklets that any browser opens from a disk.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct TakeAwayTests {
    private static let plan = "67810002"
    private static let button = "[...document.querySelectorAll('button')].find((each) => each.textContent === 'Save as PDF')"
    private static let words = "document.querySelector('.saved').textContent"

    /// The browser's own menu prints a chart as music, and a plan as a list of its songs.
    @Test @LoopActor func theBrowsersOwnPrintPrintsTheMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.play().stops()[0].chart
            let pages: Int = try await browser.ask(
                "return fetch('/api/chart/\(chart)').then((reply) => reply.json()).then((chart) => chart.order.length)")
            try await browser.wait(for: "modules['plan-holder.js'].holder.progress?.isWhole")
            let pdf = try await browser.printed()
            Attachment.record(pdf, named: "printed-chart.pdf")
            let text = String(decoding: pdf, as: UTF8.self)
            #expect(text.matches(of: /\/Type \/Page\b(?!s)/).count == pages)
            #expect(text.matches(of: /\/Subtype \/Image/).count >= pages, "no page is blank")
            try await browser.wait(for: "!document.querySelector('.print')")
            try await browser.press(.escape)
            try await browser.run("document.querySelector('.bar .tool').click()")
            try await browser.wait(for: "document.querySelector('ol.items')")
            Attachment.record(try await browser.printed(), named: "printed-plan.pdf")
            try await browser.setDark(false, prints: true)
            let pressed: [String] = try await browser.ask(
                """
                return [...document.querySelectorAll("button, summary, .banner, .chart, .key")].filter((each) => each.checkVisibility())
                  .filter((each) => !each.matches(".chart, .key") || getComputedStyle(each).borderTopStyle !== "none")
                  .map((each) => each.outerHTML.slice(0, 100));
                """)
            #expect(pressed == [], "paper cannot be pressed")
            #expect(try await browser.ask("return document.querySelectorAll('ol.items .song .chart').length > 5"))
            try await browser.setDark(false)
        }
    }

    @Test @LoopActor func printingPrintsTheWholeChart() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let pages = stops.filter { $0.chart == stops[0].chart }.count
            try await browser.run(
                """
                window.print = () => {
                  window.printed = [...document.querySelectorAll(".print img")].map((page) => page.complete && page.naturalWidth > 0);
                };
                dispatchEvent(new KeyboardEvent("keydown", { key: "p", ctrlKey: true, cancelable: true }));
                """)
            try await browser.wait(for: "window.printed")
            #expect(try await browser.ask("return window.printed") == [Bool](repeating: true, count: pages))
            try await browser.wait(for: "!document.querySelector('.print')")
            #expect(try await browser.ask("return document.body.dataset.position") == "0", "the page stays")
        }
    }

    @Test @LoopActor func planAndChartAreSavedAsPDFsByKeyboard() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let folder = TemporaryFolder()
            try await browser.save(to: folder.path)
            try await desk.visit("/plan/" + Self.plan)
            try await browser.wait(for: "document.querySelector('ol.items')")
            try await browser.run("\(Self.button).focus()")
            try await browser.press(.enter)
            try await browser.wait(for: "\(Self.words).startsWith('Saved as ')")
            try await browser.screenshot("plan-saved")
            #expect(try await browser.ask("return document.activeElement === \(Self.button)"), "from where Tab goes on")
            #expect(try await browser.ask("return document.querySelector('.saved').role === 'status'"))
            try await sound(in: folder, count: 1)

            let chart: String = try await browser.ask("return document.querySelector('ol.items h2 a').getAttribute('href')")
            try await desk.visit(chart)
            try await browser.wait(for: "document.querySelector('.stage canvas.page')")
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog[open]') && \(Self.button)")
            try await browser.run("\(Self.button).focus()")
            try await browser.press(.space)
            try await browser.wait(for: "\(Self.words).startsWith('Saved as ')")
            try await browser.screenshot("chart-saved")
            let lowest = "document.querySelector('.saved').getBoundingClientRect().bottom"
            let edge = "document.querySelector('dialog[open]').getBoundingClientRect().bottom"
            #expect(try await browser.ask("return \(lowest) <= \(edge)"))
            try await sound(in: folder, count: 2)
            try await browser.expectNoComplaints()

            try await desk.endAgent()
            try await browser.press(.space)
            try await browser.wait(for: "\(Self.words).endsWith('No PDF was saved.')")
            #expect(try await browser.ask("return \(Self.words).includes('agent does not answer')"))
        }
    }

    /// Expects this many PDFs, without a fault that qpdf can find.
    @LoopActor private func sound(in folder: TemporaryFolder, count: Int) async throws {
        try await waitUntil { try Folder.names(in: folder.path).filter { $0.hasSuffix(".pdf") }.count == count }
        for name in try Folder.names(in: folder.path) where name.hasSuffix(".pdf") {
            let check = try await Program.run("/usr/bin/qpdf", ["--check", folder.path(name)])
            #expect(check.exit == .code(0), "\(name): \(check.output)\(check.messages)")
        }
    }

    @Test @LoopActor func aBookletTurnsItsPagesWithoutAnAgent() async throws {
        let home = TemporaryFolder()
        try await DrawnHome.copy(fullSize: 1200, to: home.path)
        let run = try await Program.run(
            "woodshed", ["export", Self.plan, "--images", home.path("Sunday’s booklet"), "--home", home.path],
            environment: ["WOODSHED_RENDER_FULL_SIZE=400"])
        #expect(run.exit == .code(0), "\(run.messages)")
        let browser = try await Browsers.borrow()
        do {
            try await turn(home.path("Sunday’s booklet") + "/index.html", in: browser)
        } catch {
            await browser.end()
            throw error
        }
        await Browsers.giveBack(browser)
    }

    @LoopActor private func turn(_ path: String, in browser: Browser) async throws {
        let shown = "[...document.querySelectorAll('figure:not([hidden])')].map(({ id }) => id)"
        let isWhole = "(({ complete, naturalWidth }) => complete && naturalWidth > 100)(document.querySelector('figure:not([hidden]) img'))"
        try await browser.open("file://" + path.replacing(" ", with: "%20"))
        #expect(try await browser.ask("return [\(shown).length, document.querySelector('h1').checkVisibility() ? 1 : 0]") == [0, 1])
        let pages: Int = try await browser.ask("return document.querySelectorAll('figure').length")
        #expect(pages > 5)
        for page in 1...pages {
            try await browser.press([Key.right, .space, .pageDown, .down][page % 4])
            #expect(try await browser.ask("return \(shown)") == ["p\(page)"])
            try await browser.wait(for: isWhole)
        }
        try await browser.press(.right)
        #expect(try await browser.ask("return \(shown)") == ["p\(pages)"], "after the last there is none")
        for (key, page) in [(Key.left, pages - 1), (.pageUp, pages - 2), (.up, pages - 3)] {
            try await browser.press(key)
            #expect(try await browser.ask("return \(shown)") == ["p\(page)"])
        }
        let size: [Int] = try await browser.ask("return [innerWidth, innerHeight]")
        for (part, page) in [(5, pages - 2), (0, pages - 3)] {
            try await browser.touch(x: size[0] * part / 6 + 20, y: size[1] / 2, by: (0, 0), for: 30)
            try await browser.wait(for: "\(shown)[0] === 'p\(page)'")
        }
        // The address contains the current page, and the plan has a link to each chart.
        try await browser.run("location.reload()")
        try await browser.wait(for: "document.readyState === 'complete' && \(shown)[0] === 'p\(pages - 3)'")
        try await browser.press(.escape)
        try await browser.screenshot("booklet-plan")
        #expect(try await browser.ask("return \(shown).length") == 0)
        let last: String = try await browser.ask(
            "const link = [...document.querySelectorAll('main a')].at(-1); link.focus(); return link.hash.slice(1)")
        try await browser.press(.enter)
        try await browser.wait(for: "\(shown)[0] === '\(last)'")
        let asked: [String] = try await browser.ask("return performance.getEntriesByType('resource').map(({ name }) => name)")
        #expect(asked.allSatisfy { $0.hasPrefix("file:") }, "\(asked)")
        try await browser.expectNoComplaints()
    }
}
