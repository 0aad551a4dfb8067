import Agent
import Platform

/// Follows what is edited at the stand-in while the demo stays: each edit is a request to poll.
@LoopActor
final class DemoFollower {
    private let output: Output
    private var agent: Agent?
    private var isDue = false
    private var isBusy = false

    init(output: Output) {
        self.output = output
    }

    /// Begins to follow; an edit that came before is followed at once.
    func follow(_ agent: Agent) {
        self.agent = agent
        act()
    }

    /// Takes note of an edit.
    func note(_ change: String) {
        output.message("At the service: \(change)")
        isDue = true
        act()
    }

    private func act() {
        guard let agent, isDue, !isBusy else { return }
        isBusy = true
        spawn { [self] in
            while isDue {
                isDue = false
                let before = agent.tally
                let outcome = await agent.poll()
                await agent.settled()
                for setback in outcome.setbacks { output.warning("\(setback)") }
                let charts = agent.tally.downloaded - before.downloaded
                let images = agent.tally.rendered - before.rendered
                output.message(
                    "Synced: \(charts.counted("chart")) downloaded, \(images.counted("image")) rendered.")
            }
            isBusy = false
        }
    }
}
