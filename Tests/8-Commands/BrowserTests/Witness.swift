import Platform
import Testing

/// Observes every frame and every arrival in the reading view, from inside the page. A page is recognised by its picture: the
/// screen must look more like the agent's image of the expected page than like the image of any other page.
@LoopActor
struct Witness {
    /// A page at which turns stop.
    struct Stop: Decodable, Hashable {
        var chart: String
        var position: Int
        var half = ""
    }

    struct Account: Decodable {
        /// The stops in the order in which they were reached.
        var arrivals: [Stop]
        /// The number of frames without a page on screen.
        var blank: Int
        var frames: Int
        /// Arrivals with a wrong page on screen, or none.
        var wrong: [String]
        /// Milliseconds from a key to the exchange of the page.
        var turns: [Double]
        /// Milliseconds from a key to the frame that shows the page.
        var paints: [Double]
    }

    private let browser: Browser

    /// Begins to observe the open page, for the plan that is being played.
    init(_ browser: Browser, plan: String) async throws {
        self.browser = browser
        try await browser.run("return (async () => {\(Self.script)\nawait woodshedWitness.begin(\"\(plan)\");})()")
    }

    /// The stops of the whole plan, one page at a time.
    func stops() async throws -> [Stop] {
        try await browser.ask("return woodshedWitness.stops")
    }

    /// Waits until this many stops were reached.
    func arrivals(_ count: Int) async throws {
        try await browser.wait(for: "woodshedWitness.arrivals.length >= \(count)")
    }

    /// Checks the screen now, as at an arrival.
    func look() async throws { try await browser.run("woodshedWitness.look()") }

    func account() async throws -> Account {
        try await browser.ask("return woodshedWitness.account()")
    }

    /// The page whose marks change its picture most.
    func mostMarked() async throws -> Stop? {
        try await browser.ask("return woodshedWitness.mostMarked()")
    }

    /// The difference between the screen and the image of the page at `stop`, with marks or without; 0 means none.
    func distance(_ stop: Stop, marked: Bool) async throws -> Double {
        try await browser.ask(
            "return woodshedWitness.distance(arguments[0], arguments[1], arguments[2])", [stop.chart, stop.position, marked])
    }

    private static let script = #"""
        const WIDTH = 48, HEIGHT = 64;
        const small = new OffscreenCanvas(WIDTH, HEIGHT).getContext("2d", { willReadFrequently: true });
        const look = (image) => {
          small.imageSmoothingQuality = "high";
          small.drawImage(image, 0, 0, WIDTH, HEIGHT);
          return small.getImageData(0, 0, WIDTH, HEIGHT).data;
        };
        const between = (a, b) => a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
        const blank = new Uint8ClampedArray(WIDTH * HEIGHT * 4).fill(255);
        const onScreen = () => document.querySelector(".stage > .sheet:last-child canvas.page");
        const { dataset } = document.body;
        const looks = new Map();

        const witness = window.woodshedWitness = { stops: [], arrivals: [], blank: 0, frames: 0, wrong: [] };

        async function lookOf(src) {
          // Fetch anew: the viewer's own copy is under test.
          const reply = await fetch(src, modules["api.js"].signed({ cache: "no-store" }));
          if (!reply.ok) throw new Error(`${src}: ${reply.status}`);
          return look(await createImageBitmap(await reply.blob()));
        }

        async function readChart(chart, plan, item) {
          const told = await (await fetch(`/api/chart/${chart}?plan=${plan}&item=${item}`, modules["api.js"].signed())).json();
          for (const [position, index] of told.order.entries()) {
            const page = told.pages[index];
            const [plain, marked] = [await lookOf(page.plain.src), await lookOf(page.annotated.src)];
            looks.set(`${chart} ${position}`, { plain, marked, src: page.annotated.src });
            witness.stops.push({ chart, position, half: "" });
          }
        }

        witness.begin = async (plan) => {
          const { items } = await (await fetch(`/api/plan/${plan}`, modules["api.js"].signed())).json();
          for (const item of items) {
            const chart = item.charts.find((each) => each.state === "ready" || each.state === "partly") ?? item.charts[0];
            if (chart) await readChart(chart.id, plan, item.id);
          }
          performance.clearMeasures();
          new MutationObserver(arrived).observe(document.body, { attributeFilter: ["data-state"] });
          const frame = () => {
            witness.frames += 1;
            const canvas = onScreen();
            if (!canvas || canvas.width === 0) witness.blank += 1;
            requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        };

        const here = () => ({ chart: dataset.chart, position: Number(dataset.position), half: dataset.half });
        let last = here();

        function arrived() {
          if (dataset.state === "turning" || dataset.state === "loading") return;
          const stop = here();
          // If a sharper image or one with other marks replaces the page, no turn happened.
          if (last.chart === stop.chart && last.position === stop.position && last.half === stop.half) return;
          last = stop;
          witness.arrivals.push(stop);
          // Check only after the frame that shows the page, so the check does not count in its time.
          requestAnimationFrame(() => setTimeout(check, 0, stop));
        }

        function check({ chart, position, half }) {
          if (dataset.chart !== chart || Number(dataset.position) !== position || dataset.half !== half) return;
          // After half a turn, the next page lies on top.
          const name = `${chart} ${half ? position + 1 : position}`;
          const canvas = onScreen();
          const meant = looks.get(name);
          if (!canvas || !meant) return witness.wrong.push(`${name}: no page`);
          const seen = look(canvas);
          const distance = between(seen, meant.marked);
          if (between(seen, blank) <= distance) return witness.wrong.push(`${name}: blank`);
          for (const [other, { marked, src }] of looks) {
            if (src !== meant.src && between(seen, marked) < distance) witness.wrong.push(`${name}: ${other}`);
          }
        }

        witness.look = () => check(here());

        witness.distance = (chart, position, isMarked) => {
          const { plain, marked } = looks.get(`${chart} ${position}`);
          return between(look(onScreen()), isMarked ? marked : plain);
        };

        witness.mostMarked = () => {
          const change = ({ chart, position }) => {
            const { plain, marked } = looks.get(`${chart} ${position}`);
            return between(plain, marked);
          };
          return witness.stops.reduce((most, stop) => change(stop) > change(most) ? stop : most);
        };

        witness.account = () => {
          const times = (name) => performance.getEntriesByType("measure")
            .filter((entry) => entry.name.startsWith(name)).map((entry) => entry.duration);
          const { arrivals, blank, frames, wrong } = witness;
          return { arrivals, blank, frames, wrong, turns: times("turn-"), paints: times("paint-") };
        };
        """#
}
