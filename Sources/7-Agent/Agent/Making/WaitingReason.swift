import Freshness

/// Why a page waits to be drawn, as a person would put it; the most urgent first.
enum WaitingReason: Int, CaseIterable, Sendable {
    case onScreen
    case next
    case lookedAt
    case nextPlan
    case laterPlans

    /// Why this work waits, given what `attention` is paid to.
    init(_ work: PageWork, _ attention: Attention) {
        self =
            switch attention.urgency(of: work) {
            case .onScreen: .onScreen
            case .next: .next
            case .lookedAt, .lookedAtThumbnail: .lookedAt
            case .ahead: work.priority.planRank == 0 ? .nextPlan : .laterPlans
            }
    }

    var name: String {
        switch self {
        case .onScreen: "page on screen"
        case .next: "next pages"
        case .lookedAt: "plan on screen"
        case .nextPlan: "next plan"
        case .laterPlans: "later plans"
        }
    }
}
