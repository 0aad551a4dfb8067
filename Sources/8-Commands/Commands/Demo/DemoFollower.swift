import Agent
import CommandLine
import Host
import Platform
import Sync

/// Follows edits at the stand-in for as long as the demo runs: after each edit, the agent polls.
@LoopActor
final class DemoFollower {
    private let output: Output
    private var assembly: AgentAssembly?
    private var isDue = false
    private var isBusy = false

    init(output: Output) {
        self.output = output
    }

    /// Begins to follow; an edit that came earlier is followed up at once.
    func follow(_ assembly: AgentAssembly) {
        self.assembly = assembly
        act()
    }

    /// Takes note of an edit.
    func note(_ change: String) {
        output.message("At the service: \(change)")
        isDue = true
        act()
    }

    private func act() {
        guard let assembly, isDue, !isBusy else { return }
        let agent = assembly.agent
        isBusy = true
        spawn { [self] in
            while isDue {
                isDue = false
                let before = agent.tally
                let outcome = await agent.poll()
                await agent.settled()
                assembly.tidy(after: outcome)
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
