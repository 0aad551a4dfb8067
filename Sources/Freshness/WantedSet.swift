public import Model

/// Every image that the coming plans need, and nothing else.
///
/// `wanted − present` is what is to be rendered; `present − wanted` is what may go first when the disk runs short.
/// An image's name holds the digest of what it is made from, so nothing present can be stale.
public struct WantedSet: Hashable, Sendable {
    /// What decides, beside the library.
    public struct Rules: Hashable, Sendable {
        /// What pages look like.
        public var settings: RenderSettings
        public var renderer: RendererIdentity
        /// How far ahead plans are kept ready.
        public var ahead: Duration

        /// Makes rules.
        public init(settings: RenderSettings, renderer: RendererIdentity, ahead: Duration) {
            self.settings = settings
            self.renderer = renderer
            self.ahead = ahead
        }
    }

    /// In the order of rendering, each name once.
    public let images: [WantedImage]
    /// The plans they are for, nearest first.
    public let plans: [PlanID]

    /// Derives the set from what the library holds at `now`.
    public init(_ library: LibrarySnapshot, rules: Rules, now: Timestamp) {
        let coming = Self.coming(library.plans, ahead: rules.ahead, now: now)
        plans = coming.map(\.plan.id)
        var best: [ImageName: WantedImage] = [:]
        for (rank, plan) in coming.enumerated() {
            for (place, chart) in plan.charts.enumerated() {
                for image in Self.images(of: chart, at: place, rank: rank, rules: rules) {
                    // A chart may stand in several plans: its nearest use decides.
                    if let known = best[image.name], known.priority <= image.priority { continue }
                    best[image.name] = image
                }
            }
        }
        // Only what decides is moved about while sorting.
        let found = Array(best.values)
        images = found.indices.map { Place(priority: found[$0].priority, name: found[$0].name, index: $0) }.sorted().map { found[$0.index] }
    }

    private struct Place: Comparable {
        let priority: RenderPriority
        let name: ImageName
        let index: Int

        static func < (left: Place, right: Place) -> Bool {
            left.priority == right.priority ? left.name < right.name : left.priority < right.priority
        }
    }

    /// The plans that are kept ready, nearest first; those without times come last, since they may be any day.
    public static func coming(_ plans: [PlanSnapshot], ahead: Duration, now: Timestamp) -> [PlanSnapshot] {
        plans
            .filter { $0.plan.isComing(at: now, ahead: ahead) }
            .sorted { $0.plan.comesBefore($1.plan) }
    }

    /// What is to be rendered, in order.
    public func missing(from present: Set<ImageName>) -> [WantedImage] {
        images.filter { !present.contains($0.name) }
    }

    /// What is in the cache for no coming plan.
    public func surplus(in present: Set<ImageName>) -> Set<ImageName> {
        present.subtracting(images.map(\.name))
    }

    private static func images(
        of chart: ChartSnapshot, at place: Int, rank: Int, rules: Rules
    ) -> [WantedImage] {
        (0..<chart.pageCount).flatMap { index in
            let page = PageIndex(index)
            let marks = chart.marks[page]
            return Variant.allCases.compactMap { variant -> WantedImage? in
                // A page without visible marks has no annotated image of its own.
                guard variant != .annotated || marks != nil else { return nil }
                let inputs = ImageInputs(
                    renderer: rules.renderer, chart: chart.hash, chartNeedsFonts: chart.needsFonts, page: page, variant: variant,
                    settings: rules.settings, marks: marks)
                return WantedImage(
                    inputs, priority: RenderPriority(planRank: rank, chartPlace: place, page: page, variant: variant))
            }
        }
    }
}

extension Plan {
    /// Whether it is kept ready: not past, and not farther away than `ahead`.
    public func isComing(at now: Timestamp, ahead: Duration) -> Bool {
        guard !isPast(at: now) else { return false }
        return firstTime.map { $0 <= now + ahead } ?? true
    }

    /// The order of plans: by time, those without any last, ties by id so that the order never flickers.
    public func comesBefore(_ other: Plan) -> Bool {
        switch (firstTime, other.firstTime) {
        case (let mine?, let theirs?) where mine != theirs: mine < theirs
        case (_?, nil): true
        case (nil, _?): false
        default: id < other.id
        }
    }
}
