import Freshness
import Library
import Model

extension Agent {
    /// The library's plans that are kept ready, as far as this agent works for them.
    func plansInScope() throws(LibraryError) -> [PlanContents] { try wants.plans(in: settings.scope, now: now) }
}
