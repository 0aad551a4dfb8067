import Platform
import TestSupport
import Testing

/// A mark as the agent stores it.
struct KeptMark: Decodable, Hashable {
    var id: String
    var page: Int
    var kind: String
    var color: String?
    var width: Double?
    var points: [[Double]]
    var text: String?
    var key: String?
    /// Of a jump: the landing to which it leads, and the time for which it is.
    var leads: String?
    var pass: Int?
    var on: String?
    var v: [String: Int]
}

extension Desk {
    /// A condition for the page: no mark waits in the browser's storage to be sent.
    static let isKept = "!Object.keys(localStorage).some((name) => name.startsWith('woodshed-ink '))"
    private static let isOut = "document.body.dataset.drawing && document.querySelector('.stage canvas.ink')"

    /// Scripts that draw as a hand does. Places are fractions of the width and the height of the first page on the stage.
    private static let hand = """
        window.hand = {
          last: 0,
          canvas: () => document.querySelector(".stage > .sheet:last-child canvas.ink"),
          tell(name, [x, y], { type = "pen", id = 7, pressure = 0.5, size = 1, buttons = 1, shift = false } = {}) {
            const canvas = hand.canvas();
            const box = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent(name, {
              bubbles: true, cancelable: true, composed: true, isPrimary: true, pointerId: id, pointerType: type, width: size, height: size,
              clientX: box.left + x * box.width, clientY: box.top + y * box.height, pressure: name === "pointerup" ? 0 : pressure,
              button: name === "pointermove" ? -1 : 0, buttons: name === "pointerup" ? 0 : buttons, shiftKey: shift,
            }));
          },
          draw(points, options) {
            hand.tell("pointerdown", points[0], options);
            for (const point of points.slice(1)) hand.tell("pointermove", point, options);
            hand.tell("pointerup", points.at(-1), options);
          },
          /// A slightly curved line of this many points between two places.
          line: ([ax, ay], [bx, by], count = 30) => Array.from({ length: count }, (_, i) => {
            const share = i / (count - 1);
            return [ax + share * (bx - ax), ay + share * (by - ay) + 0.004 * Math.sin(9 * share)];
          }),
          tool: (name) => document.querySelector(`.draw [aria-label^="${name}"]`).click(),
        };
        """

    /// Opens a chart of plain pages, or the named chart, at its first page, and takes the drawing tools out.
    func openToDraw(pages: Int = 2, _ chart: String? = nil) async throws -> String {
        let opened: String
        if let chart { opened = chart } else { opened = try await put(pages: pages) }
        try await openPages(opened)
        try await takeToolsOut()
        return opened
    }

    func takeToolsOut() async throws {
        try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'a', cancelable: true }))")
        try await browser.wait(for: Self.isOut)
        try await browser.wait(for: Self.isReady)
        try await browser.run(Self.hand)
    }

    func putToolsAway() async throws {
        try await browser.run("dispatchEvent(new KeyboardEvent('keydown', { key: 'a', cancelable: true }))")
        try await browser.wait(for: "!document.body.dataset.drawing")
    }

    /// Draws a line between two places, given as fractions of the page.
    func draw(_ from: (Double, Double), _ to: (Double, Double), with options: String = "{}") async throws {
        try await browser.run("hand.draw(hand.line([\(from.0), \(from.1)], [\(to.0), \(to.1)]), \(options))")
    }

    /// The marks of a chart as the agent stores them.
    func kept(_ chart: String) async throws -> [KeptMark] {
        try await browser.ask("return modules['api.js'].api.ink('\(chart)').then(({ marks }) => marks)")
    }

    /// Waits until the agent has saved all new ink, puts the tools away, and waits until the page's own image has replaced the ink.
    func waitUntilDry() async throws {
        try await browser.wait(for: Self.isKept)
        try await putToolsAway()
        try await browser.wait(for: "!document.querySelector('canvas.ink')")
    }

    /// An expression for the amount of red in a box of the page's own image; the box is given as fractions of the page.
    static func redness(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double, of canvas: String = "canvas.page") -> String {
        """
        (() => {
          const canvas = document.querySelector(".stage > .sheet:last-child \(canvas)");
          if (!canvas) return 0;
          const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
          copy.drawImage(canvas, 0, 0);
          const { width, height } = canvas;
          const { data } = copy.getImageData(\(left) * width, \(top) * height, \(right - left) * width, \(bottom - top) * height);
          let count = 0;
          for (let i = 0; i < data.length; i += 4) if (data[i] - Math.max(data[i + 1], data[i + 2]) > 80) count += 1;
          return count;
        })()
        """
    }
}
