import Foundation
import Platform
import TestSupport
import Testing

/// Turning pages with keys, to the end of the plan and back.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct TurningTests {
    private static let forward: [Key] = [.right, .pageDown, .space, .down, .enter]
    private static let back: [Key] = [.left, .pageUp, .up, .backspace]
    /// If set, this many turns at five a second replace a few slow ones.
    private static let hurriedTurns = Asked.number("TURNS")

    /// The keys for this many turns through the stops, there and back, each with the stop to which it leads.
    private func way(_ turns: Int, through stops: [Witness.Stop]) -> [(key: Key, stop: Witness.Stop)] {
        var place = 0
        var direction = 1
        return (0..<turns).map { number in
            if !stops.indices.contains(place + direction) { direction = -direction }
            place += direction
            let keys = direction > 0 ? Self.forward : Self.back
            return (keys[number % keys.count], stops[place])
        }
    }

    private func part(_ share: Double, of times: [Double]) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }

    private func text(_ name: String, _ times: [Double]) -> String {
        let parts = [0.5, 0.95, 1].map { String(format: "%.1f", part($0, of: times)) }
        return "\(name): p50 \(parts[0]), p95 \(parts[1]), longest \(parts[2]) ms of \(times.count)"
    }

    @Test @LoopActor func everyTurnShowsItsPage() async throws {
        // Quick turns are measured with images of the largest size.
        try await Desk.use(fullSize: Self.hurriedTurns == nil ? 1200 : 2732) { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            try #require(stops.count > 2)
            let way = way(Self.hurriedTurns ?? 40, through: stops)
            if Self.hurriedTurns != nil {
                for start in stride(from: 0, to: way.count, by: 20) {
                    try await browser.press(way[start..<min(start + 20, way.count)].map(\.key), pause: 200)
                }
                try await witness.arrivals(way.count)
            } else {
                for (number, turn) in way.enumerated() {
                    try await browser.press(turn.key)
                    try await witness.arrivals(number + 1)
                }
            }
            let account = try await witness.account()
            #expect(account.arrivals == way.map(\.stop))
            #expect(account.blank == 0, "of \(account.frames) frames")
            #expect(account.wrong == [])
            #expect(account.turns.count == way.count)
            // Times mean nothing on a machine that also runs other tests.
            if Self.hurriedTurns != nil { #expect(part(0.95, of: account.turns) < 50, "\(account.turns)") }
            let figures = [text("turn", account.turns), text("paint", account.paints)].joined(separator: "\n")
            Attachment.record(figures, named: "turns.txt")
            if Self.hurriedTurns != nil { print(figures) }
            try await browser.screenshot("turned")
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func whatIsNearIsPaintedBeforeItIsTurnedTo() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops().count
            try #require(stops > 5)
            let waiting = "(window.near = [...document.querySelectorAll('.wings > canvas')]).length >= 2"
            let wasWaiting = "return window.near.includes(document.querySelector('.stage canvas'))"
            // Some prepared canvases were shown before, and the two pages ahead arrive in any order. So the next page is certainly prepared
            // only when two canvases have never been shown.
            try await browser.wait(for: "document.querySelectorAll('.wings > canvas:not([role])').length >= 2 && \(waiting)")
            for turn in 1..<stops {
                try await browser.press(.right)
                try await witness.arrivals(turn)
                if turn == 1 { #expect(try await browser.ask(wasWaiting)) }
            }
            // A turn back is as quick. Prepared canvases are invisible, and only a few are kept.
            try await browser.wait(for: waiting)
            #expect(try await browser.ask("return window.near.length <= 6"))
            #expect(try await browser.ask("return document.querySelectorAll('.wings > [class]:not([class=\"\"])').length === 0"))
            #expect(try await browser.ask("return document.elementFromPoint(0, 0).closest('.wings') === null"))
            let paper = "getComputedStyle(document.querySelector('.stage')).backgroundColor"
            #expect(try await browser.ask("return \(paper)", as: String.self) != "rgba(0, 0, 0, 0)")
            try await browser.press(.left)
            try await witness.arrivals(stops)
            #expect(try await browser.ask(wasWaiting))
            try await browser.expectNoComplaints()
        }
    }

    @Test @LoopActor func halfTurnsNightAndMarks() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let first = try #require(stops.indices.dropLast().first { stops[$0].chart == stops[$0 + 1].chart }, "a chart of two pages")
            try await desk.go(to: stops[first].chart)

            try await browser.press(.h)
            try await browser.press(.right)
            try await browser.wait(for: "document.body.dataset.half === 'upper'")
            #expect(try await browser.ask("return Number(document.body.dataset.position)") == stops[first].position)
            #expect(try await browser.ask("return document.querySelectorAll('.stage > .sheet canvas.page').length") == 2)
            try await browser.screenshot("half-page")
            try await browser.press(.right)
            try await browser.wait(
                for: "document.body.dataset.half === '' && document.body.dataset.position === '\(stops[first + 1].position)'")
            try await browser.press(.h)

            let day = try await brightness(browser.picture("day"))
            try await browser.press(.n)
            try await browser.wait(for: "document.querySelector('.page.dark') && document.body.dataset.state === 'ready'")
            let night = try await brightness(browser.picture("night"))
            #expect(day > 150 && night < 80, "\(day) by day, \(night) at night")
            // The system's theme is light, but at night the controls are as dark as the pages.
            #expect(try await browser.ask("return getComputedStyle(document.querySelector('.bar')).backgroundColor") == "rgb(33, 28, 23)")
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog[open]')")
            try await browser.screenshot("night-panel")
            #expect(try await browser.ask("return getComputedStyle(document.querySelector('.panel')).backgroundColor") == "rgb(33, 28, 23)")
            try await browser.press(.escape)
            try await browser.press(.n)
            try await browser.wait(for: "!document.querySelector('.page.dark')")

            let marked = try #require(try await witness.mostMarked(), "the stand-in has marks")
            try await desk.go(to: marked.chart, page: marked.position)
            let shown = try await witness.distance(marked, marked: true)
            #expect(try await shown < witness.distance(marked, marked: false))
            try await browser.screenshot("marks-shown")
            try await browser.press(.m)
            try await desk.waitUntilShown(witness, marked, marked: false)
            try await browser.screenshot("marks-hidden")
            try await browser.press(.m)
            try await desk.waitUntilShown(witness, marked, marked: true)
            let account = try await witness.account()
            #expect(account.blank == 0 && account.wrong == [])
            try await browser.expectNoComplaints()
        }
    }

    /// Where a page is taller than the screen, half-page turns are half views.
    @Test @LoopActor func halfTurnsOfATallPageLeaveMusicBelow() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let chart = try await desk.put(pages: 3)
            try await desk.openChart(chart)
            let place = "[Number(document.body.dataset.position), document.querySelector('.stage').scrollTop]"
            /// The way down the first page.
            func way() async throws -> [Double] {
                try await browser.press(.home)
                try await browser.wait(for: "\(place)[0] === 0 && \(Desk.isReady)")
                try await desk.hideControls()
                var tops: [Double] = []
                while true {
                    let now: [Double] = try await browser.ask("return \(place)")
                    guard now[0] == 0, tops.count < 30 else { return tops }
                    tops.append(now[1])
                    try await browser.press(.right)
                    try await browser.wait(for: Desk.isReady)
                }
            }
            let whole = try await way()
            try await browser.press(.h)
            let half = try await way()
            #expect(whole.count > 1 && half.count > whole.count, "\(whole) \(half)")
            #expect(zip(half, half.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.75 * 768 }, "\(half)")
            #expect(try await browser.ask("return document.body.dataset.half === ''"))
            // The way back has the same stops.
            var back: [Double] = []
            for _ in half {
                try await browser.press(.left)
                try await browser.wait(for: "\(place)[0] === 0 && \(Desk.isReady)")
                back.append(try await browser.ask("return \(place)[1]"))
            }
            #expect(back == half.reversed())
        }
    }

    /// The mean lightness of a picture, from 0 to 255.
    private func brightness(_ png: [UInt8]) throws -> Int {
        let pixels = try #require(PNGImage(png)).pixels
        return pixels.reduce(0) { $0 + Int($1) } / pixels.count
    }

    @Test @LoopActor func fromOneItemIntoTheNext() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let edge = try #require(stops.indices.dropLast().first { stops[$0].chart != stops[$0 + 1].chart }, "a plan of two charts")
            try await browser.press(.end)
            try await browser.wait(for: "document.body.dataset.position === '\(stops[edge].position)'")
            try await browser.press(.pageDown)
            try await browser.wait(
                for: "document.body.dataset.chart === '\(stops[edge + 1].chart)' && document.body.dataset.state === 'ready'")
            #expect(try await browser.ask("return document.body.dataset.position") == "0")
            try await browser.wait(for: "location.pathname === '/chart/\(stops[edge + 1].chart)'")
            try await browser.screenshot("next-item")
            try await browser.press(.previousItem)
            try await browser.wait(for: "document.body.dataset.chart === '\(stops[edge].chart)' && document.body.dataset.state === 'ready'")
            #expect(try await browser.ask("return document.body.dataset.position") == "0")
            let account = try await witness.account()
            #expect(account.blank == 0 && account.wrong == [])
        }
    }

    /// A panel closes after a while, whatever keys a pedal sends, unless somebody uses the panel with a finger or the keyboard.
    @Test @LoopActor func whateverAPedalSendsTurnsBehindAPanel() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await browser.run(
                """
                modules["settings.js"].settings.put("pedals", "k", "next");
                window.patience = 60000;
                const later = setTimeout;
                window.setTimeout = (act, pause) => later(act, pause === 20000 || pause === 60000 ? window.patience : pause);
                const show = HTMLDialogElement.prototype.showModal;
                window.opened = 0;
                HTMLDialogElement.prototype.showModal = function () {
                  window.opened += 1;
                  show.call(this);
                };
                """)
            let fit = "modules['settings.js'].settings.get('fit')"
            let touched = "document.querySelector('dialog[data-touched]') !== null"
            try await open(browser)
            for (key, position) in [(Key.space, 1), (.enter, 2), (.k, 3), (.backspace, 2), (.right, 3), (.space, 4)] {
                try await browser.press(key)
                try await browser.wait(for: "document.body.dataset.position === '\(position)' && \(Desk.isReady)")
            }
            #expect(try await browser.ask("return [\(touched), \(fit) === 'page']") == [false, true])
            try await browser.press(.escape)
            try await browser.run("window.patience = 2000")
            try await open(browser)
            try await browser.press(.space)
            try await browser.wait(for: "!document.querySelector('dialog[open]')")
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.querySelector('.bar-where').textContent.startsWith('Song 2 of')")
            try await browser.run("window.patience = 300; window.opened = 0")
            for (number, key) in [Key.question, .slash, .s, .g, .l].enumerated() {
                try await browser.press(key)
                try await browser.wait(for: "window.opened === \(number + 1) && !document.querySelector('dialog[open]')")
            }
            // Typing or Tab shows that a person is using the panel.
            try await browser.run("window.patience = 60000")
            try await browser.press(.slash)
            try await browser.wait(for: "document.querySelector('dialog[open] input')")
            try await browser.type("k")
            #expect(try await browser.ask("return [\(touched), document.querySelector('dialog input').value === 'k']") == [true, true])
            try await browser.press(.escape)
        }
    }

    /// Nobody has typed anything, so Enter and Space come from a pedal, and neither leads away from the music nor into a field.
    @Test @LoopActor func aPedalActsOnNoFieldThatNobodyTouched() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let first = try await desk.play().stops()[0]
            for (number, panel) in [Key.slash, .g].enumerated() {
                try await browser.press(panel)
                try await browser.wait(for: "document.activeElement.matches('dialog[open] input')")
                for (step, key) in [Key.enter, .space].enumerated() {
                    try await browser.press(key)
                    let position = 2 * number + step + 1
                    try await browser.wait(for: "document.body.dataset.position === '\(position)' && \(Desk.isReady)")
                }
                #expect(try await browser.ask("return document.querySelector('dialog[open] input').value") == "")
                try await browser.press(.escape)
            }
            #expect(try await browser.ask("return document.body.dataset.chart") == first.chart)
        }
    }

    /// Opens the view panel with a finger.
    @LoopActor private func open(_ browser: Browser) async throws {
        try await browser.press(.tab)
        let middle: [Double] = try await browser.ask(
            """
            const { left, top, width, height } = document.querySelector(".bar [aria-label=View]").getBoundingClientRect();
            return [left + width / 2, top + height / 2];
            """)
        try await browser.touch(x: Int(middle[0]), y: Int(middle[1]), by: (0, 0), for: 30)
        try await browser.wait(for: "document.querySelector('dialog.side[open]')")
    }

    /// A musician who wants to teach a pedal sees all commands without scrolling.
    @Test @LoopActor func whatAPedalCanBeTaughtNeedsNoScrolling() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await browser.press(.question)
            try await browser.wait(for: "document.querySelector('.pedals li')")
            let bottoms: [Double] = try await browser.ask(
                """
                const edge = Math.min(innerHeight, document.querySelector("dialog[open]").getBoundingClientRect().bottom);
                return [...document.querySelectorAll(".pedals li")].map((each) => edge - each.getBoundingClientRect().bottom);
                """)
            #expect(bottoms.count >= 9 && bottoms.allSatisfy { $0 >= 0 }, "\(bottoms)")
            try await browser.screenshot("pedals-laptop")
        }
    }
}
