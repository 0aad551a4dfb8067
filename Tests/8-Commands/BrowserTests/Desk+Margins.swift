import DemoService
import Platform
import StandInSupport
import TestSupport
import Testing

/// The size of the page on the stage, its visible part, and the ink outside that part.
struct ShownPart: Decodable {
    /// The size of the whole page in CSS pixels.
    var width: Double
    var height: Double
    /// The number of ink pixels that are not visible.
    var cut: Int
    /// The CSS pixels that are cut off on each side.
    var left: Double
    var top: Double
    var right: Double
    var bottom: Double
}

extension Desk {
    static let isReady = "document.body.dataset.view === 'chart' && document.body.dataset.state === 'ready'"

    /// A script expression whose value is a `ShownPart`.
    static let shown = """
        (() => {
          const canvas = document.querySelector(".stage > .sheet:last-child canvas.page");
          const stage = document.querySelector(".stage").getBoundingClientRect();
          const page = canvas.getBoundingClientRect();
          const inset = (getComputedStyle(canvas).clipPath.match(/[\\d.]+(?=px)/g) ?? ["0"]).map(Number);
          const [top, right = top, bottom = top, left = right] = inset;
          // The part inside the page's clip and on the stage, measured from the page's corner.
          const seen = {
            left: Math.max(left, stage.left - page.left), top: Math.max(top, stage.top - page.top),
            right: Math.min(page.width - right, stage.right - page.left), bottom: Math.min(page.height - bottom, stage.bottom - page.top),
          };
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
          copy.drawImage(canvas, 0, 0);
          const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
          const [x, y] = [canvas.width / page.width, canvas.height / page.height];
          let cut = 0;
          for (let row = 0; row < canvas.height; row += 1) {
            for (let column = 0; column < canvas.width; column += 1) {
              const isSeen = column >= seen.left * x && column + 1 <= seen.right * x && row >= seen.top * y && row + 1 <= seen.bottom * y;
              const i = 4 * (row * canvas.width + column);
              // Count even ink that is too pale for an eye.
              if (!isSeen && Math.min(data[i], data[i + 1], data[i + 2]) < 252) cut += 1;
            }
          }
          return { width: page.width, height: page.height, cut, left, top, right, bottom };
        })()
        """

    func shownPart() async throws -> ShownPart { try await browser.ask("return \(Self.shown)") }

    func choose(_ name: String, _ value: String) async throws {
        try await browser.run("return modules['settings.js'].settings.set('\(name)', '\(value)')")
        try await browser.wait(for: Self.isReady)
    }

    /// Replaces the first chart of the next plan by one of this many pages, and returns the chart's id.
    func put(pages: Int) async throws -> String { try await put(MusicPages.pdf(pages)) }

    /// Replaces the first chart of the next plan by `pdf`, and returns the chart's id.
    func put(_ pdf: [UInt8]) async throws -> String {
        let chart: String = try await browser.ask(
            """
            const told = async (path) => (await fetch(path)).json();
            return told("/api/state").then(({ plans }) => told(`/api/plan/${plans[0].id}`))
              .then(({ items }) => items.find((item) => item.charts.length > 0).charts[0].id);
            """)
        try service.edit(.replaceChart(attachment: chart, bytes: pdf))
        try await run(["sync"])
        return chart
    }

    func openChart(_ chart: String, page: Int = 1) async throws {
        try await visit("/chart/\(chart.replacing("/", with: "%2F"))?page=\(page)")
        try await browser.wait(for: "\(Self.isReady) && document.querySelector('.stage canvas.page')")
    }

    /// A condition for the page: the music is at this position of its chart.
    static func isAt(_ position: Int) -> String { "document.body.dataset.position === '\(position)' && \(isReady)" }

    func press(_ key: Key, to position: Int) async throws {
        try await browser.press(key)
        try await browser.wait(for: Self.isAt(position))
    }

    func turn(to page: Int) async throws { try await press(.right, to: page) }

    /// Opens the chart, with one whole page at a time.
    func openPages(_ chart: String) async throws {
        try await openChart(chart)
        try await choose("spread", "one")
        try await choose("fit", "page")
    }
}
