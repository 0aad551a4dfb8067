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
    }

    let wanted: WantedSet
    private let past: PastImages
    private let ranks: [ImageName: Int]
    private let plans: [PlanID: Plan]

    @LoopActor
    init(_ wants: LibraryWants, _ library: Library, by renderer: RendererIdentity, at now: Timestamp) throws {
        self.init(
            wanted: try wants.set(by: renderer, now: now), past: try wants.past(by: renderer, now: now),
            plans: try library.plans.all().map(\.plan))
    }

    init(wanted: WantedSet, past: PastImages, plans: [Plan]) {
        (self.wanted, self.past) = (wanted, past)
        ranks = Dictionary(wanted.images.map { ($0.name, $0.priority.planRank) }, uniquingKeysWith: min)
        self.plans = Dictionary(plans.map { ($0.id, $0) }) { first, _ in first }
    }

    func use(of name: ImageName) -> Use {
        if let rank = ranks[name] { return .plan(wanted.plans[rank]) }
        switch past.worth(of: name)?.standing {
        case .past: return .past
        case .far: return .far
        default: return .none
        }
    }

    /// All uses, the nearest plan first.
    var all: [Use] { wanted.plans.map(Use.plan) + [.far, .past, .none] }

    /// The plan of a use, if it is one that is kept ready.
    func plan(_ use: Use) -> Plan? {
        if case .plan(let id) = use { plans[id] } else { nil }
    }

    func words(_ use: Use) -> String {
        switch use {
        case .plan(let id): (plans[id].map { PlanFinder.words($0) + " " } ?? "") + "(plan \(id))"
        case .far: "plans too far ahead"
        case .past: "past plans"
        case .none: "needed by no plan"
        }
    }

    /// The fields of a use; `help` says whose it is.
    static func fields(_ help: String) -> [JSONField<(use: Use, uses: ImageUses)>] {
        [
            .init("use", help) { source in
                switch source.use {
                case .plan: "plan"
                case .far: "far"
                case .past: "past"
                case .none: "none"
                }
            },
            .init("plan", "the plan's id") { $0.uses.plan($0.use)?.id.text },
        ]
    }
}

/// A number of images, and the disk space that they take up.
struct ImageCount: Hashable {
    private(set) var images = 0
    private(set) var size = ByteCount(0)

    init() {}

    init(_ entries: some Sequence<CacheEntry>) {
        for entry in entries { add(entry.size) }
    }

    mutating func add(_ size: ByteCount) {
        images += 1
        self.size = self.size + size
    }

    var words: String { "\(images.counted("image")), \(size)" }

    static func form(_ images: String, _ bytes: String) -> JSONForm<ImageCount> {
        JSONForm([.init("images", images, \.images), .init("bytes", bytes, \.size)])
    }
}
