import Agent
import Model

/// What came of a sync, and what it means for whoever wants to play from it.
struct SyncReport {
    let outcome: PollOutcome
    let table: PlanTable
    let tally: Tally
    let seconds: Double

    /// Whether everything came, and if not, what there is to go on with.
    var code: ExitCode {
        Self.code(
            outcome.reach, isComplete: outcome.isComplete && table.isComplete && tally.failed == 0, chartsHere: table.charts)
    }

    static func code(_ reach: PollOutcome.Reach, isComplete: Bool, chartsHere: Int) -> ExitCode {
        switch reach {
        case .notAuthorised: .notAuthorised
        case .offline: chartsHere > 0 ? .offline : .failed
        case .reached where isComplete: .fine
        // Something went wrong; whether that is a part or all of it shows in what is here.
        case .reached: chartsHere > 0 ? .notReady : .failed
        }
    }

    var json: JSONText {
        [
            "reach": .text("\(outcome.reach)"), "changes": .list(outcome.changes.map(\.json)),
            "setbacks": .list(outcome.setbacks.map { ["subject": .text($0.subject), "message": .text($0.message)] }),
            "plans": .integer(table.plans), "charts": .integer(table.charts), "pages": .integer(table.pages),
            "images": .integer(table.images), "missing": .integer(table.wanted - table.images),
            "downloaded": .integer(tally.downloaded), "bytes": .integer(tally.bytes), "rendered": .integer(tally.rendered),
            "failed": .integer(tally.failed), "seconds": .number((seconds * 1000).rounded() / 1000),
        ]
    }
}
