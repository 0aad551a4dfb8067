import Foundation
import Glibc
import Platform
import TestSupport
import Testing

private let node = "/usr/bin/node"

/// Which jump is next, where it leads, and which pages stand side by side: the viewer's own modules decide, in node.
@Suite(.onLoop, .needs(.otherPrograms), .enabled(if: access(node, X_OK) == 0, "node is not installed: apt-get install nodejs"))
struct JumpsTests {
    /// Runs a script with the modules of the stage that need no page, and returns the value that it gives.
    @LoopActor private func answer<Answer: Decodable>(_ script: String, as _: Answer.Type = Answer.self) async throws -> Answer {
        let folder = TemporaryFolder()
        let modules = try #require(Repository.module("ReadingPages", in: "Sources"))
        for name in ["cuts.js", "layout.js", "jumps.js"] {
            let text = try AtomicFile.read("\(modules)/assets/4-stage/\(name)", limit: 1 << 20)
            try AtomicFile.write(String(decoding: text, as: UTF8.self), to: folder.path(name))
        }
        try AtomicFile.write(#"{"type":"module"}"#, to: folder.path("package.json"))
        let whole = """
            import { Trail, jumpsAt, nextJump, passOf, positionOf, viewAt } from "./jumps.js";
            import { stopsOf } from "./layout.js";
            const jump = (id, page, y, to, pass) => ({ id, page, x: 0.5, y, to: { page: to[0], x: 0.1, y: to[1] }, ...(pass && { pass }) });
            const told = (() => {
            \(script)
            })();
            console.log(JSON.stringify(told));
            """
        try AtomicFile.write(whole, to: folder.path("script.js"))
        let result = try await Program.run(node, [folder.path("script.js")])
        try #require(result.exit == .code(0), "\(result.messages)")
        return try JSONDecoder().decode(Answer.self, from: Data(result.output.utf8))
    }

    /// From the sign to the coda: the jump to the coda is for the second time, which comes with the jump back over it.
    @Test @LoopActor func aJumpForTheSecondTimeIsNextOnceAJumpHasLedBackOverIt() async throws {
        let next: [String?] = try await answer(
            """
            const jumps = [jump("dal segno", 2, 0.9, [0, 0.4]), jump("to coda", 1, 0.5, [3, 0.1], 2)];
            const order = [0, 1, 2, 3];
            const taken = [];
            const next = (position) => nextJump(jumpsAt(jumps, order, position), { position, y: 0 }, taken)?.id ?? null;
            const before = [next(1), next(2)];
            const [{ position, y, to }] = jumpsAt(jumps, order, 2);
            taken.push({ from: { position, y }, to });
            return [...before, next(1), next(2)];
            """)
        #expect(next == [nil, "dal segno", "to coda", "dal segno"])
    }

    @Test @LoopActor func onlyWhatLiesBetweenBothEndsOfAJumpBackIsPlayedOnceMore() async throws {
        let passes: [Int] = try await answer(
            """
            const [first, last] = [{ position: 1, y: 0.2 }, { position: 2, y: 0.8 }];
            const back = { from: last, to: first };
            const at = (position, y, ...taken) => passOf({ position, y }, taken);
            return [
              at(1, 0.1, back), at(1, 0.2, back), at(2, 0.1, back), at(2, 0.8, back), at(2, 0.9, back), at(2, 0.1, back, back),
              at(2, 0.1, { from: first, to: last }), passOf({ position: 2, y: 0.1, song: "another" }, [{ ...back, song: "this" }]),
            ];
            """)
        #expect(passes == [1, 2, 2, 2, 1, 3, 1, 1])
    }

    /// The sign of a first ending may stand a finger's breadth lower than the jump at its end.
    @Test @LoopActor func withinALineOfMusicWhatIsFartherLeftComesFirst() async throws {
        let passes: [Int] = try await answer(
            """
            const back = { from: { position: 0, x: 0.9, y: 0.5 }, to: { position: 0, x: 0.1, y: 0.505 } };
            return [[0.6, 0.51], [0.95, 0.5], [0.05, 0.5], [0.6, 0.45]].map(([x, y]) => passOf({ position: 0, x, y }, [back]));
            """)
        #expect(passes == [2, 1, 1, 1])
    }

    @Test @LoopActor func theNextJumpIsTheFirstBelowTheMusician() async throws {
        let next: [String] = try await answer(
            """
            const jumps = jumpsAt([jump("low", 0, 0.9, [1, 0]), jump("high", 0, 0.1, [1, 0]), jump("gone", 0, 0.5, [7, 0])], [0, 1], 0);
            return [0, 0.1, 0.2, 0.95].map((y) => nextJump(jumps, { position: 0, y }, []).id);
            """)
        #expect(next == ["high", "high", "low", "high"], "and no jump leads to a page that is not in the order")
    }

    /// An item's own order may have a page twice.
    @Test @LoopActor func aJumpLeadsToTheNearestPlaceThatItsPageHasInTheOrder() async throws {
        let positions: [Int] = try await answer(
            "return [positionOf([0, 1, 0, 1, 2], 1, 4), positionOf([0, 1, 0, 1, 2], 1, 0), positionOf([0, 1], 5)];")
        #expect(positions == [3, 1, -1])
    }

    @Test @LoopActor func backAndForwardLeadAsInBrowsers() async throws {
        let places: [String?] = try await answer(
            """
            const trail = new Trail();
            trail.leave("A");
            trail.leave("B");
            const found = [trail.back("C"), trail.back("B"), trail.back("A"), trail.again("A"), trail.again("B"), trail.again("C")];
            trail.back("C");
            trail.leave("B");
            return [...found, trail.again("D"), trail.back("D"), trail.back("B")];
            """)
        #expect(places == ["B", "A", nil, "B", "C", nil, nil, "B", "A"])
    }

    /// A place in the white above a system belongs to that system; above the first one is the top of the page.
    @Test @LoopActor func aDestinationsViewBeginsWithItsSystem() async throws {
        let tops: [Int] = try await answer(
            """
            const bands = [[0, 50, "system"], [200, 250, "system"], [400, 450, "system"], [600, 650, "end"]]
              .map(([from, to, kind]) => ({ from: from / 700, to: to / 700, kind, isBare: true }));
            const slot = { x: 0, y: 0, width: 500, height: 700 };
            return [...[0, 60, 210, 230, 500, 690].map((y) => viewAt([{ bands, slot }], y)), viewAt([{ bands: null, slot }], 300)];
            """)
        #expect(tops == [0, 42, 42, 242, 442, 442, 292])
    }

    @Test @LoopActor func aStopBeginsWithThePageThatWasTurnedTo() async throws {
        let stops: [[[Int]]] = try await answer(
            """
            const pages = Array.from({ length: 5 }, () => ({ width: 210, height: 297 }));
            const chart = { order: [0, 1, 2, 3, 4], pages };
            const partOf = () => ({ left: 0, top: 0, right: 1, bottom: 1 });
            return [null, 1, 2, 3].map((from) => stopsOf(chart, { width: 1600, height: 900 }, { spread: "two", fit: "page", partOf, from }));
            """)
        #expect(
            stops == [
                [[0, 1], [2, 3], [4]], [[0], [1, 2], [3, 4]], [[0, 1], [2, 3], [4]], [[0, 1], [2], [3, 4]],
            ])
    }
}
