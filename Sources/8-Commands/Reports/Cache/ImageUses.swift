import Agent
import CommandLine
package import Freshness
package import Keeping
package import Library
package import Model
package import Platform

/// Says what the images in the cache are there for.
package struct ImageUses {
    /// What an image is there for; if for several plans, the nearest one.
    package enum Use: Hashable {
        /// An upcoming or pinned plan.
        case plan(PlanID)
        /// A plan that is too far away to be kept ready.
        case far
        /// A plan that is past.
        case past
        /// No plan: it was made from earlier marks or an earlier chart, by another renderer, or for a plan that is no longer here.
        case none
    }

    package let wanted: WantedSet
    private let past: PastImages
    private let ranks: [ImageName: Int]
    private let plans: [PlanID: Plan]

    @LoopActor
    package init(_ wants: LibraryWants, _ library: Library, by renderer: RendererIdentity, at now: Timestamp) throws {
        self.init(
            wanted: try wants.set(by: renderer, now: now), past: try wants.past(by: renderer, now: now),
            plans: try library.plans.all().map(\.plan))
    }

    package init(wanted: WantedSet, past: PastImages, plans: [Plan]) {
        self.wanted = wanted
        self.past = past
        ranks = Dictionary(wanted.images.map { ($0.name, $0.priority.planRank) }, uniquingKeysWith: min)
        self.plans = Dictionary(plans.map { ($0.id, $0) }) { first, _ in first }
    }

    package func use(of name: ImageName) -> Use {
        if let rank = ranks[name] { return .plan(wanted.plans[rank]) }
        switch past.worth(of: name)?.standing {
        case .past: return .past
        case .far: return .far
        default: return .none
        }
    }

    /// All uses, the nearest plan first.
    package var all: [Use] { wanted.plans.map(Use.plan) + [.far, .past, .none] }

    /// The plan of a use, if it is one that is kept ready.
    package func plan(_ use: Use) -> Plan? {
        if case .plan(let id) = use { plans[id] } else { nil }
    }

    /// For people.
    package func words(_ use: Use) -> String {
        switch use {
        case .plan(let id): (plans[id].map { PlanFinder.words($0) + " " } ?? "") + "(plan \(id))"
        case .far: "plans too far ahead"
        case .past: "past plans"
        case .none: "needed by no plan"
        }
    }

    /// For programs.
    package func json(_ use: Use) -> [(name: String, value: JSONText)] {
        let kind: JSONText =
            switch use {
            case .plan: "plan"
            case .far: "far"
            case .past: "past"
            case .none: "none"
            }
        return [("use", kind), ("plan", plan(use).map { .text($0.id.text) } ?? .null)]
    }
}
