import Freshness
import Library
import Model

extension Agent {
    /// The library's coming plans, as far as this agent works for them.
    func plansInScope() throws(LibraryError) -> [PlanContents] {
        settings.scope.narrowed(try parts.library.plans().filter { $0.plan.isComing(at: now, ahead: settings.ahead) })
    }
}
