import Agent
import CommandLine
import Host
import JSON
import Model
import Platform
import Readiness
import Sync

/// The result of a sync, and what it means for a musician who wants to play from it.
struct SyncReport: Answer {
    let outcome: PollOutcome
    let table: PlanTable
    /// How many charts are here, including those of plans that are not upcoming.
    let chartsHere: Int
    /// The verdict by the rules of 'woodshed ready'.
    let verdict: ReadinessVerdict
    let tally: Tally
    let seconds: Double
    /// The unreadable mark files that the user was already warned about during the sync.
    var warned: Set<String> = []
    /// Whether the user was already named that there is no room for images.
    var isRoomTold = false

    /// The exit code, which says whether the service was reached and accepted the token, whether everything arrived, and if not,
    /// whether there are charts to play from.
    var code: ExitCode {
        Self.code(outcome.reach, isComplete: outcome.isComplete && isReady, chartsHere: chartsHere)
    }

    /// Whether nothing is missing, the service has answered recently enough, and the clock is right. Also `true` if no plan is upcoming.
    var isReady: Bool { verdict.report.isReady && verdict.isYoung && verdict.isTimeKnown }

    @LoopActor
    static func of(
        _ agent: Agent, after outcome: PollOutcome, tally before: Tally = Tally(), seconds: @LoopActor () -> Double
    ) async throws -> SyncReport {
        let verdict = ReadinessVerdict(report: try await agent.readiness(), maxAge: ReadinessVerdict.defaultMaxAge)
        return SyncReport(
            outcome: outcome, table: try await agent.planTable(), chartsHere: try agent.chartsHere, verdict: verdict,
            tally: agent.tally.since(before), seconds: seconds())
    }

    /// Prints a summary, and up to eight things that are missing, without those that setbacks and earlier warnings named already.
    func print(on output: Output) {
        // Nothing is here of a plan that could not be fetched, and a count of nothing says less than the warning about it.
        if table.plans > 0 || outcome.setbacks.isEmpty { output.message(table.summary(tally)) }
        let lacks = self.lacks(besides: warned, isRoomTold)
        for lack in lacks.prefix(Self.mostNamed) { output.warning(lack.printable) }
        if lacks.count > Self.mostNamed {
            output.warning("and \(lacks.count - Self.mostNamed) more; '\(woodshed("ready --plan all"))' lists them")
        }
    }

    private static let mostNamed = 8

    /// A sentence for each thing that is missing, without those that a setback or a warning named already. If the clock seems to be
    /// wrong, a sentence on that comes first.
    private func lacks(besides warned: Set<String>, _ isRoomTold: Bool = false) -> [String] {
        let named = Set(outcome.setbacks.map(\.message))
        let others = verdict.lacks { lack in
            if case .marksUnreadable(let path, _, _) = lack { return !warned.contains(path) }
            return !lack.isTold(by: named) && !(isRoomTold && lack.isOfRoom)
        }
        return [verdict.clockDoubt].compactMap(\.self) + others
    }

    static func code(_ reach: PollOutcome.Reach, isComplete: Bool, chartsHere: Int) -> ExitCode {
        switch reach {
        case .notAuthorised: .notAuthorised
        case .offline: chartsHere > 0 ? .offline : .failed
        case .reached where isComplete: .fine
        // Something went wrong. The sync counts as failed altogether only if no charts are here.
        case .reached: chartsHere > 0 ? .notReady : .failed
        }
    }

    /// The JSON of `woodshed sync`.
    static let form = JSONForm<SyncReport>(
        otherwise: [("ready", false)], tellsProgress: true,
        [
            .init("reach", "reached, offline or notAuthorised") { "\($0.outcome.reach)" },
            .init("ready", "whether all upcoming plans are ready now, as 'woodshed ready --plan all' has it", \.isReady),
            .list("changes", of: LibraryChange.form(kind: "what changed, as in 'woodshed log --json'")) { $0.outcome.changes },
            .list("setbacks", of: Setback.form) { $0.outcome.setbacks },
            .init("lacks", "what else is missing before all is ready, in words") { $0.lacks(besides: []) },
        ] + PlanTable.fields.fields(of: \.table) + [
            .init("missing", "how many are not") { $0.table.wanted - $0.table.images },
            .init("downloaded", "how many charts were fetched", \.tally.downloaded), .init("bytes", "what those took", \.tally.bytes),
        ] + Tally.fields.fields(of: \.tally) + [.seconds(\.seconds)])
}

extension PlanTable {
    /// The fields that `woodshed demo` prints as well.
    static let fields = JSONForm<PlanTable>([
        .init("plans", "how many plans are upcoming or pinned", \.plans), .init("charts", "how many charts of theirs are here", \.charts),
        .init("pages", "how many pages those have", \.pages), .init("images", "how many page images are there", \.images),
    ])
}

extension JSONField {
    static func seconds(_ value: @escaping @Sendable (Source) -> Double) -> Self {
        .init("seconds", "how long it took") { JSONText.number((value($0) * 1000).rounded() / 1000) }
    }
}

extension Tally {
    func since(_ before: Tally) -> Tally {
        var difference = self
        difference.downloaded -= before.downloaded
        difference.rendered -= before.rendered
        difference.bytes -= before.bytes
        return difference
    }

    static let fields = JSONForm<Tally>([
        .init("rendered", "how many images were made", \.rendered), .init("failed", "how many could not be made", \.failed),
    ])
}
