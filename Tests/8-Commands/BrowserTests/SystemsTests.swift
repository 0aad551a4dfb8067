import Glibc
import Platform
import TestSupport
import Testing

/// Turning pages in the default layout shows every system whole at some stop.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct SystemsTests {
    private static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// For every block of inked rows on the pages on the stage, and for every part between two places where the agent allows a cut:
    /// whether the whole block or part is visible, and whether it fits the screen. A line at the foot of a page has no stop of its own.
    private static let runs = """
        const chart = document.body.dataset.chart.replaceAll("/", "%2F");
        return fetch("/api/chart/" + chart).then((reply) => reply.json()).then(({ pages, order }) => {
        const bar = document.querySelector(".bar:not(.away)")?.getBoundingClientRect().bottom ?? 0;
        const stage = document.querySelector(".stage").getBoundingClientRect();
        const [top, bottom] = [Math.max(bar, stage.top, 0), Math.min(innerHeight, stage.bottom)];
        const canvases = [...document.querySelectorAll(".stage > .sheet:last-child canvas.page")];
        return canvases.flatMap((canvas) => {
          const { width, height } = canvas;
          const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
          // A page that lies askew is turned by its style.
          const { a, b } = new DOMMatrix(canvas.style.transform);
          copy.fillStyle = "#fff";
          copy.fillRect(0, 0, width, height);
          copy.translate(width / 2, height / 2);
          copy.rotate(Math.atan2(b, a));
          copy.drawImage(canvas, -width / 2, -height / 2);
          const { data } = copy.getImageData(0, 0, width, height);
          const box = canvas.getBoundingClientRect();
          const name = document.body.dataset.chart + ", " + canvas.getAttribute("aria-label");
          const runs = [];
          for (let y = 0; y < height; y += 1) {
            let isInked = false;
            for (let x = 0; x < width && !isInked; x += 1) {
              const i = 4 * (y * width + x);
              const least = Math.min(data[i], data[i + 1], data[i + 2]);
              // Marks may join several systems, so only black ink counts.
              isInked = least < 140 && Math.max(data[i], data[i + 1], data[i + 2]) - least < 24;
            }
            if (isInked && runs.at(-1)?.to === y) runs.at(-1).to = y + 1;
            else if (isInked) runs.push({ from: y, to: y + 1 });
          }
          const place = (y) => (box.top + box.bottom) / 2 + (y / height - 0.5) * canvas.offsetHeight;
          const page = pages[order[Number(/page (\\d+) of/.exec(name)[1]) - 1]];
          const bands = Array.from({ length: page.plain.bands.length / 3 }, (_, i) => page.plain.bands.slice(3 * i, 3 * i + 3));
          const foot = bands.find(([, , kind]) => kind === 3)?.[1] ?? 10_000;
          const cuts = bands.filter(([, , kind]) => kind > 0);
          const systems = cuts.slice(1).map(([from], i) => ({ from: cuts[i][1] * height / 10_000, to: from * height / 10_000 }));
          const seen = [...runs.filter(({ from }) => from < foot * height / 10_000 - 2), ...systems.filter(({ from, to }) => to > from)];
          return seen.map(({ from, to }, number) => ({
            name: `${name}, ${number} of ${seen.length}`, size: place(to) - place(from), view: bottom - top,
            isWhole: place(from) >= top - 1 && place(to) <= bottom + 1,
          }));
        });
        });
        """

    private struct Run: Decodable {
        var name: String
        var size: Double
        var view: Double
        var isWhole: Bool
    }

    /// Checks the next plan from its first page to its last.
    @Test @LoopActor func everySystemOfThePlanIsWholeAtSomeStop() async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            _ = try await desk.play()
            let plan: String = try await browser.ask("return new URLSearchParams(location.search).get('plan')")
            for screen in Asked.some(of: Screen.all) {
                try await browser.resize(screen.width, screen.height, scale: screen.scale)
                try await desk.visit("/")
                try await browser.run("localStorage.clear()")
                try await desk.visit("/plan/" + plan)
                try await browser.wait(for: "document.querySelector('.plan-head a.button.strong')")
                try await browser.run("document.querySelector('.plan-head a.button.strong').click()")
                try await browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
                let runs = try await runsToTheEnd(browser, screen.name)
                expectWhole(runs, atLeast: 100, screen.name)
            }
        }
    }

    /// Checks every chart of every plan by itself, on a screen that is less high than the music and on one that is narrow.
    @Test(arguments: Asked.some(of: Screen.all.filter { ["laptop", "phone"].contains($0.name) })) @LoopActor
    func everySystemOfEachChartIsWholeAtSomeStop(screen: Screen) async throws {
        try await Desk.use(fullSize: 2732) { desk in
            let browser = desk.browser
            try await browser.resize(screen.width, screen.height, scale: screen.scale)
            let charts = try await desk.charts()
            #expect(charts.count > 10)
            for chart in Asked.sample(of: charts) {
                try await desk.openChart(chart.id)
                expectWhole(try await runsToTheEnd(browser, nil), atLeast: 5, "\(screen.name), \(chart.name)")
            }
        }
    }

    private func expectWhole(_ runs: [Run], atLeast least: Int, _ name: String) {
        let whole = Set(runs.filter(\.isWhole).map(\.name))
        let cut = Set(runs.filter { $0.size <= $0.view }.map(\.name)).subtracting(whole)
        #expect(cut == [], "\(name)")
        #expect(whole.count >= least, "\(name): \(whole.count) of \(Set(runs.map(\.name)).count)")
    }

    /// The blocks on each page at each stop, from the current stop to the last.
    @LoopActor private func runsToTheEnd(_ browser: Browser, _ name: String?) async throws -> [Run] {
        let place = "return document.body.dataset.chart + document.body.dataset.position + ' ' + document.querySelector('.stage').scrollTop"
        var runs: [Run] = []
        for stop in 0..<400 {
            runs += try await browser.ask(Self.runs, as: [Run].self)
            if let name, stop < 3 { try await browser.screenshot("\(name)-stop-\(stop)") }
            let before: String = try await browser.ask(place)
            try await browser.press(.right)
            try await browser.wait(for: Self.isReady)
            guard try await browser.ask(place) == before else { continue }
            try await browser.expectNoComplaints()
            return runs
        }
        Issue.record("\(name ?? "a chart") has no end")
        return runs
    }
}
