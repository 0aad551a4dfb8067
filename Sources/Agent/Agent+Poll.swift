import Freshness
import Library
public import Model
import PlanningCenter
import Platform

/// What came of one poll.
public struct PollOutcome: Hashable, Sendable {
    /// How far we came with the service.
    public enum Reach: Hashable, Sendable {
        /// It answered.
        case reached
        /// It could not be reached; what is here stays good.
        case offline
        /// It does not know us, or not any more.
        case notAuthorised
    }

    public var reach = Reach.reached
    /// What did not work, in the order in which it happened.
    public var setbacks: [Setback] = []

    /// Whether all of it worked.
    public var isComplete: Bool { reach == .reached && setbacks.isEmpty }
}

extension Agent {
    /// Asks the service once for everything the coming plans need, and keeps it. What fails leaves what is here as it is.
    public func poll() async -> PollOutcome {
        var outcome = PollOutcome()
        let contents: [PlanContents]
        do {
            let named = try await parts.service.comingPlans()
            let plans = named.filter { $0.isComing(at: now, ahead: settings.ahead) }
            contents = await fetch(plans, into: &outcome)
            try parts.library.update(contents, named: Set(named.map(\.id)), at: now)
        } catch {
            record(error, about: "service", in: &outcome)
            return outcome
        }
        reconcile()

        // Marks are fetched while the charts download, so that a page's first annotated image already shows them.
        let layers = spawn { [self] in await fetchLayers(of: contents) }
        let charts = await download(contents)
        outcome.setbacks += await layers.value + charts
        if outcome.isComplete {
            do {
                try parts.library.recordPoll(at: now)
            } catch {
                record(error, about: "library", in: &outcome)
            }
        }
        return outcome
    }

    /// One plan that cannot be read does not stop the others.
    private func fetch(_ plans: [Plan], into outcome: inout PollOutcome) async -> [PlanContents] {
        var contents: [PlanContents] = []
        for plan in plans {
            do {
                contents.append(try await parts.service.contents(of: plan))
            } catch {
                record(error, about: plan.displayName, in: &outcome)
            }
        }
        return contents
    }

    private func fetchLayers(of contents: [PlanContents]) async -> [Setback] {
        var setbacks: [Setback] = []
        for plan in contents.map(\.plan) {
            do {
                guard let layers = try await parts.service.layers(of: plan) else { return setbacks }
                if try !parts.library.update(layers: layers, of: plan.id, at: now).isEmpty { reconcile() }
            } catch {
                setbacks.append(Setback("marks of \(plan.displayName)", "\(error)"))
            }
        }
        return setbacks
    }

    private func record(_ error: any Error, about subject: String, in outcome: inout PollOutcome) {
        if let failure = error as? ServiceFailure {
            switch failure {
            case .notAuthorised: outcome.reach = .notAuthorised
            case .offline: outcome.reach = .offline
            default: break
            }
        }
        outcome.setbacks.append(Setback(subject, "\(error)"))
    }
}
