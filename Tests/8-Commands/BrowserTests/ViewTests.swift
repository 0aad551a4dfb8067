import Platform
import TestSupport
import Testing

/// What stands on the pages around the music, on screens of all sizes.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ViewTests {
    private static let isReady = "document.body.dataset.state === 'ready'"
    private static let imagesAreHere =
        "[...document.images].every((image) => image.getBoundingClientRect().top > innerHeight || (image.complete && image.naturalWidth > 0))"

    private static let screens: [(name: String, width: Int, height: Int, scale: Double)] = [
        ("phone", 390, 844, 2), ("tablet", 820, 1180, 1), ("laptop", 1366, 768, 1), ("wide", 1920, 1080, 1),
    ]

    @Test @LoopActor func plansPlanAndChartOnEveryScreen() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            #expect(try await browser.ask("return location.pathname + location.search") == "/", "the invitation is exchanged")
            #expect(try await browser.ask("return document.cookie") == "", "no script can read who is let in")
            let witness = try await desk.play()
            let chart: String = try await browser.ask("return location.pathname + location.search")
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            let stops = try await witness.stops()
            try await browser.press(.d)
            try await browser.press(.d)
            for screen in Self.screens {
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                try await desk.visit("/")
                try await browser.wait(for: "\(Self.isReady) && document.querySelectorAll('.plan-card').length > 1")
                try await isInItsPlace(browser, "plans-" + screen.name)
                try await desk.visit("/plan/" + plan)
                try await browser.wait(for: "\(Self.isReady) && document.querySelector('ol.items') && \(Self.imagesAreHere)")
                try await isInItsPlace(browser, "plan-" + screen.name)
                try await desk.visit(chart)
                try await browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
                #expect(try await browser.ask("return document.body.dataset.chart") == stops[0].chart)
                try await isInItsPlace(browser, "chart-" + screen.name)
            }
            try await browser.expectNoComplaints()
        }
    }

    /// Nothing of the page may stand beyond the screen's sides.
    @LoopActor
    private func isInItsPlace(_ browser: Browser, _ name: String) async throws {
        let beyond: [String] = try await browser.ask(
            """
            return [...document.querySelectorAll("body *")].filter((each) => {
              const box = each.getBoundingClientRect();
              return box.width > 1 && !each.closest(".stage, .strip, .unseen, .skip, .thumbs") && (box.right > innerWidth + 1 || box.left < -1);
            }).map((each) => each.outerHTML.slice(0, 120))
            """)
        #expect(beyond == [], "\(name)")
        #expect(try await browser.ask("return document.documentElement.scrollWidth <= innerWidth"), "\(name) moves sideways")
        try await browser.screenshot(name)
    }

    /// Who reads small letters badly has their browser write larger ones everywhere.
    @Test @LoopActor func largerLettersHaveTheirRoom() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            _ = try await desk.play()
            let chart: String = try await browser.ask("return location.pathname + location.search")
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            let size = "return parseFloat(getComputedStyle(document.documentElement).fontSize)"
            for screen in Self.screens {
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                for (path, isShown) in [
                    ("/", "document.querySelectorAll('.plan-card').length > 1"), ("/plan/" + plan, "document.querySelector('ol.items')"),
                    (chart, "document.querySelector('.stage canvas.page')"),
                ] {
                    var sizes: [Double] = []
                    for points in [16, 20] {
                        try await browser.setLetters(points)
                        try await desk.visit(path)
                        try await browser.wait(for: "\(Self.isReady) && \(isShown)")
                        sizes.append(try await browser.ask(size))
                    }
                    #expect(sizes[1] >= 20 && sizes[1] >= sizes[0] * 1.1, "\(path) \(screen.name): \(sizes)")
                    try await isInItsPlace(browser, "large-\(path == "/" ? "plans" : path == chart ? "chart" : "plan")-\(screen.name)")
                }
            }
            try await browser.setLetters(16)
        }
    }

    /// What the service says of a song stands where one looks before it begins.
    @Test @LoopActor func keyAndTempoStandBesideASong() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            try await browser.noteCues()
            try await browser.press(.nextItem)
            try await browser.wait(for: "/ · D · 96 bpm$/m.test\(Browser.lastCue)")
            #expect(try await browser.ask("return document.querySelector('.bar-where').textContent.includes(' · D · 96 bpm')"))
            try await browser.screenshot("tempo-chart")
            try await desk.visit("/plan/" + plan)
            try await browser.wait(for: "\(Self.isReady) && document.querySelector('ol.items')")
            let songs: [String] = try await browser.ask(
                """
                return [...document.querySelectorAll(".item-head")].filter((each) => each.querySelector(".key"))
                  .map((each) => ["h2", ".key", ".tempo"].map((part) => each.querySelector(part)?.textContent).join(", "))
                """)
            #expect(songs == ["Holy, Holy, Holy, D, 96 bpm", "Amazing Grace, G, 84 bpm", "Down by the Riverside, F, 152 bpm"])
            #expect(try await browser.ask("return document.querySelectorAll('.tempo').length") == 3, "who says none has none")
            try await browser.screenshot("tempo-plan")
        }
    }

    @Test @LoopActor func aDarkSystem() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            _ = try await desk.play()
            try await browser.setDark(true)
            try await browser.screenshot("chart-dark")
            try await desk.visit("/")
            try await browser.wait(for: "document.querySelectorAll('.plan-card').length > 1")
            let ground = """
                getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).reduce((sum, each) => sum + Number(each), 0)
                """
            try await browser.wait(for: "\(ground) < 150")
            try await browser.screenshot("plans-dark")
            try await browser.run("document.querySelector('.plan-card.next a[data-plan]').click()")
            try await browser.resize(1000, 3000)
            try await browser.wait(for: "\(Self.isReady) && document.querySelector('ol.items') && \(Self.imagesAreHere)")
            try await browser.screenshot("plan-dark-whole")
            try await browser.setDark(false)
            // The browser hears of it beside what it is asked.
            try await browser.wait(for: "\(ground) > 600")
            try await browser.screenshot("plan-whole")
        }
    }

    @Test @LoopActor func mistypedAddresses() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/plam/12")
            try await browser.wait(for: "document.body.dataset.state === 'lost'")
            #expect(try await browser.ask("return document.querySelector('h1').textContent") == "Page not found")
            try await browser.screenshot("lost")
            try await browser.run("document.querySelector('a.button').click()")
            try await browser.wait(for: "document.querySelector('.plan-card')")
            try await desk.visit("/plan/12")
            try await browser.wait(for: "document.body.dataset.state === 'failed'")
            #expect(try await browser.ask("return document.querySelector('h1').textContent") == "No such plan")
            try await desk.visit("/chart/12")
            try await browser.wait(for: "document.body.dataset.state === 'missing'")
            #expect(try await browser.ask("return document.querySelector('.card').textContent.includes('is not here')"))
            try await browser.screenshot("lost-chart")
        }
    }

    @Test @LoopActor func panelsOverTheMusic() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1280, 900)
            _ = try await desk.play()
            for (key, name) in [(Key.question, "keys"), (.slash, "finder"), (.l, "layers"), (.v, "view")] {
                try await browser.press(key)
                try await browser.wait(for: "document.querySelector('dialog[open]')")
                try await browser.screenshot(name)
                try await browser.press(.escape)
                try await browser.wait(for: "!document.querySelector('dialog[open]')")
            }
            try await browser.press(.t)
            try await browser.wait(for: "document.querySelector('.strip img')")
            try await browser.screenshot("strip")
            try await browser.expectNoComplaints()
        }
    }
}
