import Platform
import TestSupport
import Testing

/// Where the system chooses all colours, chosen, switched-on and finished things must still be visible.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ForcedColoursTests {
    /// The box of an element, in whole CSS pixels.
    @LoopActor private func box(_ element: String, _ browser: Browser) async throws -> [Int] {
        try await browser.ask(
            "const { left, top, width, height } = \(element).getBoundingClientRect(); return [left, top, width, height].map(Math.round)")
    }

    /// Takes a picture of the page and finds an element in it. Tries again if the element moved meanwhile.
    @LoopActor private func picture(of element: String, _ name: String, _ browser: Browser) async throws -> (PNGImage, [Int]) {
        while true {
            let place = try await box(element, browser)
            let picture = try #require(PNGImage(try await browser.picture(name)))
            if try await box(element, browser) == place { return (picture, place) }
        }
    }

    /// The number of pixels that differ between two boxes of the same size, each in its own picture.
    private func difference(_ a: PNGImage, _ first: [Int], _ b: PNGImage, _ second: [Int]) -> Int {
        var count = 0
        for y in 0..<min(first[3], second[3]) {
            for x in 0..<min(first[2], second[2]) where a[first[0] + x, first[1] + y] != b[second[0] + x, second[1] + y] { count += 1 }
        }
        return count
    }

    @Test(arguments: Asked.some(of: [true, false])) @LoopActor func whatIsChosenInViewIsSeen(isDark: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 1000)
            _ = try await desk.play()
            try await browser.setDark(isDark, choosesColours: true)
            try await browser.press(.v)
            try await browser.wait(for: "document.querySelector('dialog.side')")
            // Neither choice has the focus, so the pictures show only the difference between chosen and not chosen.
            func choice(_ value: Bool) -> String { "document.querySelector('input[name=night][value=\(value)] + span')" }
            let before = try #require(PNGImage(try await browser.picture("forced-view-\(isDark)")))
            let (off, on) = (try await box(choice(false), browser), try await box(choice(true), browser))
            try await browser.run("document.querySelector('input[name=night][value=true]').click()")
            try await browser.wait(for: "document.querySelector('input[name=night][value=true]').checked && \(Desk.isReady)")
            try await browser.run("document.querySelector('dialog.side .tool').focus()")
            let after = try #require(PNGImage(try await browser.picture("forced-view-night-\(isDark)")))
            for each in [off, on] { #expect(difference(before, each, after, each) > 100, "\(each)") }
            let outlines: [String] = try await browser.ask(
                "return [...document.querySelectorAll('.segments input:checked + span')].map((each) => getComputedStyle(each).outlineStyle)"
            )
            #expect(outlines.count == 7 && Set(outlines) == ["solid"])
            try await browser.setDark(false)
        }
    }

    /// A page is a picture, whose colours the system does not change, so night mode must darken the page itself.
    @Test(arguments: Asked.some(of: [true, false])) @LoopActor func nightPagesAreDark(isDark: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            _ = try await desk.play()
            try await desk.hideControls()
            try await browser.setDark(isDark, choosesColours: true)
            func light(_ name: String) async throws -> Int {
                let picture = try #require(PNGImage(try await browser.picture("\(name)-\(isDark)")))
                return picture.pixels.reduce(0) { $0 + Int($1) } / picture.pixels.count
            }
            let page = "document.querySelector('.stage canvas.page')"
            #expect(try await light("forced-day") > (isDark ? 60 : 150))
            try await browser.press(.n)
            try await browser.wait(for: "\(page).classList.contains('dark') && document.querySelector('.cue').hidden && \(Desk.isReady)")
            #expect(try await light("forced-night") < 50)
            try await browser.setDark(false)
        }
    }

    @Test(arguments: Asked.some(of: [true, false])) @LoopActor func whichLayersAreOnIsSeen(isDark: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            let witness = try await desk.play()
            let marked = try #require(try await witness.mostMarked())
            try await desk.go(to: marked.chart, page: marked.position)
            try await browser.setDark(isDark, choosesColours: true)
            try await browser.press(.l)
            let layer = "document.querySelector('dialog.side .switch')"
            try await browser.wait(for: "\(layer)?.checked")
            try await browser.run("document.querySelector('dialog.side .tool').focus()")
            let on = try #require(PNGImage(try await browser.picture("forced-layers-\(isDark)")))
            let place = try await box(layer, browser)
            #expect(place[2] >= 20 && place[3] >= 20, "\(place)")
            try await browser.run("\(layer).click()")
            try await browser.wait(for: "!\(layer).checked && \(layer).getAttribute('aria-busy') === 'false'")
            try await browser.run("document.querySelector('dialog.side .tool').focus()")
            let off = try #require(PNGImage(try await browser.picture("forced-layers-off-\(isDark)")))
            #expect(difference(on, place, off, place) > 60)
            #expect(try await browser.ask("return getComputedStyle(\(layer)).appearance") == "auto")
            try await browser.setDark(false)
        }
    }

    @Test(arguments: Asked.some(of: [true, false])) @LoopActor func howMuchIsHereIsSeen(isDark: Bool) async throws {
        try await Desk.use { desk in
            let browser = desk.browser
            try await browser.resize(1366, 768)
            try await browser.setDark(isDark, choosesColours: true)
            try await browser.runFirst(
                """
                window.here = 5;
                const real = window.fetch;
                window.fetch = async (path, options) => {
                  const reply = await real(path, options);
                  if (path !== "/api/state") return reply;
                  const told = await reply.json();
                  Object.assign(told.plans[0], { ready: "partly", pages: 20, pagesReady: window.here });
                  return new Response(JSON.stringify(told));
                };
                """)
            try await desk.visit("/")
            let bar = "document.querySelector('.plan-card.next progress')"
            try await browser.wait(for: "\(bar)?.value === 5")
            let (few, place) = try await picture(of: bar, "forced-progress-\(isDark)", browser)
            #expect(place[2] > 100 && place[3] >= 6, "\(place)")
            try await browser.run("window.here = 15; return modules['api.js'].api.sync()")
            try await browser.wait(for: "\(bar).value === 15")
            let (many, moved) = try await picture(of: bar, "forced-progress-more-\(isDark)", browser)
            #expect(difference(few, place, many, moved) > place[2] * place[3] / 4)
            // The empty part of the bar has the colour of the page, so the bar's edge must be visible.
            let (right, middle) = (moved[0] + moved[2] - 1, moved[1] + moved[3] / 2)
            let outside = many[right + 4, middle]
            let isEdged = (right - 4...right).contains { many[$0, middle] != outside }
            #expect(isEdged, "the bar's end")
            try await browser.setDark(false)
        }
    }
}
