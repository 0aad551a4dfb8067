import Platform
import TestSupport
import Testing

/// The pages around the music, on screens of all sizes.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
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

    /// Expects that no part of the page extends beyond the sides of the screen.
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

    /// People with weak eyes choose larger letters in their browser, and then no part of the page may extend beyond the screen.
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

    /// A song's key and tempo from the service are shown where a musician looks before the song begins.
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
            // A change of the system's theme reaches the page independently of requests, so wait for the new background.
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

    /// After a turn to the next song, an open panel changes to that song.
    @Test @LoopActor func aPanelIsAboutTheSongOnTheStand() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let stops = try await desk.play().stops()
            let edge = try #require(stops.indices.dropLast().first { stops[$0].chart != stops[$0 + 1].chart }, "a plan of two charts")
            let next = stops[edge + 1].chart
            let folder = try await desk.folder(of: next)
            let button = { (words: String) in
                "[...document.querySelectorAll('dialog[open] button')].find((each) => each.textContent === '\(words)')"
            }
            try await browser.run(
                """
                modules["settings.js"].settings.put("scans", "\(next)", "keep");
                window.print = () => { window.printed = [...document.querySelectorAll(".print img")].map(({ dataset }) => dataset.src); };
                const real = window.fetch;
                window.saved = [];
                window.fetch = async (path, options) => {
                  if (!String(path).startsWith("/pdf/")) return real(path, options);
                  window.saved.push(path);
                  return new Response("{}", { status: 503 });
                };
                """)
            try await desk.go(to: stops[edge].chart, page: stops[edge].position)
            try await browser.press(.v)
            try await browser.wait(for: button("Print this chart…"))
            #expect(try await browser.ask("return document.querySelector('dialog .switch') === null"))
            try await browser.run("document.querySelector('dialog input[name=spread]:checked').focus()")
            try await browser.press(.pageDown)
            try await browser.wait(for: "document.body.dataset.chart === '\(next)'")
            #expect(try await browser.ask("return document.activeElement.matches('dialog input[name=spread]:checked')"), "the focus stays")
            try await browser.run("document.querySelector('dialog .switch').click()")
            #expect(try await browser.ask("return !('\(next)' in modules['settings.js'].settings.get('scans'))"))
            try await browser.run("\(button("Save as PDF")).click()")
            try await browser.wait(for: "window.saved.length === 1")
            #expect(try await browser.ask("return window.saved[0].startsWith('/pdf/chart/\(next)?')"))
            try await browser.run("\(button("Print this chart…")).click()")
            try await browser.wait(for: "window.printed")
            #expect(try await browser.ask("return window.printed.every((src) => src.includes('/\(folder)/'))"))
            let pages = stops.count { $0.chart == next }
            #expect(try await browser.ask("return window.printed.length") == pages)
            try await browser.run("\(button("Crop by hand…")).click()")
            try await browser.wait(for: "document.querySelector('.margin-page img')?.src.includes('/\(folder)/')")
            try await browser.press(.escape)
            try await layersFollow(desk, stops)
            try await whatIsAskedCloses(browser)
        }
    }

    /// The panel lists and switches the layers of the chart on the stand.
    @LoopActor private func layersFollow(_ desk: Desk, _ stops: [Witness.Stop]) async throws {
        let browser = desk.browser
        func layers(_ chart: String) async throws -> [String] {
            try await browser.ask(
                "return fetch('/api/chart/\(chart)').then((reply) => reply.json()).then(({ layers }) => layers.map(({ name }) => name || 'Marks'))"
            )
        }
        var charts: [(id: String, layers: [String])] = []
        for stop in stops where charts.last?.id != stop.chart { charts.append((stop.chart, try await layers(stop.chart))) }
        let edge = try #require(charts.indices.dropLast().first { charts[$0].layers != charts[$0 + 1].layers && charts[$0].layers != [] })
        let (former, next) = (charts[edge], charts[edge + 1])
        try await desk.go(to: former.id)
        try await browser.press(.l)
        let names = "[...document.querySelectorAll('dialog .layer-name')].map((each) => each.textContent)"
        try await browser.wait(for: "document.querySelector('dialog .layer-name')")
        #expect(try await browser.ask("return \(names)") == former.layers)
        try await browser.press(.nextItem)
        try await browser.wait(for: "document.body.dataset.chart === '\(next.id)'")
        #expect(try await browser.ask("return \(names)") == next.layers)
        try await browser.press(.previousItem)
        try await browser.wait(for: "document.body.dataset.chart === '\(former.id)'")
        try await browser.run("document.querySelector('dialog .switch').click()")
        try await browser.wait(
            for: "fetch('/api/chart/\(former.id)').then((reply) => reply.json()).then(({ layers }) => layers[0].visible === false)")
        try await browser.press(.escape)
    }

    /// The prompts for a song's part and for a page number close after a turn to another song.
    @LoopActor private func whatIsAskedCloses(_ browser: Browser) async throws {
        try await browser.press(.home)
        for _ in 0..<20 { try await browser.press(.previousItem) }
        try await browser.press(.nextItem)
        for key in [Key.s, .g] {
            try await browser.wait(for: "document.querySelector('.bar-where').textContent.startsWith('Song 2 of') && \(Desk.isReady)")
            try await browser.press(key)
            try await browser.wait(for: "document.querySelector('dialog[open].small')")
            let song: String = try await browser.ask("return document.body.dataset.chart")
            try await browser.press([.pageUp, .pageUp, .pageUp])
            try await browser.wait(for: "document.body.dataset.chart !== '\(song)'")
            #expect(try await browser.ask("return document.querySelector('dialog[open]') === null"))
            try await browser.press(.home)
            for _ in 0..<2 { try await browser.press(.previousItem) }
            try await browser.press(.nextItem)
        }
    }

    /// The icons that a home screen needs have the stated sizes, and the page may run without the browser's frame.
    @Test @LoopActor func aHomeScreenFindsItsPictures() async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await desk.visit("/")
            let pictures: [String] = try await browser.ask(
                """
                return fetch(document.querySelector("link[rel=manifest]").href).then((reply) => reply.json()).then(({ icons }) => Promise.all(
                  icons.filter(({ type }) => type === "image/png").map(async ({ src, sizes, purpose }) => {
                    const image = new Image();
                    image.src = src;
                    await image.decode();
                    return [src, sizes, `${image.naturalWidth}x${image.naturalHeight}`, purpose ?? ""].join(" ").trim();
                  })));
                """)
            #expect(
                pictures == [
                    "/assets/home-screen.png 180x180 180x180", "/assets/icon-192.png 192x192 192x192 any maskable",
                    "/assets/icon-512.png 512x512 512x512 any maskable",
                ])
            let said: [String] = try await browser.ask(
                """
                return ["mobile-web-app-capable", "apple-mobile-web-app-capable"]
                  .map((name) => document.querySelector(`meta[name=${name}]`)?.content)
                  .concat(new URL(document.querySelector("link[rel=apple-touch-icon]").href).pathname);
                """)
            #expect(said == ["yes", "yes", "/assets/home-screen.png"])
        }
    }
}
