import Platform
import TestSupport
import Testing

/// New ink in the browser looks like the same mark in the agent's image.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct InkLikenessTests {
    private struct Likeness: Decodable {
        var kind: String
        /// The mean difference of all pixels with ink, on a scale from 0 to 255.
        var difference: Double
        var pixels: Int
    }

    /// Compares each mark separately, where it covers no other, at the size of the image. While the agent is stopped, no ink dries.
    @Test @LoopActor func canvasAndWorkerPaintAlike() async throws {
        try await Desk.use(fullSize: 2000) { desk in
            let browser = desk.browser
            try await browser.resize(1700, 2400)
            let chart = try await desk.openToDraw()
            // The second page has no other marks.
            try await desk.turn(to: 1)
            desk.stopAgentsHeart()
            try await browser.run("hand.tool('Red')")
            try await browser.run(
                """
                const wave = (points) => points.map(([x, y], i) => [x, y + 0.02 * Math.sin(i / 5)]);
                hand.draw(wave(hand.line([0.1, 0.1], [0.4, 0.12], 80)), { type: "mouse" });
                // Press harder with every point.
                wave(hand.line([0.5, 0.1], [0.9, 0.12], 80)).forEach((at, i) => hand.tell(i ? "pointermove" : "pointerdown", at, { pressure: 0.2 + i / 130 }));
                hand.tell("pointerup", [0.9, 0.12]);
                """)
            for (index, tool) in ["Highlighter", "Line", "Arrow", "Box", "Ellipse", "White-out"].enumerated() {
                try await browser.run("hand.tool('\(tool)')")
                let (left, top) = (0.1 + 0.3 * Double(index % 3), 0.2 + 0.15 * Double(index / 3))
                try await desk.draw((left, top), (left + 0.2, top + 0.08))
            }
            try await browser.run("hand.tool('Stamps')")
            try await browser.run("document.querySelector('dialog[open]').close()")
            let stamps = try await browser.ask("return modules['stamps.js'].STAMPS.map(([name]) => name)", as: [String].self)
            for (index, stamp) in stamps.enumerated() {
                try await browser.run("modules['settings.js'].settings.put('pens', 'stamp', { color: 2, width: 2, stamp: '\(stamp)' })")
                let place = (0.1 + 0.1 * Double(index % 9), 0.55 + 0.1 * Double(index / 9))
                try await desk.draw(place, place)
            }
            try await browser.run("hand.tool('Text')")
            try await desk.draw((0.1, 0.8), (0.1, 0.8))
            try await browser.wait(for: "document.activeElement.matches('textarea.ink-text')")
            try await browser.run(
                """
                document.activeElement.value = "watch the\\nrepeat";
                document.activeElement.dispatchEvent(new Event("input"));
                document.activeElement.blur();
                """)
            try await browser.run(
                """
                const { width, height } = document.querySelector("canvas.ink");
                window.wet = new OffscreenCanvas(width, height);
                window.wet.getContext("2d").drawImage(document.querySelector("canvas.ink"), 0, 0);
                """)
            desk.letAgentGoOn()
            try await desk.waitUntilDry()
            let all: [Likeness] = try await browser.ask(Self.compare, [chart])
            for (number, each) in all.enumerated() {
                #expect(each.difference <= Self.limit(each, isPressed: number == 1) && each.pixels > 20, "\(each)")
            }
            #expect(all.count == 9 + stamps.count)
            try await browser.screenshot("likeness")
        }
    }

    /// On a page of few pixels, printed lines are made thicker, so that they can be read. Ink stays about as it was drawn.
    @Test @LoopActor func inkOnASmallPageIsNotThickerWhenItIsDry() async throws {
        try await Desk.use(fullSize: 2000) { desk in
            let browser = desk.browser
            try await browser.resize(560, 800)
            _ = try await desk.openToDraw()
            try await desk.turn(to: 1)
            desk.stopAgentsHeart()
            try await browser.run("hand.tool('Red')")
            for number in 0..<4 {
                try await desk.draw((0.2, 0.2 + 0.15 * Double(number)), (0.6, 0.28 + 0.15 * Double(number)))
            }
            // The share of red in all pixels: without the tools, the page is larger.
            func redness(ofWet isWet: Bool) async throws -> Double {
                try await browser.ask(
                    """
                    const page = document.querySelector(".stage > .sheet:last-child canvas.page");
                    const { width, height } = page;
                    const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
                    context.drawImage(page, 0, 0);
                    if (\(isWet)) context.drawImage(document.querySelector("canvas.ink"), 0, 0, width, height);
                    const { data } = context.getImageData(0, 0, width, height);
                    let sum = 0;
                    for (let i = 0; i < data.length; i += 4) sum += Math.max(0, data[i] - Math.max(data[i + 1], data[i + 2]));
                    return sum / width / height;
                    """)
            }
            let wet = try await redness(ofWet: true)
            desk.letAgentGoOn()
            try await desk.waitUntilDry()
            let dry = try await redness(ofWet: false)
            #expect(wet > 0.1 && abs(dry / wet - 1) < 0.25, "\(wet) wet, \(dry) dry")
            print("\(wet) wet, \(dry) dry")
        }
    }

    /// Cairo has few shades for soft edges, and differs from the true coverage of a thin slanted line by 2 of 255. A browser
    /// draws a line of changing width as single lines, with few shades each.
    private static func limit(_ each: Likeness, isPressed: Bool) -> Double {
        if isPressed { return 3.2 }
        return ["line ", "pen arrow", "text "].contains(each.kind) ? 2.6 : 2
    }

    private static let compare = """
        const [chart] = arguments;
        const { boundsOf } = modules["mark-shape.js"];
        return (async () => {
          const told = await (await fetch(`/api/chart/${chart}`)).json();
          const { marks } = await (await fetch(`/api/charts/${chart}/ink`)).json();
          const image = async (src) => createImageBitmap(await (await fetch(src, { cache: "no-store" })).blob());
          const [plain, annotated] = [await image(told.pages[1].plain.src), await image(told.pages[1].annotated.src)];
          const { width, height } = plain;
          const boxOf = (mark) => {
            const { left, top, right, bottom } = boundsOf(mark, height / width);
            const [x, y] = [Math.floor(left * width) - 4, Math.floor(top * height) - 4];
            return { x, y, width: Math.ceil(right * width) + 4 - x, height: Math.ceil(bottom * height) + 4 - y };
          };
          if (window.wet.width !== width) throw new Error(`${window.wet.width} pixels of ${width}`);
          const [bare, ours, theirs] = [plain, window.wet, annotated].map((image) => {
            const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
            context.drawImage(image, 0, 0);
            return context;
          });
          return marks.map((mark) => {
            const { x, y, width: across, height: down } = boxOf(mark);
            const [a, b, c] = [bare, ours, theirs].map((context) => context.getImageData(x, y, across, down).data);
            let [sum, pixels] = [0, 0];
            for (let i = 0; i < a.length; i += 4) {
              const far = (one, other) => Math.max(...[0, 1, 2].map((k) => Math.abs(one[i + k] - other[i + k])));
              if (far(a, b) < 4 && far(a, c) < 4) continue;
              pixels += 1;
              sum += [0, 1, 2].reduce((all, k) => all + Math.abs(b[i + k] - c[i + k]), 0) / 3;
            }
            return { kind: `${mark.kind} ${mark.stamp ?? ""}`, difference: sum / Math.max(1, pixels), pixels };
          });
        })();
        """
}
