import Platform
import TestSupport
import Testing

/// Tests modules of the browser that need no page of their own, all in one page with a chart open and the tools out.
@Suite(.onLoop, .browsers, .needs(.browser), .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct ModuleTests {
    @Test @LoopActor func eachDoesWhatItsCasesSay() async throws {
        try await Desk.use { desk in
            _ = try await desk.openToDraw()
            let claims = [
                marksAreJoinedAsTheAgentDoes, marksHaveTheOutlinesThatTheAgentGivesThem, aMarkThatFollowsTheMusicIsDrawnAnew,
                inkDriesByTheStateThatHasItAndByNoOther,
                whatIsHereDecidesWhatIsShown, aPlanOfAsManyChartsSaysWhichAreOthers, aSetSaysWhatItsFolderHasAndNoMidnight,
                noTextTurnsTheRestOfItsLineRound, halfAViewEndsWhereASystemBegins,
                whiteEndsWhereASlantedLineReaches, aPageIsCutBesideItsMarks, aPageKeepsItsSizeUntilTheNextSong,
                aChartHasTheKeyOfItsDrawingOrOfItsName, onlyChartsOfOnesOwnKeyAreNoNews,
            ]
            for claim in claims {
                // A failed script must not keep the others from running.
                do { try await claim(desk.browser) } catch { Issue.record(error) }
            }
        }
    }

    @LoopActor private func aMarkThatFollowsTheMusicIsDrawnAnew(_ browser: Browser) async throws {
        let changed: [Int] = try await browser.ask(
            """
            const { api } = modules["api.js"];
            const ask = api.ink;
            let y = 0.2;
            api.ink = async () => ({
              tag: "", ink: {}, marks: [{ id: "1", page: 0, kind: "text", text: "rit.", points: [[0.5, y]], v: { laptop: 1 } }], also: [], deleted: [],
            });
            const layer = modules["ink-layer.js"].layerOf("a chart that is replaced");
            const counts = [];
            let ids = [];
            layer.onChange = (changed) => { ids = changed; };
            const read = async () => {
              ids = [];
              await layer.read();
              counts.push(ids.length);
            };
            return read().then(read).then(() => { y = 0.6; }).then(read).then(() => counts).finally(() => { api.ink = ask; });
            """)
        #expect(changed == [1, 0, 1])
    }

    @LoopActor private func noTextTurnsTheRestOfItsLineRound(_ browser: Browser) async throws {
        let shown: [String] = try await browser.ask(
            """
            const { h } = modules["dom.js"];
            const title = "Grace\\u202efdp.\\u2066x\\u2069 שלום\\u200f";
            return [h("p", { text: title }), h("p", {}, title, h("b", {}, [title])), h("p", { text: 7 })].map((each) => each.textContent);
            """)
        #expect(shown == ["Gracefdp.x שלום\u{200F}", "Gracefdp.x שלום\u{200F}Gracefdp.x שלום\u{200F}", "7"])
    }

    @LoopActor private func aChartHasTheKeyOfItsDrawingOrOfItsName(_ browser: Browser) async throws {
        let keys: [String?] = try await browser.ask(
            """
            const { keyAndTempo, keyOfChart, otherKey } = modules["running-order.js"];
            const named = (name, song) => ({ id: "song/1", name, song });
            const drawn = (chart) => ({ chart, view: { key: "Ab" }, sounding: "Ab" });
            const item = { title: "Grace", key: "Bb", tempo: 72 };
            return [
              ...["Grace - F", "Grace - B♭ part", "Grace - violin", "Grace", "Grace - F#m"].map((name) => keyOfChart("Grace", named(name))),
              keyOfChart("Grace", named("Grace, words and chords", drawn("song/1"))), keyOfChart("Grace", named("Grace - F", drawn("song/2"))),
              otherKey(item, named("Grace - B♭")), keyAndTempo(item, named("Grace - F")), keyAndTempo(item),
            ];
            """)
        #expect(keys == ["F", nil, nil, nil, "F#m", "Ab", "F", nil, "B♭ · chart in F · 72 bpm", "B♭ · 72 bpm"])
    }

    /// A chart that comes or goes because a key was chosen in this window is taken over; every other change is offered.
    @LoopActor private func onlyChartsOfOnesOwnKeyAreNoNews(_ browser: Browser) async throws {
        let orders: [String] = try await browser.ask(
            """
            const { RunningOrder } = modules["running-order.js"];
            const plan = (...items) => ({ items: items.map((charts, i) => ({ id: String(i), title: "", key: "G", charts: charts.map((id) => ({ id })) })) });
            const played = new RunningOrder("1", plan(["lead"], ["hymn"]));
            const said = (data, ...own) => {
              const order = played.withOwn(data, new Set(own));
              return `${order.items.map(({ charts }) => charts.map(({ id }) => id).join("+")).join(" ")} ${order.differs(data)}`;
            };
            return [
              said(plan(["song/1", "lead"], ["hymn"]), "song/1"), said(plan(["song/1", "lead"], ["hymn"])),
              said(plan(["song/1", "lead"], ["other"]), "song/1"), said(plan(["song/1", "new"], ["hymn"]), "song/1"),
              said(plan(["lead"], ["hymn"]), "song/1"),
            ];
            """)
        #expect(orders == ["song/1+lead hymn false", "lead hymn true", "song/1+lead hymn true", "lead hymn true", "lead hymn false"])
    }

    /// Half views begin with a system, too, miss none, and lead through the same places in both directions. A last system is not alone if
    /// the one above it has room, too.
    @LoopActor private func halfAViewEndsWhereASystemBegins(_ browser: Browser) async throws {
        let views: [[Int]] = try await browser.ask(
            """
            const { nextView, viewsOf } = modules["cuts.js"];
            const page = (bands, height) => [{
              bands: bands?.map(([from, to, kind]) => ({ from: from / height, to: to / height, kind, isBare: true })) ?? null,
              slot: { x: 0, y: 0, width: 1000, height },
            }];
            const systems = (count, way, white) =>
              Array.from({ length: count + 1 }, (_, i) => [way * i, way * i + white, i < count ? "system" : "end"]);
            const cases = [[page(systems(10, 200, 50), 2050), 2050], [page(systems(3, 700, 40), 2140), 2140], [page(null, 2050), 2050], [page(systems(5, 350, 50), 1800), 1800]];
            return cases.flatMap(([parts, end]) => {
              const half = viewsOf(parts, 800, end, true);
              return [viewsOf(parts, 800, end, false), half, half.slice(0, -1).map((top) => nextView(parts, top, 800, end, true))];
            });
            """)
        let (low, high, unknown) = ([42, 442, 842, 1242], [32, 732, 1432], [0, 400, 800, 1200, 1250])
        #expect(
            views == [
                [42, 842, 1642], low, Array(low.dropFirst()), high, high, Array(high.dropFirst()), [0, 704, 1250], unknown,
                Array(unknown.dropFirst()), [42, 742, 1092], [42, 392, 742, 1092], [392, 742, 1092],
            ])
    }

    /// The agent's white is that of the upright page; on a page that is kept as scanned, lines reach into it.
    @LoopActor private func whiteEndsWhereASlantedLineReaches(_ browser: Browser) async throws {
        let found: [[Double]] = try await browser.ask(
            """
            const { bandsOf, leanOf } = modules["margins.js"];
            const { settings } = modules["settings.js"];
            const plain = { slant: -100, width: 700, height: 1000, bands: [1000, 2000, 1, 3000, 3040, 1] };
            const [chart, page] = [{ id: "slanted" }, { plain, annotated: plain, marked: false }];
            const all = () => [leanOf(chart, page), ...bandsOf(chart, page).flatMap(({ from, to }) => [from, to])];
            const upright = all();
            settings.put("scans", "slanted", "keep");
            const kept = all();
            settings.put("scans", "slanted", null);
            return [upright, kept].map((each) => each.map((value) => Math.round(value * 10000) / 10000));
            """)
        #expect(found == [[-0.0175, 0.1, 0.2, 0.3, 0.304], [0, 0.1061, 0.1939, 0.302, 0.302]])
    }

    /// A view begins above the marks over its first system, and ends below those under its last one. Below all ink and marks is nothing.
    @LoopActor private func aPageIsCutBesideItsMarks(_ browser: Browser) async throws {
        let found: [[[Int]]] = try await browser.ask(
            """
            const { bandsOf } = modules["margins.js"];
            const told = (...marks) => {
              const [plain, chart] = [{ bands: [1000, 2000, 1, 6000, 10000, 2] }, { id: "marked" }];
              return bandsOf(chart, { plain, annotated: { ...plain, marks, src: `/${marks}-1.png` }, marked: true })
                .map(({ from, to, kind, isBare }) => [...[from, to].map((share) => Math.round(share * 10000)), kind ? 1 : 0, isBare ? 1 : 0]);
            };
            return [told(0, 1800, 100, 6100), told(0, 1100, 100, 1300), told(0, 500, 100, 9999)];
            """)
        #expect(
            found == [
                [[1000, 1800, 1, 1], [1800, 2000, 0, 0], [6000, 6100, 0, 0], [6100, 10_000, 1, 1]],
                [[1000, 1100, 0, 1], [1100, 1300, 0, 0], [1300, 2000, 1, 1], [6000, 10_000, 1, 1]],
                [[1000, 2000, 1, 0], [6000, 9999, 0, 0], [9999, 10_000, 1, 1]],
            ])
    }

    /// A layer was hidden: the page keeps its margins while its new image has not been drawn, and after that.
    @LoopActor private func aPageKeepsItsSizeUntilTheNextSong(_ browser: Browser) async throws {
        let left: [Int] = try await browser.ask(
            """
            const { forgetFormer, partOf } = modules["margins.js"];
            const leftOf = (src, ink) => {
              const annotated = { src, ink, width: 700, height: 1000 };
              return Math.round(1000 * partOf({ id: "layered", order: [0], pages: [{ plain: annotated, annotated, marked: true }] }, 0).left);
            };
            const [all, one] = ["/layered/0-annotated-a.png", "/layered/0-annotated-b.png"];
            const found = [leftOf(all, [1000, 1000, 9000, 9000]), leftOf(one, null), leftOf(one, [2000, 1000, 9000, 9000])];
            forgetFormer();
            return [...found, leftOf(one, [2000, 1000, 9000, 9000])];
            """)
        #expect(left == [94, 94, 94, 194])
    }

    /// Uses the same cases as the agent's own test.
    @LoopActor private func marksAreJoinedAsTheAgentDoes(_ browser: Browser) async throws {
        let wrong: [String] = try await browser.ask(
            """
            const { standing } = modules["ink-join.js"];
            const text = (list) => JSON.stringify(list.map((v) => JSON.stringify(Object.entries(v).sort())).sort());
            const isRight = ({ shown, also, deleted }, left) =>
              (left[0]?.mark ?? null) === shown &&
              JSON.stringify(left.slice(1).filter((value) => value.mark).map((value) => value.mark).sort()) === JSON.stringify([...also].sort()) &&
              text(left.filter((value) => !value.mark).map((value) => value.v)) === text(deleted);
            return JSON.parse(arguments[0]).filter((each) =>
              [...each.values.keys(), 0].some((turn) => !isRight(each, standing([...each.values.slice(turn), ...each.values.slice(0, turn)]))))
              .map((each) => each.name);
            """, [JoinCase.json])
        #expect(wrong == [])
    }

    /// Paints the marks of the cases that the agent's own test uses.
    @LoopActor private func marksHaveTheOutlinesThatTheAgentGivesThem(_ browser: Browser) async throws {
        let wrong: [String] = try await browser.ask(Self.outlines, [OutlineCase.json])
        #expect(wrong == [])
    }

    /// Records the painted shapes instead of painting them, and returns those that differ from the case.
    private static let outlines = """
        const { paintMark } = modules["mark-painter.js"];
        const near = (value) => Math.round(value * 1000) / 1000;
        const made = (mark) => {
          const pieces = [];
          let [path, dash, offset] = [{}, [], 0];
          const add = (more) => path.places.push(more);
          const paint = (color, alpha, more) => {
            const through = color.length > 7 ? parseInt(color.slice(7), 16) / 255 : 1;
            const { places, ...rest } = path;
            pieces.push({ ...(places ? { line: places } : rest), color: color.slice(0, 7), alpha: near(through * alpha), ...more });
          };
          paintMark({
            globalAlpha: 1, save() {}, restore() {}, closePath() {},
            beginPath() { path = { places: [] }; },
            moveTo(x, y) { add([near(x), near(y)]); },
            lineTo(x, y) { add([near(x), near(y)]); },
            rect(x, y, width, height) { path = { box: [[x, y], [width, height]] }; },
            arc(x, y, radius) { path = { line: [[x, y]], width: 2 * radius }; },
            setLineDash(lengths) { dash = lengths; },
            set lineDashOffset(length) { offset = length; },
            fill() { paint(this.fillStyle, this.globalAlpha); },
            stroke() {
              const dashed = dash.length > 0 ? { dash: dash.map(near), offset: near(offset) } : {};
              paint(this.strokeStyle, this.globalAlpha, { width: near(this.lineWidth), cap: this.lineCap, ...dashed });
            },
            fillText(line, x, y) {
              const ruler = new OffscreenCanvas(1, 1).getContext("2d");
              [ruler.font, ruler.textRendering] = [this.font.replace(/[0-9.]+px/, "2000px"), this.textRendering];
              const size = parseFloat(this.font);
              const top = y - ruler.measureText(line).fontBoundingBoxAscent / 2000 * size;
              path = { text: [[near(x), near(top)]], width: size };
              paint(this.fillStyle, this.globalAlpha);
            },
          }, mark, 200, 400);
          return pieces.map(oval);
        };
        // A line of many corners, all on an ellipse, counts as an ellipse.
        const oval = ({ line, ...rest }) => {
          if (!line || line.length < 100) return line ? { line, ...rest } : rest;
          const [xs, ys] = [0, 1].map((k) => line.map((at) => at[k]));
          const [left, top, right, bottom] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
          const far = ([x, y]) => Math.hypot((2 * x - left - right) / (right - left), (2 * y - top - bottom) / (bottom - top));
          return line.every((at) => Math.abs(far(at) - 1) < 1e-3) ? { oval: [[left, top], [right - left, bottom - top]], ...rest } : { line, ...rest };
        };
        const text = (pieces) => JSON.stringify(pieces.map((piece) => Object.entries(piece).sort()));
        return JSON.parse(arguments[0]).filter(({ mark, pieces }) => text(made(mark)) !== text(pieces))
          .map(({ name, mark }) => `${name}: ${JSON.stringify(made(mark))}`);
        """

    /// An edit may be saved after one with a higher number, so an image with the later edit may lack the other.
    @LoopActor private func inkDriesByTheStateThatHasItAndByNoOther(_ browser: Browser) async throws {
        let dried: [[String]] = try await browser.ask(
            """
            const { WetInk } = modules["ink-wet.js"];
            const pending = new Set(["early", "late", "waits"]);
            const layer = { states: {}, isPending: (id) => pending.has(id), mark: (id) => ({ id, page: 0 }), keptMark: () => null };
            const wet = new WetInk(layer);
            wet.note([...pending]);
            const keep = (id, states) => {
              pending.delete(id);
              layer.states = states;
              wet.note([id]);
            };
            const left = (shown) => {
              wet.dry(0, shown);
              return wet.on(0).map((entry) => entry.id);
            };
            keep("early", { own: 3, other: 1 });
            keep("late", { own: 4, other: 1 });
            const dried = [{}, { own: 9 }, { own: 2, other: 9 }, { own: 3, other: 1 }, { own: 3, other: 7 }, { own: 4, other: 1, third: 1 }].map(left);
            // The file of the other part is gone, so no image can show that part, and the ink must not wait for it.
            keep("waits", { own: 5, other: 1 });
            layer.states = { own: 6 };
            return [...dried, left({ own: 4 }), left({ own: 5 })];
            """)
        let (all, rest) = (["early", "late", "waits"], ["late", "waits"])
        #expect(dried == [all, all, all, rest, rest, ["waits"], ["waits"], []])
    }

    /// Decides the stage's next state once the images for a wish are here, or will not come.
    @LoopActor private func whatIsHereDecidesWhatIsShown(_ browser: Browser) async throws {
        let wrong: [String] = try await browser.ask(
            """
            const { arrivalOf } = modules["arrival.js"];
            const images = (text) => text.split(" ").map((each) => each === "-" ? null : {
              key: each, kind: each < "a" ? null : "older", position: Number(each[1]), place: { chart: each[0].toUpperCase(), item: "1" } });
            const told = ({ stage, isTold, condition, triesAgain }) =>
              [stage, isTold && "told", condition, triesAgain && "again"].filter(Boolean).join(" ");
            return arguments[0].split("\\n").filter((line) => {
              const [wish, needed, found, onStage, failure, answer] = line.split("|").map((each) => each.trim());
              const asked = { isSame: wish !== "other", isUnasked: wish === "unasked" };
              const isFinal = failure === "final";
              return told(arrivalOf(asked, images(needed), images(found), images(onStage), { isFinal })) !== answer;
            });
            """, [Self.table])
        #expect(wrong == [])
    }

    /// The first five columns are the wish, the images that the wish needs, the images that are here, the images on the stage, and the
    /// kind of failure. The last column is the result: the stage, whether the change is announced, the page's state, and whether the
    /// browser tries again. A letter stands for a chart and a number for a page; a small letter marks an older image, and "-" a
    /// missing one.
    private static let table = """
        other   | A1    | A1   | B1    |       | show told ready
        other   | A1    | a1   | B1    |       | show told ready again
        other   | A1    | -    | B1    |       | show told failed again
        other   | A1    | -    | B1    | final | show told failed
        other   | A1 A2 | A1 - | B1    |       | show told failed again
        same    | A1    | A1   | a1    |       | show told ready
        same    | A1    | a1   | A1    |       | show told ready again
        same    | A1    | -    | A1    |       | keep told ready again
        same    | A1    | -    | A1    | final | keep told ready
        same    | A1    | -    | -     |       | show told failed again
        same    | A1    | -    | A1 A2 |       | show told failed again
        same    | A1 A2 | A1 - | A1 A2 |       | keep told ready again
        same    | A1    | -    | B1    |       | show told failed again
        unasked | A1    | A1   | a1    |       | show told ready
        unasked | A1    | A1   | -     |       | show told ready
        unasked | A1    | a1   | a1    |       | keep ready again
        unasked | A1    | -    | -     |       | keep failed again
        unasked | A1    | -    | A1    |       | keep ready again
        """

    @LoopActor private func aSetSaysWhatItsFolderHasAndNoMidnight(_ browser: Browser) async throws {
        let words: [String] = try await browser.ask(
            """
            const { beginOf } = modules["times.js"];
            const held = { of: "1", owner: "your folder", charts: 2, chartsKept: 9, gone: [], new: [], items: [] };
            const firstTime = new Date(2026, 10, 29, 0, 0).toISOString();
            const [timed, allDay] = [false, true].map((allDay) => beginOf({ firstTime, allDay }));
            return [
              modules["plan-parts.js"].heldOf("set/1", held, () => null).querySelector("summary").textContent,
              String(timed !== null), String(allDay), String(beginOf({ firstTime: null, allDay: false })),
            ];
            """)
        #expect(words == ["Your folder has this plan with 2 charts instead of 9", "true", "null", "null"])
    }

    @LoopActor private func aPlanOfAsManyChartsSaysWhichAreOthers(_ browser: Browser) async throws {
        func words(_ charts: Int, _ kept: Int, gone: [String], new: [String]) async throws -> String {
            try await browser.ask(
                """
                const held = { of: "1", owner: "the service", charts: \(charts), chartsKept: \(kept), gone: \(gone), new: \(new), items: [] };
                return modules["plan-parts.js"].heldOf("1", held, () => null).querySelector("summary").textContent;
                """)
        }
        let start = "The service has this plan "
        #expect(
            try await words(9, 9, gone: ["Abide with Me"], new: ["Rock of Ages"]) == start
                + "with Rock of Ages instead of Abide with Me")
        #expect(try await words(9, 9, gone: [], new: []) == start + "otherwise, with the same charts")
        #expect(try await words(2, 9, gone: ["Abide with Me"], new: []) == start + "with 2 charts instead of 9")
    }
}
