import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// A chart is replaced under its marks, and the musician decides about the marks while playing, without a terminal. Marks whose music is in
/// the new chart are shown there.
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

    private static func button(_ words: String) -> String {
        "[...document.querySelectorAll('dialog[open] .button')].find((each) => each.textContent === '\(words)')"
    }

    /// Writes words all over a violin part, replaces the part by the full score, and opens the score.
    @LoopActor private func replaceByTheScore(_ desk: Desk) async throws -> String {
        let (browser, chart) = (desk.browser, "79073909")
        try await browser.resize(1366, 768)
        let places = stride(from: 0.2, to: 0.9, by: 0.1).flatMap { y in [0.2, 0.5, 0.8].map { (x: $0, y: y) } } + [(x: 0.5, y: 0.99)]
        let marks = places.enumerated().map { number, place in
            #"{"id":"\#(number)","page":0,"kind":"text","text":"no. \#(number)","size":0.02,"points":[[\#(place.x),\#(place.y)]]}"#
        }
        try desk.save(marks.joined(separator: ","), on: chart)
        let told = "fetch('/api/chart/\(chart)').then((reply) => reply.json())"
        try await browser.wait(for: "\(told).then(({ pages }) => pages[0].marked && pages[0].annotated.here)")
        try desk.service.edit(.replaceChartWith(attachment: chart, other: "holy-holy-holy-full-score"))
        try await desk.run(["sync"])
        try await browser.wait(for: "\(told).then(({ followed }) => followed?.state === 'moved' && followed.moved > 0)")
        try await desk.openChart(chart)
        return "\(told).then(({ followed }) => followed)"
    }

    /// While there is no agent, a browser shows the former version, and what is drawn there says so.
    @Test @LoopActor func whatIsDrawnOnTheFormerVersionMeanwhileFollows() async throws {
        try await Desk.use { desk in
            let (browser, chart) = (desk.browser, "79073909")
            try await browser.resize(1366, 768)
            _ = try await desk.openToDraw(chart)
            let former: String = try await browser.ask("return modules['api.js'].api.chart({ chart: '\(chart)' }).then(({ hash }) => hash)")
            try await desk.draw((0.3, 0.98), (0.32, 0.98))
            try await browser.wait(for: Desk.isKept)
            #expect(try await desk.kept(chart).map(\.on) == [String(former.prefix(16))])
            try await desk.endAgent()
            for y in [0.3, 0.5, 0.7] { for x in [0.3, 0.5, 0.7] { try await desk.draw((x, y), (x + 0.01, y)) } }
            try desk.service.edit(.replaceChartWith(attachment: chart, other: "holy-holy-holy-full-score"))
            try await desk.run(["sync"])
            try await desk.beginAgain()
            let told = "fetch('/api/chart/\(chart)').then((reply) => reply.json())"
            try await browser.wait(for: "\(told).then(({ followed }) => followed?.moved > 0)")
            try await browser.wait(for: Desk.isKept)
            let marks = try await desk.kept(chart)
            let (moved, rest) = (marks.filter { $0.on != String(former.prefix(16)) }, marks.count)
            #expect(moved.count > 0 && rest <= 10)
        }
    }

    @Test @LoopActor func marksFollowTheMusicAreToBePlacedAndGoBackWhereTheyWere() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let followed = try await replaceByTheScore(desk)
            let left: [Int?] = try await browser.ask(
                "return \(followed).then(({ unplaced }) => unplaced.map(({ to }) => to?.page ?? null))")
            let first = try #require(left.firstIndex { $0 != nil }, "a mark that is not placed has a proposed place")
            try #require(left.count > 2)
            let sentence = "/^\\d+ marks moved with the music; \(left.count) are not placed\\.$/"
            try await browser.wait(for: "\(sentence).test(document.querySelector('.offer p')?.textContent)")
            try await browser.screenshot("followed-marks")
            try await browser.expectAccess("followed marks")

            // The list turns to the proposed page, and shows the place there and where the mark was.
            try await browser.run("\(Self.offer("Place them")).click()")
            let rows = "document.querySelectorAll('.placing .places li')"
            try await browser.wait(for: "\(rows).length === \(left.count)")
            try await browser.run("\(rows)[\(first)].querySelector('.place')?.click()")
            try await browser.wait(
                for: """
                    \(rows)[\(first)].matches('.chosen') && document.querySelector('.sheet .mark-place') && \(Desk.isReady)
                      && document.querySelector('.former-place img')?.naturalWidth > 0
                    """)
            try await browser.screenshot("marks-to-place")
            try await browser.expectAccess("marks to place")
            try await browser.run("\(Self.button("Put it there")).click()")
            try await browser.wait(for: "\(followed).then(({ unplaced }) => unplaced.length === \(left.count - 1))")
            try await browser.wait(for: "\(rows).length === \(left.count - 1) && \(Desk.isReady)")

            // Another one elsewhere, by keys alone.
            for _ in 0..<40 {
                if try await browser.ask("return document.activeElement.textContent === 'Elsewhere'") { break }
                try await browser.press(.tab)
            }
            try await browser.press(.enter)
            try await browser.wait(for: "document.activeElement.textContent === 'Put it here' && document.querySelector('.mark-place')")
            let top: Double = try await browser.ask("return parseFloat(document.querySelector('.mark-place').style.top)")
            try await browser.press([.down, .down])
            #expect(try await browser.ask("return parseFloat(document.querySelector('.mark-place').style.top) > \(top)"))
            try await browser.press(.enter)
            try await browser.wait(for: "\(rows).length === \(left.count - 2)")
            try await browser.press(.escape)
            try await browser.wait(for: "!document.querySelector('dialog') && !document.querySelector('.mark-place')")

            // Everything goes back where it was, and what was placed is placed once the marks are with the music again.
            try await browser.press(.l)
            try await browser.wait(for: Self.button("Where they were"))
            try await browser.run("\(Self.button("Where they were")).click()")
            try await browser.wait(for: "\(followed).then(({ state }) => state === 'were')")
            try await browser.wait(for: "document.querySelector('dialog .older p')?.textContent === '\(Self.sentence)'")
            try await browser.run("\(Self.button("With the music")).click()")
            try await browser.wait(
                for: "\(followed).then(({ state, unplaced }) => state === 'moved' && unplaced.length === \(left.count - 2))")
            try await browser.wait(for: "\(Self.button("Place them")) && \(Desk.isReady)")
            try await browser.expectNoComplaints()
        }
    }
}
