import Agent
import Catalogue
import ChartFiles
import Library
import Model
import PageCache
import PlanningCenter
import Platform
import Rendering
import TestSupport

@testable import Sync

/// One run of the agent, from its start until it ends or is killed.
@LoopActor
final class Life {
    let clock: LifeClock
    let library: Library
    let cache: PageCache
    let renderer: SimulatedRenderer
    let witness: Witness
    let agent: Agent
    /// The result of the last regular poll.
    var lastOutcome: PollOutcome?
    private let events = SimulatedFileEvents()
    let machine = SimulatedSurroundings()
    private let simulation: Simulation

    /// Starts from the last life's state in `folder`.
    init(in folder: String, _ simulation: Simulation) throws {
        self.simulation = simulation
        let trace = simulation.trace
        let clock = LifeClock(simulation.clock) { [unowned simulation] in simulation.clockError }
        self.clock = clock
        // The program does the same with a read-only disk.
        library = try simulation.isDiskLocked ? Library(inMemoryFrom: folder + "/data") : Library(folder: folder + "/data")
        cache = try PageCache(folder: folder + "/cache", side: SideThread(inline: true)) {
            LoopActor.assumeIsolated { clock.timestamp }
        }
        // The program does the same while it holds the lock.
        try cache.removeAbandoned()
        renderer = SimulatedRenderer(tag: simulation.tag, width: simulation.width, clock: clock)
        witness = Witness(simulation)
        let client =
            Simulation.hasAccount(simulation.seed)
            ? PlanningCenterClient(
                account: Account(
                    apiURL: SmallService.api, annotationsURL: SmallService.annotations, credentials: Secret("id:secret"), userAgent: "test"),
                choice: simulation.choice, transport: Line(clock, simulation), time: clock,
                log: Log { _, text in trace.note("service: \(text)") },
                randomness: SeededRandomness(seed: simulation.seed), side: SideThread(inline: true)) : nil
        agent = Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: renderer, service: client, time: clock,
                log: Log { level, text in trace.note("\(level): \(text)") }, fileEvents: events),
            settings: simulation.settings)
        agent.onAstray { [weak self] () throws(LibraryError) in
            guard let self else { return }
            _ = try library.leave(at: clock.timestamp)
            simulation.beginAnew(after: self)
        }
        witness.watch(self)
    }

    func begin() {
        agent.beginUpkeep()
        simulation.music.events = events
        agent.beginPolling(in: machine) { [weak self] outcome in
            self?.simulation.trace.note("poll: \(outcome.isComplete ? "complete" : "\(outcome.setbacks.map(\.description))")")
            self?.lastOutcome = outcome
            self?.noteTold(by: outcome)
            await self?.agent.backUpCatalogue()
            if let simulation = self?.simulation, simulation.wasTricked {
                simulation.wasTricked = false
                try? await simulation.checkReadiness()
            }
        }
    }

    /// Reports a change that somebody made in the cache.
    func tell(_ event: FileEvent) { events.send(event) }

    /// Checks that the catalogue records whether the poll failed, and counts the answers of a complete poll as known. An agent with a
    /// read-only disk keeps everything in memory, so commands then see an older catalogue, and this poll does not count.
    func noteTold(by outcome: PollOutcome) {
        if !outcome.isCancelled, library.isInPlace, let failing = try? library.service.failingPolls {
            if outcome.isComplete { simulation.complain("after a complete poll it is said that polls fail: \(failing.reason)") }
        } else if !outcome.isCancelled, library.isInPlace, !outcome.hasList || !outcome.hasMarks || outcome.reach != .reached {
            simulation.complain("nothing is said of what a poll met: \(outcome.setbacks)")
        }
        if outcome.isComplete, !library.isOnlyInMemory { simulation.truth.pollEnded() }
    }

    /// Ends the agent like a signal that cannot be caught: no part of it continues, and nothing is cleaned up.
    func kill() {
        clock.die()
        events.stop()
        machine.stop()
        library.close()
        simulation.music.events = nil
    }

    func end() async {
        simulation.music.events = nil
        await agent.stop()
    }

    /// Ends the remaining tasks of a killed agent, once the run is over.
    func bury() async {
        clock.letGo()
        await agent.stop()
    }
}
