import FoundationEssentials
import Glibc
import Library
import Model
import Platform
import TestSupport
import Testing

/// `woodshed why`, `layers` and `accept`, as built, while a demo's chart is replaced.
@Suite(.onLoop, .serialized)
struct WhyTests {
    private struct Story: Decodable {
        struct Layer: Decodable {
            let name: String, marks: Int, shown: Bool, older: Bool
        }
        let chart: String, pages: Int?, drawn_as: String, layers: [Layer], image: String, condition: String, missing_because: String?
    }

    private let home = TemporaryFolder()
    private let riverside = "79073904"

    @LoopActor
    private func run(_ words: String...) async throws -> Program.Result {
        try await Program.run("woodshed", words + ["--home", home.path], environment: sizes)
    }
    private let sizes = ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"]

    @LoopActor
    private func why(_ page: String, exit: Int32 = 0) async throws -> Story {
        let result = try await run("why", riverside, page, "--json")
        #expect(result.exit == .code(exit), "\(result.messages)")
        return try JSONDecoder().decode(Story.self, from: Data(result.output.utf8))
    }

    @Test @LoopActor func itTellsWhatBecameOfAnImage() async throws {
        #expect(try await run("demo", "--once").exit == .code(0))
        let story = try await why("1")
        #expect(story.pages == 2 && story.drawn_as == "annotated" && story.condition == "whole")
        #expect(story.layers.map(\.name).contains("chord ideas") && story.layers.allSatisfy { $0.shown && $0.marks > 0 && !$0.older })
        let text = try await run("why", riverside, "1").output
        #expect(text.contains("'chord ideas' by Ada Player: 3 marks") && text.contains("It was last made on"), "\(text)")

        #expect(try await run("layers", riverside, "--hide", "chord").exit == .code(0))
        let hidden = try await why("1", exit: 3)
        #expect(hidden.condition == "missing" && hidden.missing_because == "never-made")
        #expect(hidden.layers.first { $0.name == "chord ideas" }?.shown == false)
        #expect(try await run("layers", riverside, "--show", "chord").exit == .code(0))
        #expect(try await why("1").image == story.image)

        // The image is cut off while no agent runs, so no agent can repair the image before the command.
        #expect(truncate(story.image, 500) == 0)
        #expect(try await why("1", exit: 3).condition == "damaged")
        #expect(access(story.image, F_OK) == 0, "it reads, and removes nothing")
        unlink(story.image)
        #expect(try await why("1", exit: 3).missing_because == "vanished")
        // Without 'chord ideas', the page is another image.
        #expect(try await run("layers", riverside, "--hide", "chord").exit == .code(0))
        #expect(try await run("demo", "--once").exit == .code(0))
        let without = try await run("why", riverside, "1").output
        #expect(without.contains("Hidden, so not drawn:\n    'chord ideas' by Ada Player") && !without.contains(story.image), "\(without)")
        let beyond = try await run("why", riverside, "3")
        #expect(beyond.exit == .code(1) && beyond.messages.contains("has 2 pages, but no page 3"), "\(beyond.messages)")
    }

    @Test @LoopActor func marksOnAReplacedChartAreFlaggedUntilAccepted() async throws {
        let demo = try Program("woodshed", ["demo", "--home", home.path], environment: sizes)
        try await waitUntil { try demo.messagesSoFar().contains("Ctrl-C") }
        let before = try await why("1")
        #expect(try await run("demo", "edit", "replace-chart", riverside, "79073902").exit == .code(0))
        try await waitUntil { try demo.messagesSoFar().contains("Synced: 1 chart downloaded") }

        // The new chart has only one page, which looks different.
        let after = try await why("1")
        #expect(after.chart != before.chart && after.pages == 1)
        #expect(after.layers.map(\.name) == before.layers.map(\.name) && after.layers.allSatisfy(\.older))
        let layers = try await run("layers", riverside).output
        #expect(layers.contains("made on an older version of this chart, on pages 1 and 2"), "\(layers)")
        let old = home.path("data/charts/\(before.chart).pdf")
        #expect(layers.contains(old) && access(old, R_OK) == 0)
        let plans = try await run("plans").output
        #expect(plans.contains("Down by the Riverside.pdf: marks made on an older version of this chart on pages 1 and 2"), "\(plans)")
        #expect(try await run("log").output.contains("marks made on an older version of 'Down by the Riverside' are on pages 1 and 2"))

        // The demo's agent runs during all of this.
        let accepted = try await run("accept", riverside)
        #expect(accepted.exit == .code(0), "\(accepted.messages)")
        #expect(try await why("1").layers.allSatisfy { !$0.older })
        #expect(try await !run("plans").output.contains("older version"))
        demo.child.kill(SIGINT)
        #expect(try await demo.result().exit == .code(0))
    }
}
