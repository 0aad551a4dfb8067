import Platform
import TestSupport
import Testing

/// The size of pages and their visible part, at first and after a turn.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SizeTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"
    private static let page = "document.querySelector('.stage > .sheet:last-child canvas.page').getBoundingClientRect()"
    private static let stage = "document.querySelector('.stage')"

    /// The scroll position of the stage, and the width of the page.
    private struct View: Decodable, Equatable {
        var left: Double
        var top: Double
        var most: Double
        var width: Double
    }

    @LoopActor private func view(_ browser: Browser) async throws -> View {
        try await browser.ask(
            """
            const { scrollLeft: left, scrollTop: top, scrollHeight, clientHeight } = \(Self.stage);
            return { left, top, most: scrollHeight - clientHeight, width: \(Self.page).width };
            """)
    }

    @LoopActor private func firstChart(_ browser: Browser) async throws -> String {
        try await browser.ask(
            """
            const told = async (path) => (await fetch(path)).json();
            return told("/api/state").then(({ plans }) => told(`/api/plan/${plans[0].id}`).then(({ items }) => {
              const item = items.find(({ charts }) => charts.length > 0);
              return `/chart/${item.charts[0].id}?plan=${plans[0].id}&item=${item.id}&page=1`;
            }));
            """)
    }

    @LoopActor private func open(_ chart: String, storing stored: String, on desk: Desk) async throws {
        // Leave the music before storing the choice, since a page that shows music would store the former choice again.
        try await desk.visit("/")
        try await desk.browser.run("localStorage.setItem('woodshed', JSON.stringify(\(stored)))")
        try await desk.visit(chart)
        try await desk.browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
        try await desk.hideControls()
    }

    /// By default, a page is about as wide as the screen on a low screen, and is shown whole on other screens. Both are without margins.
    @Test @LoopActor func whatSuitsTheScreenIsShownFirst() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chart = try await firstChart(browser)
            for (width, height) in [(1366, 768), (1920, 1080)] {
                try await browser.resize(width, height)
                try await open(chart, storing: "{ night: false }", on: desk)
                let first = try await desk.shownPart()
                if height < 900 {
                    let share = (first.width - first.left - first.right) / Double(width)
                    #expect(share > 0.72 && share < 1.001 && first.left > 0, "\(first)")
                } else {
                    #expect(first.height - first.top - first.bottom == Double(height) && first.left > 0 && first.cut == 0, "\(first)")
                    #expect(try await browser.ask("return document.querySelectorAll('.stage canvas.page').length") == 2)
                }
                for half in [false, true] {
                    try await open(chart, storing: "{ margins: 'printed', fit: 'page', half: \(half), spread: 'one' }", on: desk)
                    #expect(try await browser.ask("return \(Self.page).height") == height, "\(half)")
                }
                try await open(chart, storing: "{ margins: 'printed', spread: 'two' }", on: desk)
                #expect(try await browser.ask("return document.querySelectorAll('.stage canvas.page').length") == 2)
                #expect(try await browser.ask("return \(Self.page).height") == height)
            }
            try await open(chart, storing: "{}", on: desk)
            try await browser.screenshot("wide-first")
            // Rotate the screen to upright, as on a tablet.
            try await browser.resize(1024, 1366)
            let isWhole = "(({ width, height, left, top, right, bottom }) => width - left - right <= 1025 && height - top - bottom <= 1367)"
            try await browser.wait(for: isWhole + "(\(Desk.shown))")
            try await browser.screenshot("upright-page")
            try await open(chart, storing: "{ margins: 'printed', fit: 'width' }", on: desk)
            let share = try await browser.ask("return \(Self.page).width", as: Double.self) / 1024
            #expect(share > 0.72 && share <= 1)
        }
    }

    /// The panel marks the screen's default as chosen, and also any value that another choice implies.
    @Test @LoopActor func thePanelShowsWhatIsMeant() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            let chosen = "document.querySelector('dialog[open] input[name=fit]:checked')?.value"
            try await browser.resize(1366, 768)
            try await open(try await firstChart(browser), storing: "{}", on: desk)
            try await browser.press(.v)
            try await browser.wait(for: "\(chosen) === 'width'")
            try await browser.screenshot("view-panel")
            try await browser.run("document.querySelector('dialog[open] input[name=spread][value=two]').click()")
            #expect(try await browser.ask("return \(chosen)") == "page")
            try await browser.wait(for: "\(Self.isReady) && document.querySelectorAll('.stage canvas.page').length === 2")
        }
    }

    @Test @LoopActor func whoEnlargesAPageFindsTheNextOneAsLarge() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(900, 1200)
            let witness = try await desk.play()
            let stops = try await witness.stops()
            let first = try #require(stops.indices.dropLast().first { stops[$0].chart == stops[$0 + 1].chart }, "a chart of two pages")
            try await desk.go(to: stops[first].chart)
            try await desk.hideControls()
            let whole = try await view(browser)
            for _ in 0..<3 { try await browser.press(.plus) }
            try await browser.wait(for: "\(Self.page).width > \(1.9 * whole.width) && \(Self.isReady)")
            try await browser.run("\(Self.stage).scrollLeft = 120")
            let large = try await view(browser)

            func turn(_ key: Key, to position: Int) async throws -> View {
                // On a page taller than the screen, the key first scrolls.
                while try await browser.ask("return document.body.dataset.position !== '\(position)'", as: Bool.self) {
                    try await browser.press(key)
                    try await browser.wait(for: Self.isReady)
                }
                return try await view(browser)
            }
            let next = try await turn(.right, to: 1)
            #expect(next.width == large.width && next.left == 120 && next.top < 200, "from the first ink on: \(next.top)")
            try await browser.screenshot("large-after-a-turn")
            let back = try await turn(.left, to: 0)
            #expect(back.width == large.width && back.left == 120 && back.top > 100, "from its end")
            // Another song starts in the default view.
            try await browser.press(.nextItem)
            try await browser.wait(for: "document.body.dataset.chart !== '\(stops[first].chart)' && \(Self.isReady)")
            #expect(try await view(browser).width == whole.width)
            try await browser.expectNoComplaints()
        }
    }
}
