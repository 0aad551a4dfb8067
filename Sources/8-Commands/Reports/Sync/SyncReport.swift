package import Agent
package import CommandLine
import Host
package import Model
package import Platform
package import Readiness
package import Sync

/// What a sync achieved, and what that means for someone who wants to play from it.
package struct SyncReport {
    package let outcome: PollOutcome
    package let table: PlanTable
    /// How many charts are here, including those of plans that are not upcoming.
    let chartsHere: Int
    /// Whether the synced plans are ready, by the rules of 'woodshed ready'.
    package let verdict: ReadinessVerdict
    package let tally: Tally
    package let seconds: Double

    /// Whether everything arrived, and if not, whether there is something to go on with.
    package var code: ExitCode {
        Self.code(outcome.reach, isComplete: outcome.isComplete && isReady, chartsHere: chartsHere)
    }

    /// Whether nothing is missing, which is also so if no plan is upcoming.
    package var isReady: Bool { verdict.report.isReady && verdict.isYoung && verdict.isTimeKnown }

    package init(
        outcome: PollOutcome, table: PlanTable, chartsHere: Int, readiness: ReadinessReport, tally: Tally, seconds: Double
    ) {
        self.chartsHere = chartsHere
        self.outcome = outcome
        self.table = table
        verdict = ReadinessVerdict(report: readiness, maxAge: ReadinessVerdict.defaultMaxAge)
        self.tally = tally
        self.seconds = seconds
    }

    /// Makes the report once an agent has done its work.
    @LoopActor
    package init(_ outcome: PollOutcome, of agent: Agent, tally before: Tally = Tally(), seconds: @LoopActor () -> Double) async throws {
        let readiness = try await agent.readiness()
        self.init(
            outcome: outcome, table: try await agent.planTable(), chartsHere: try agent.chartsHere, readiness: readiness,
            tally: agent.tally.since(before),
            seconds: seconds())
    }

    /// Prints the outcome for people: a summary, and what is missing. Leaves out what a setback already says, and mark files that the
    /// user was `warned` about.
    package func tell(on output: Output, besides warned: [String] = []) {
        output.message(table.summary(tally))
        let lacks = self.lacks(besides: warned)
        for lack in lacks.prefix(Self.mostNamed) { output.warning(lack.printable) }
        if lacks.count > Self.mostNamed {
            output.warning("and \(lacks.count - Self.mostNamed) more; '\(woodshed("ready --plan all"))' lists them")
        }
    }

    private static let mostNamed = 8

    /// What is missing, a sentence each, leaving out what a setback already says; a wrong clock comes first.
    private func lacks(besides warned: [String] = []) -> [String] {
        let faults = verdict.report.lacks.compactMap { lack in
            if case .marksUnreadable(let path, let fault, _) = lack { "\(path) \(fault)" } else { nil }
        }
        let told = outcome.setbacks.map(\.message) + faults.filter { fault in warned.contains { $0.hasPrefix(fault) } }
        return [verdict.clockDoubt].compactMap(\.self) + verdict.lacks.filter { lack in !told.contains { lack.contains($0) } }
    }

    package static func code(_ reach: PollOutcome.Reach, isComplete: Bool, chartsHere: Int) -> ExitCode {
        switch reach {
        case .notAuthorised: .notAuthorised
        case .offline: chartsHere > 0 ? .offline : .failed
        case .reached where isComplete: .fine
        // Something went wrong; whether in part or altogether depends on whether charts are here.
        case .reached: chartsHere > 0 ? .notReady : .failed
        }
    }

    package var json: JSONText {
        [
            "reach": .text("\(outcome.reach)"), "ready": .boolean(isReady), "changes": .list(outcome.changes.map(\.json)),
            "setbacks": .list(outcome.setbacks.map { ["subject": .text($0.subject), "message": .text($0.message)] }),
            "lacks": .list(lacks().map { .text($0) }), "plans": .integer(table.plans), "charts": .integer(table.charts),
            "pages": .integer(table.pages),
            "images": .integer(table.images), "missing": .integer(table.wanted - table.images),
            "downloaded": .integer(tally.downloaded), "bytes": .integer(tally.bytes), "rendered": .integer(tally.rendered),
            "failed": .integer(tally.failed), "seconds": .number((seconds * 1000).rounded() / 1000),
        ]
    }
}

extension Tally {
    /// What was done since `before`.
    package func since(_ before: Tally) -> Tally {
        var difference = self
        difference.downloaded -= before.downloaded
        difference.rendered -= before.rendered
        difference.bytes -= before.bytes
        return difference
    }
}
