import Agent
import CommandLine
import Freshness
import ImageKeeping
import Library
import Model
import Platform

/// The uses of the images in the cache.
struct ImageUses {
    /// If an image is there for several plans, the nearest one.
    enum Use: Hashable {
        /// An upcoming or pinned plan.
        case plan(PlanID)
        /// A plan that is too far away to be kept ready.
        case far
        /// A plan that is past.
        case past
        /// No plan: it was made from earlier marks or an earlier chart, by another renderer, or for a plan that is no longer here.
        case none

        var plan: PlanID? { if case .plan(let id) = self { id } else { nil } }

        var name: String {
            switch self {
            case .plan: "plan"
            case .far: "far"
            case .past: "past"
            case .none: "none"
            }
        }
    }

    let wanted: WantedSet
    private let past: PastImages
    private let ranks: [ImageName: Int]
    private let plans: [PlanID: Plan]

    init(wanted: WantedSet, past: PastImages, plans: [Plan]) {
        (self.wanted, self.past) = (wanted, past)
        ranks = Dictionary(wanted.images.map { ($0.name, $0.priority.planRank) }, uniquingKeysWith: min)
        self.plans = Dictionary(plans.map { ($0.id, $0) }) { first, _ in first }
    }

    func use(of name: ImageName) -> Use {
        if let rank = ranks[name] ?? wanted.away[name.folder] { return .plan(wanted.plans[rank]) }
        switch past.worth(of: name)?.standing {
        case .past: return .past
        case .far: return .far
        default: return .none
        }
    }

    /// All uses, the nearest plan first.
    var all: [Use] { wanted.plans.map(Use.plan) + [.far, .past, .none] }

    func words(_ use: Use) -> String {
        switch use {
        case .plan(let id): (plans[id].map { PlanFinder.words($0) + " " } ?? "") + "(plan \(id))"
        case .far: "plans too far ahead"
        case .past: "past plans"
        case .none: "needed by no plan"
        }
    }
}

extension ImageUses {
    @LoopActor
    init(_ wants: LibraryWants, _ library: Library, by renderer: RendererIdentity, at now: Timestamp) throws {
        self.init(
            wanted: try wants.set(by: renderer, now: now), past: try wants.past(by: renderer, now: now),
            plans: try library.plans.all().map(\.plan))
    }
}

/// A number of images, and the disk space that they take up.
struct ImageCount: Hashable {
    var images = 0
    var size = ByteCount(0)

    var words: String { "\(images.counted("image")), \(size)" }

    mutating func add(_ size: ByteCount) {
        images += 1
        self.size = self.size + size
    }
}

extension ImageCount {
    init(_ entries: some Sequence<CacheEntry>) {
        self.init()
        for entry in entries { add(entry.size) }
    }
}
