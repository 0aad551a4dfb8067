import Platform
import WebDriver

/// Drawing on a page with a thousand strokes: the cost of each pen movement, and how regularly frames appear.
struct DrawnPage: Decodable {
    /// Milliseconds spent in the page's own code for each movement.
    let handler: [Double]
    /// Milliseconds from one frame to the next while the pen moves.
    let frames: [Double]

    private static let strokes = 1000

    @LoopActor
    static func measure(_ agent: ViewedAgent, place: String, moves: Int) async throws -> Measurements {
        let drawn: DrawnPage = try await agent.browse(place: place) { browser in
            try await browser.resize(1366, 768, scale: 1)
            try await browser.open(try agent.invitation())
            return try await browser.ask(script, [strokes, moves])
        }
        var measured = Measurements()
        measured.add("ink_handler_p95_ms", "ms", drawn.handler.percentile(0.95))
        measured.add("ink_frame_p95_ms@\(strokes)", "ms", drawn.frames.percentile(0.95))
        return measured
    }

    /// Draws strokes of a hundred movements each, with two movements per frame, the rate at which many pens report.
    private static let script = """
        const until = async (holds) => {
          while (!holds()) await new Promise((resume) => setTimeout(resume, 10));
        };
        const [strokes, moves] = arguments;
        const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
        const isReady = () => document.body.dataset.view === "chart" && document.body.dataset.state === "ready";
        return (async () => {
          await until(() => document.querySelector(".plan-card.next a[data-plan]"));
          document.querySelector(".plan-card.next a[data-plan]").click();
          await until(() => document.querySelector(".plan-head a.button.strong"));
          document.querySelector(".plan-head a.button.strong").click();
          await until(isReady);
          const { chart, page } = document.body.dataset;
          const { api } = modules["api.js"];
          const stroke = (i) => ({
            id: `stroke-${i}`, page: Number(page), kind: "pen", color: "#c8102e", width: 0.002, v: { bench: i + 1 },
            created_at: `2026-01-01T00:00:00.${String(i).padStart(3, "0")}Z`,
            points: Array.from({ length: 40 }, (_, k) => [0.05 + 0.02 * (i % 40) + 0.0008 * k, 0.05 + 0.036 * Math.floor(i / 40) + 0.008 * Math.sin(k / 4)]),
          });
          for (let i = 0; i < strokes; i += 100) {
            await api.sendInk(chart, { marks: Array.from({ length: Math.min(100, strokes - i) }, (_, k) => stroke(i + k)), deleted: [] });
          }
          press("a");
          await until(() => document.querySelector(".stage canvas.ink") && isReady());
          await new Promise((resume) => setTimeout(resume, 3000));
          const [handler, frames] = [[], []];
          const tell = (name, x, y) => {
            const canvas = document.querySelector(".stage > .sheet:last-child canvas.ink");
            const box = canvas.getBoundingClientRect();
            const event = new PointerEvent(name, {
              bubbles: true, cancelable: true, pointerId: 7, pointerType: "pen", pressure: 0.3 + 0.4 * x, buttons: 1, button: name === "pointermove" ? -1 : 0,
              clientX: box.left + x * box.width, clientY: box.top + y * box.height,
            });
            const start = performance.now();
            canvas.dispatchEvent(event);
            if (name === "pointermove") handler.push(performance.now() - start);
          };
          let former = 0;
          for (let i = 0; i < moves; i += 2) {
            const now = await new Promise(requestAnimationFrame);
            if (former) frames.push(now - former);
            former = now;
            for (const k of [i, i + 1]) tell(k % 100 === 0 ? "pointerdown" : k % 100 === 99 ? "pointerup" : "pointermove", 0.1 + 0.007 * (k % 100), 0.3 + 0.05 * Math.sin(k / 9));
          }
          press("a");
          return { handler, frames };
        })();
        """
}
