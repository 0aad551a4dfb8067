import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

private let node = "/usr/bin/node"

/// Which version of its chart a mark names that is drawn or edited in a browser: the viewer's own modules decide, in node.
@Suite(.onLoop, .needs(.otherPrograms), .enabled(if: access(node, X_OK) == 0, "node is not installed: apt-get install nodejs"))
struct MadeOnTests {
    private static let charts = """
        const [a, b] = ["a".repeat(16), "b".repeat(16)];
        const stroke = (x, more) => ({ id: "m", page: 0, kind: "pen", points: [[x, 0.2], [0.3, 0.25, 0.002]], ...more });
        """

    /// Runs a script with the modules of a layer in a browser, and with an agent that answers what the script says and keeps what it is sent.
    @LoopActor private func answer<Answer: Decodable>(_ script: String, as _: Answer.Type = Answer.self) async throws -> Answer {
        let folder = TemporaryFolder()
        let modules = try #require(Repository.module("DrawingPages", in: "Sources"))
        for name in ["ink-clock.js", "ink-join.js", "ink-layer.js", "made-on.js"] {
            let text = try AtomicFile.read("\(modules)/assets/6-drawing/\(name)", limit: 1 << 20)
            try AtomicFile.write(String(decoding: text, as: UTF8.self), to: folder.path(name))
        }
        let others = [
            "package.json": #"{"type":"module"}"#, "events.js": "export const on = () => {};",
            "ink-store.js": "export const [forget, keep, listen, waiting] = [() => {}, () => true, () => {}, () => new Map()];",
            "ink-waiting.js": "export const reportWaiting = () => {};",
            "api.js": """
            const empty = { tag: "", ink: {}, marks: [], also: [], deleted: [] };
            export const agent = { answer: empty, sent: [] };
            export const api = {
              ink: async () => ({ ...empty, ...agent.answer }),
              async sendInk(chart, { marks }) {
                agent.sent.push(...marks);
                return { ...empty, ...agent.answer, marks };
              },
            };
            """,
            "script.js": """
            import { agent } from "./api.js";
            import { layerOf } from "./ink-layer.js";
            import { boundTo, chartOf } from "./made-on.js";
            \(Self.charts)
            const told = await (async () => {
            \(script)
            })();
            console.log(JSON.stringify(told));
            """,
        ]
        for (name, text) in others { try AtomicFile.write(text, to: folder.path(name)) }
        let result = try await Program.run(node, [folder.path("script.js")])
        try #require(result.exit == .code(0), "\(result.messages)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    @Test @LoopActor func bothSidesComputeTheSameSum() async throws {
        let numbers = [0, 0.1, -0.00001, 0.000005, -0.000015, 1, 0.123456789, 12.5, -3, 1e9, 1e300]
        let made = numbers.enumerated().map { number, x in
            var mark = Mark(id: "m\(number)", page: PageIndex(number), kind: .pen, points: [Mark.Point(x: x, y: 1 - x)])
            mark.points.append(Mark.Point(x: x / 3, y: x * 7, width: 0.002))
            mark.on = "0123456789abcdef"
            return mark
        }
        let text = String(decoding: try JSONEncoder().encode(made), as: UTF8.self)
        let known: [String?] = try await answer("return \(text).map((mark) => chartOf(mark) ?? null);")
        #expect(known == made.map(\.on))
        let bound: [Mark] = try await answer("return \(text).map(({ on, ...mark }) => boundTo({ ...mark, on: a }, null));")
        #expect(bound.map(\.on) == made.map { _ in String(repeating: "a", count: 16) })
    }

    /// A new mark names the chart on which it was begun. One that was moved was put there on the chart that is shown or, if its coordinates
    /// are not of that one, on the chart of its coordinates.
    @Test @LoopActor func anEditedMarkNamesTheChartOfItsCoordinates() async throws {
        let charts: [String?] = try await answer(
            """
            const made = boundTo(stroke(0.1, { on: a }), null, b);
            const moved = { ...made, points: stroke(0.5).points };
            const edits = [
              made, boundTo({ ...made, color: "#ff0000" }, made, b), boundTo(moved, made, b), boundTo(moved, made), boundTo(made, moved, b),
              boundTo(stroke(0.5, { on: a }), made, b), boundTo(stroke(0.5), stroke(0.1), b), boundTo(stroke(0.1), stroke(0.1), b),
            ];
            return edits.map((mark) => chartOf(mark)?.[0] ?? null);
            """)
        #expect(charts == ["a", "a", "b", "a", "a", "a", "b", nil])
    }

    @Test @LoopActor func whatAnotherProgramMovedNamesNoChart() async throws {
        let charts: [String?] = try await answer(
            """
            const made = boundTo(stroke(0.1, { on: a }), null);
            const moved = { ...made, page: 1 };
            const later = { ...moved, points: stroke(0.5).points };
            return [moved, boundTo(moved, moved, b), boundTo(later, moved), boundTo(later, moved, b)].map((mark) => chartOf(mark)?.[0] ?? null);
            """)
        #expect(charts == [nil, nil, nil, "b"])
    }

    /// The agent has a newer version already, and has answered where the mark is there.
    @Test(arguments: [("a", "b"), ("b", "b")]) @LoopActor
    func aMarkThatIsMovedOnAFormerVersionStaysAMarkOfTheNewOne(shown: String, wanted: String) async throws {
        let sent: [String?] = try await answer(
            """
            agent.answer = { chart: b, marks: [boundTo(stroke(0.1, { on: b, v: { d: 1 } }), null)] };
            const layer = layerOf("chart");
            await layer.read();
            layer.edit([["m", { ...layer.mark("m"), points: stroke(0.5).points }]], { shown: \(shown) });
            layer.edit([["n", stroke(0.5, { id: "n", on: a })]], { shown: \(shown) });
            await layer.read();
            return agent.sent.map((mark) => chartOf(mark)?.[0] ?? null);
            """)
        #expect(sent == [wanted, "a"])
    }

    /// The mark has not followed yet: its coordinates are of the version on which it was made.
    @Test(arguments: [("a", "a"), ("b", "b")]) @LoopActor
    func aMarkThatIsNotFollowedYetIsPutOnTheVersionThatIsShown(shown: String, wanted: String) async throws {
        let sent: [String?] = try await answer(
            """
            agent.answer = { chart: b, marks: [boundTo(stroke(0.1, { on: a, v: { d: 1 } }), null)] };
            const layer = layerOf("chart");
            await layer.read();
            layer.edit([["m", { ...layer.mark("m"), points: stroke(0.5).points }]], { shown: \(shown) });
            await layer.read();
            return agent.sent.map((mark) => chartOf(mark)?.[0] ?? null);
            """)
        #expect(sent == [wanted])
    }
}
