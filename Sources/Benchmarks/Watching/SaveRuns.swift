import Agent
import BenchmarkCorpus
import Model
import Platform

/// Saves while an agent is watching, and how long their effects took, in milliseconds.
struct SaveRuns: Codable, Sendable {
    /// Until the loop knew about it.
    var detected: [Double] = []
    /// Until the new image had its name.
    var imaged: [Double] = []
    var peakMebibytes = 0.0

    /// How many marks are added to a layer before it starts again with none.
    private static let mostMarks = 20

    /// Saves files for no chart one after the other while the agent is still reading the earlier ones; then files for a chart, each
    /// after the image of the previous one was made.
    @LoopActor
    mutating func measure(
        _ agent: Agent, _ events: TimedEvents, _ tree: MarkTree, _ attachment: AttachmentID, saves: Int, clock: any TimeKeeper
    ) async throws {
        let side = SideThread()
        var generator = SampleGenerator(seed: 6)
        for save in 0..<saves {
            let file = Int.random(in: tree.others, using: &generator)
            let arrival = Arrival(clock)
            events.expect(tree.path(file), by: arrival)
            let saved = try await side.run { () throws(SystemError) in
                try MarkTree.save(tree.other(file, revision: save + 1), to: tree.path(file), inPlace: save % 2 == 0)
            }
            detected.append(try await arrival.wait(for: "news of \(tree.path(file))") - saved)
            // At a different moment in the agent's other work each time.
            try await clock.sleep(for: .microseconds(Int.random(in: 2000...20_000, using: &generator)))
        }
        await agent.settled()
        for save in 0..<saves {
            let path = tree.path(save % MarkTree.matched)
            let (rendered, arrival) = (agent.tally.rendered, Arrival(clock))
            agent.onProgress { [weak agent] _ in if let agent, agent.tally.rendered > rendered { arrival.come() } }
            let first = save / MarkTree.matched / Self.mostMarks * Self.mostMarks
            let marks = (first...save / MarkTree.matched).map { MarkTree.mark($0 * MarkTree.matched + save % MarkTree.matched + 1) }
            let saved = try await side.run { () throws(SystemError) in
                try MarkTree.save(MarkTree.layer(of: attachment, marks), to: path, inPlace: save % 2 == 0)
            }
            imaged.append(try await arrival.wait(for: "the image after save \(save + 1)") - saved)
            await agent.settled()
            guard agent.tally.rendered == rendered + 1 else {
                throw BenchmarkFailure("a save made \(agent.tally.rendered - rendered) images")
            }
        }
    }
}
