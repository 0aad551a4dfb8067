import ImageKeeping
import Library
import Model
import PlanningCenter
import Platform

/// The part of a poll that concerns marks: fetches the layers on plans and stores those that can be trusted.
@LoopActor
struct LayerPoll {
    let service: PlanningCenterClient
    let parts: SyncParts

    struct Outcome {
        var changes: [LibraryChange] = []
        var setbacks: [Setback] = []
        /// Whether the service sent all the marks that it has for this user, even if there are none.
        var areSent = true
        /// Whether everything sent is stored in the library.
        var areStored = true
        var retryAfter: Duration?

        fileprivate mutating func note(_ error: any Error, about plan: Plan) {
            setbacks.append(Setback("marks of \(LibraryChange.PlanReference(plan).name(in: .local))", error))
            if !(error is ServiceFailure) { areStored = false }
        }
    }

    /// Fetches the layers on these plans, and stores them only after the last one has arrived. If any layer is older than its state
    /// here, the service may have been restored to an older state. Then no other layer may take marks away, either.
    func run(_ plans: [Plan]) async -> Outcome {
        var marks = Outcome()
        var failuresInARow = 0
        var sent: [(plan: Plan, marks: LayerList)] = []
        asking: for plan in plans {
            do {
                guard let layers = try await service.layers(of: plan) else {
                    try noteNoMarks(on: plans)
                    break
                }
                failuresInARow = 0
                sent.append((plan, layers))
                try parts.library.layers.note(marksUntold: nil, of: plan.id, at: parts.now)
            } catch {
                if error as? ServiceFailure == .cancelled { break }
                marks.note(error, about: plan)
                guard let failure = error as? ServiceFailure else { continue }
                switch failure {
                // A denied permission is a final answer, so the marks still count as sent.
                case .forbidden:
                    noteUntold("\(failure)", plan)
                    continue
                case .offline: failuresInARow += 1
                case .rateLimited(let wait): marks.retryAfter = wait
                // Have `woodshed ready` report that marks may be missing.
                default: noteUntold("\(failure)", plan)
                }
                marks.areSent = false
                if case .notAuthorised = failure { break asking }
                if failuresInARow > 1 { break asking }
            }
        }
        keep(sent, in: &marks)
        marks.setbacks = Setback.folded(marks.setbacks)
        return marks
    }

    private func keep(_ sent: [(plan: Plan, marks: LayerList)], in outcome: inout Outcome) {
        guard let first = sent.first else { return }
        let isSuspect: Bool
        do throws(LibraryError) {
            isSuspect = try isPutBack(sent.map(\.marks))
        } catch {
            return outcome.note(error, about: first.plan)
        }
        var known: Set<LayerID> = []
        for (plan, marks) in sent {
            do throws(LibraryError) {
                let found = parts.report(
                    try parts.library.layers.update(
                        layers: marks.layers, faults: marks.faults, of: plan.id, isSuspect: isSuspect, at: parts.now))
                outcome.changes += found
                // A chart may be in several plans: report doubts about its layers only for the first of them.
                let ids = Set(marks.layers.map(\.id)).subtracting(known)
                known.formUnion(ids)
                outcome.setbacks += try parts.library.layers.doubts().filter { ids.contains($0.layer) }.map { doubt in
                    Setback(
                        "marks of \(LibraryChange.PlanReference(plan).name(in: .local))", doubt.advised(in: .local),
                        brief: doubt.sentence(in: .local))
                }
                if !found.isEmpty { parts.look.patiently() }
            } catch {
                outcome.note(error, about: plan)
            }
        }
    }

    /// Whether the service's marks or charts suggest that it was restored to an older state.
    private func isPutBack(_ sent: [LayerList]) throws(LibraryError) -> Bool {
        for marks in sent where try parts.library.layers.isPutBack(marks.layers, faults: marks.faults, at: parts.now) { return true }
        return try parts.library.plans.heldBack().contains { held in
            if case .putBack = held.reason { !held.plan.isPast(at: parts.now) } else { false }
        }
    }

    private func noteUntold(_ reason: String, _ plan: Plan) {
        do throws(LibraryError) {
            try parts.library.layers.note(marksUntold: reason, of: plan.id, at: parts.now)
        } catch {
            parts.log.warning("\(error)")
        }
    }

    /// If a service used to offer marks and stops doing so, its marks count as missing.
    private func noteNoMarks(on plans: [Plan]) throws(LibraryError) {
        for plan in plans {
            let hasLayers = try parts.library.layers.hasLayers(on: plan.id)
            try parts.library.layers.note(
                marksUntold: hasLayers && service.asksForMarks ? "it no longer offers marks" : nil, of: plan.id, at: parts.now)
        }
    }
}
