import Keeping
import Library
import Model
import PlanningCenter
import Platform

/// What one poll does for marks: fetches the layers on plans and stores what can be trusted.
@LoopActor
struct LayerPoll {
    let parts: ServicePoll.Parts
    let look: LookAnew
    /// Passes changes on as soon as the library has them.
    let tell: @LoopActor ([LibraryChange]) -> [LibraryChange]

    /// The result.
    struct Outcome {
        var changes: [LibraryChange] = []
        var setbacks: [Setback] = []
        /// Whether the service sent all the marks that it has for us, which may be none.
        var areTold = true
        /// Whether the library has stored what was sent.
        var areKept = true
        var retryAfter: Duration?
    }

    /// Asks for the layers on these plans, and keeps them.
    func run(_ plans: [Plan]) async -> Outcome {
        var marks = Outcome()
        var failuresInARow = 0
        var known: Set<LayerID> = []
        asking: for plan in plans {
            do {
                guard let told = try await parts.service.layers(of: plan) else {
                    try noteNoMarks(on: plans)
                    break
                }
                failuresInARow = 0
                try parts.library.layers.note(marksUntold: nil, of: plan.id, at: parts.now)
                let found = tell(try parts.library.layers.update(layers: told.layers, faults: told.faults, of: plan.id, at: parts.now))
                marks.changes += found
                // One chart may be in several plans.
                let ids = Set(told.layers.map(\.id)).subtracting(known)
                known.formUnion(ids)
                marks.setbacks += try parts.library.layers.doubts().filter { ids.contains($0.layer) }.map { doubt in
                    Setback("marks of \(LibraryChange.PlanReference(plan).name(telling: .local))", doubt.sentence(telling: .local))
                }
                if !found.isEmpty { look.patiently() }
            } catch {
                if error as? ServiceFailure == .cancelled { break }
                marks.setbacks.append(Setback("marks of \(LibraryChange.PlanReference(plan).name(telling: .local))", "\(error)"))
                guard let failure = error as? ServiceFailure else {
                    marks.areKept = false
                    continue
                }
                switch failure {
                // No permission, today or tomorrow: that is an answer.
                case .forbidden:
                    noteUntold("\(failure)", plan)
                    continue
                case .offline: failuresInARow += 1
                case .rateLimited(let wait): marks.retryAfter = wait
                // Whoever asks whether all is ready should know that marks may be missing.
                default: noteUntold("\(failure)", plan)
                }
                marks.areTold = false
                if case .notAuthorised = failure { break asking }
                if failuresInARow > 1 { break asking }
            }
        }
        marks.setbacks = Setback.folded(marks.setbacks)
        return marks
    }

    private func noteUntold(_ reason: String, _ plan: Plan) {
        do throws(LibraryError) {
            try parts.library.layers.note(marksUntold: reason, of: plan.id, at: parts.now)
        } catch {
            parts.log.warning("\(error)")
        }
    }

    /// A service that once offered marks and no longer does is not a service without marks.
    private func noteNoMarks(on plans: [Plan]) throws(LibraryError) {
        for plan in plans {
            let hasLayers = try parts.library.layers.hasLayers(on: plan.id)
            try parts.library.layers.note(
                marksUntold: hasLayers && parts.service.asksForMarks ? "it no longer offers marks" : nil, of: plan.id, at: parts.now)
        }
    }
}
