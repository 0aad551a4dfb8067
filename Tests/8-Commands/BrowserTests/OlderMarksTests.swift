import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// A chart is replaced under its marks, and the musician decides about the marks while playing, without a terminal.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct OlderMarksTests {
    private static let sentence = "These marks were made on another version."

    /// Marks one page of a chart, replaces the chart, and opens its new version.
    @LoopActor private func replaceMarked(_ desk: Desk) async throws -> (plan: String, chart: String) {
        let browser = desk.browser
        try await browser.resize(1366, 768)
        let witness = try await desk.play()
        let chart = try await witness.stops()[0].chart
        let line = ##"{"id":"1","page":0,"kind":"pen","color":"#00ff00","width":0.02,"points":[[0.2,0.5],[0.8,0.5]]}"##
        try desk.save(line, on: chart)
        try await browser.wait(
            for:
                "fetch('/api/chart/\(chart)').then((reply) => reply.json()).then(({ pages }) => pages[0].marked && pages[0].annotated.here)"
        )
        try desk.service.edit(.replaceChartWith(attachment: chart, other: "amazing-grace-lead-g"))
        try await desk.run(["sync"])
        try await browser.wait(
            for: "fetch('/api/chart/\(chart)').then((reply) => reply.json()).then(({ layers }) => layers.some(({ older }) => older.length))"
        )
        let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
        return (plan, chart)
    }

    private static func offer(_ words: String) -> String {
        "[...document.querySelectorAll('.offer button')].find((each) => each.textContent === '\(words)')"
    }

    @Test @LoopActor func whoPlaysHidesThem() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let (_, chart) = try await replaceMarked(desk)
            try await browser.run("location.reload()")
            try await browser.wait(for: "document.querySelector('.offer p')?.textContent === '\(Self.sentence)'")
            try await browser.screenshot("older-marks")
            try await browser.expectAccess("older marks")
            try await browser.run("\(Self.offer("Hide them")).click()")
            try await browser.wait(
                for: "fetch('/api/chart/\(chart)').then((reply) => reply.json()).then(({ pages }) => !pages.some(({ marked }) => marked))")
            try await browser.wait(for: "!document.querySelector('.offer') && \(Desk.isReady)")
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func whoLooksAtThePlanOrTheLayersSaysThatTheyAreRight() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let (plan, chart) = try await replaceMarked(desk)
            try await browser.run("location.reload()")
            try await browser.wait(for: "document.querySelector('.offer')")
            // A question that was closed without an answer does not return at each turn, but the panel still shows the question.
            try await browser.run("document.querySelector('.offer .tool').click(); modules['settings.js'].settings.set('fit', 'width')")
            try await browser.wait(for: "\(Desk.isReady) && !document.querySelector('.offer')")
            try await browser.press(.l)
            try await browser.wait(for: "document.querySelector('dialog .older p')?.textContent === '\(Self.sentence)'")
            try await browser.screenshot("older-marks-layers")
            try await browser.expectAccess("layers with older marks")

            try await desk.visit("/plan/" + plan)
            let older = "document.querySelector('.item .older')"
            try await browser.wait(for: "\(older)?.innerText.includes('\(Self.sentence)')")
            #expect(try await browser.ask("return !document.querySelector('.items').innerText.includes('woodshed accept')"))
            try await browser.screenshot("older-marks-plan")
            try await browser.expectAccess("a plan with older marks")
            try await browser.run("[...\(older).querySelectorAll('button')].at(-1).click()")
            try await browser.wait(for: "!\(older)")
            let shown: Bool = try await browser.ask(
                """
                return fetch("/api/chart/\(chart)").then((reply) => reply.json())
                  .then(({ pages, layers }) => pages[0].marked && layers.every(({ older }) => older.length === 0));
                """)
            #expect(shown)
            try await browser.expectNoComplaints()
        }
    }
}
