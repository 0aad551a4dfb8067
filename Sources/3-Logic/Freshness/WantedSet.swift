public import Model

/// Every image that the coming and pinned plans need, and nothing else.
///
/// `wanted − present` is what is to be rendered; `present − wanted` is what may go first when the disk runs short. An image's
/// name contains the digest of what it is made from, so nothing present can be stale.
public struct WantedSet: Hashable, Sendable {
    /// The rules that decide, apart from the library.
    public struct Rules: Hashable, Sendable {
        public var settings: RenderSettings
        public var renderer: RendererIdentity
        public var ahead: Duration
        /// Plans that are kept ready whatever their date.
        public var pinned: Set<PlanID>

        public init(settings: RenderSettings, renderer: RendererIdentity, ahead: Duration, pinned: Set<PlanID> = []) {
            (self.settings, self.renderer, self.ahead, self.pinned) = (settings, renderer, ahead, pinned)
        }
    }

    /// In the order of rendering, each name once.
    public let images: [WantedImage]
    /// The folders of wanted images whose charts' bytes are not here, with the place in `plans` of the nearest plan that shows the chart:
    /// these images cannot be made, so all that are there stay, whatever they were made from.
    public let away: [ImageFolder: Int]
    /// The plans that the images are for, nearest first; a priority's `planRank` is the place in this list. Pinned plans that are not
    /// coming are last.
    public let plans: [PlanID]
    /// The names of images that a pinned plan needs, whether or not another one does.
    public let pinned: Set<ImageName>

    /// Derives the set from what the library holds at `now`.
    public init(_ library: LibrarySnapshot, rules: Rules, now: Timestamp) {
        var memory = NameMemory()
        self.init(library, rules: rules, now: now, remembering: &memory)
    }

    /// The same, reusing the names that were derived before: most charts have not changed.
    public init(_ library: LibrarySnapshot, rules: Rules, now: Timestamp, remembering memory: inout NameMemory) {
        memory.begin(rules)
        defer { memory.end() }
        let coming = Self.coming(library.plans, ahead: rules.ahead, now: now)
        let kept = coming + Self.pinnedOnly(library.plans, rules: rules, now: now)
        plans = kept.map(\.plan.id)
        var best: [ImageName: WantedImage] = [:]
        var pinned: Set<ImageName> = []
        for (rank, plan) in kept.enumerated() {
            let isPinned = rules.pinned.contains(plan.plan.id)
            for image in Self.images(of: plan, rank: rank, rules: rules, &memory) {
                if isPinned { pinned.insert(image.name) }
                // A chart may be in several plans: its nearest use decides.
                if let known = best[image.name], known.priority <= image.priority { continue }
                best[image.name] = image
            }
        }
        self.pinned = pinned
        away = Dictionary(
            kept.enumerated().flatMap { rank, plan in plan.charts.filter { !$0.isHere }.map { (ImageFolder(of: $0.hash), rank) } },
            uniquingKeysWith: min)
        // Only what decides the order is moved around while sorting.
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

    /// The plans that are kept ready, nearest first; those without times come last, since they may be on any day.
    public static func coming(_ plans: [PlanSnapshot], ahead: Duration, now: Timestamp) -> [PlanSnapshot] {
        plans
            .filter { $0.plan.isComing(at: now, ahead: ahead) }
            .sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
    }

    /// The plans that are kept ready only because they are pinned: those too far away, nearest first, then past ones,
    /// latest first.
    private static func pinnedOnly(_ plans: [PlanSnapshot], rules: Rules, now: Timestamp) -> [PlanSnapshot] {
        let pinned = plans.filter { rules.pinned.contains($0.plan.id) && !$0.plan.isComing(at: now, ahead: rules.ahead) }
        return pinned.filter { !$0.plan.isPast(at: now) }.sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
            + pinned.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
    }

    /// The images that a plan's charts need; a chart that comes twice has its images twice.
    static func images(of plan: PlanSnapshot, rank: Int, rules: Rules) -> [WantedImage] {
        var memory = NameMemory()
        return images(of: plan, rank: rank, rules: rules, &memory)
    }

    private static func images(of plan: PlanSnapshot, rank: Int, rules: Rules, _ memory: inout NameMemory) -> [WantedImage] {
        var images: [WantedImage] = []
        for (place, chart) in plan.charts.enumerated() where chart.isHere {
            for image in memory.images(of: chart, otherwise: { Self.named(chart, rules: rules) }) {
                images.append(
                    WantedImage(
                        image.inputs, name: image.name,
                        priority: RenderPriority(
                            planRank: rank, chartPlace: place, page: image.inputs.page, variant: image.inputs.variant)))
            }
        }
        return images
    }

    private static func named(_ chart: ChartSnapshot, rules: Rules) -> [NameMemory.Image] {
        (0..<chart.pageCount).flatMap { index in
            let page = PageIndex(index)
            let marks = chart.marks[page]
            return Variant.allCases.compactMap { variant -> NameMemory.Image? in
                // A page without visible marks has no annotated image of its own.
                guard variant != .annotated || marks != nil else { return nil }
                return NameMemory.Image(
                    ImageInputs(
                        renderer: rules.renderer, chart: chart.hash, chartNeedsFonts: chart.needsFonts, page: page, variant: variant,
                        settings: rules.settings, marks: marks))
            }
        }
    }
}

extension Plan {
    /// True if it is kept ready: not past, and not farther away than `ahead`.
    public func isComing(at now: Timestamp, ahead: Duration) -> Bool {
        guard !isPast(at: now) else { return false }
        return firstTime.map { $0 <= now + ahead } ?? true
    }

    /// The order of plans: by time, those without any last, ties by id so that the order is stable.
    public func comesBefore(_ other: Plan) -> Bool {
        switch (firstTime, other.firstTime) {
        case (let mine?, let theirs?) where mine != theirs: mine < theirs
        case (_?, nil): true
        case (nil, _?): false
        default: id < other.id
        }
    }
}

public struct WantedImage: Hashable, Sendable {
    public let name: ImageName
    public let inputs: ImageInputs
    public private(set) var priority: RenderPriority

    /// Makes a request for the image that follows from `inputs`.
    public init(_ inputs: ImageInputs, priority: RenderPriority) { self.init(inputs, name: ImageName(inputs), priority: priority) }

    /// For a name that is already known to follow from `inputs`.
    init(_ inputs: ImageInputs, name: ImageName, priority: RenderPriority) {
        (self.inputs, self.name, self.priority) = (inputs, name, priority)
    }

    /// The same image, of a chart that may take the renderer down.
    public var risky: WantedImage {
        var image = self
        image.priority.isRisky = true
        return image
    }
}

extension WantedImage {
    /// Names the page that an image shows: the same for all its three variants.
    public struct Page: Hashable, Sendable {
        public let chart: ChartHash
        public let index: PageIndex

        public init(chart: ChartHash, index: PageIndex) { (self.chart, self.index) = (chart, index) }
    }

    public var page: Page { Page(chart: inputs.chart, index: inputs.page) }
}

/// The images of charts with the names that were derived last time: a name is a digest, and a thousand charts have tens of
/// thousands of them.
public struct NameMemory: Sendable {
    struct Image: Sendable {
        let inputs: ImageInputs
        let name: ImageName

        init(_ inputs: ImageInputs) {
            self.inputs = inputs
            name = ImageName(inputs)
        }
    }

    /// The part of a chart that its images are made from. Which attachment it belongs to is not part of that.
    private struct Chart: Hashable {
        let hash: ChartHash
        let pages: Int
        let needsFonts: Bool
        let marks: [PageIndex: MarkDigest]

        init(_ chart: ChartSnapshot) {
            hash = chart.hash
            pages = chart.pageCount
            needsFonts = chart.needsFonts
            marks = chart.marks
        }
    }

    private struct Rules: Equatable {
        let settings: RenderSettings
        let renderer: RendererIdentity
    }

    private var rules: Rules?
    private var former: [Chart: [Image]] = [:]
    private var current: [Chart: [Image]] = [:]

    public init() {}

    mutating func begin(_ rules: WantedSet.Rules) {
        let rules = Rules(settings: rules.settings, renderer: rules.renderer)
        if self.rules != rules { former = [:] }
        self.rules = rules
        current = [:]
    }

    mutating func images(of chart: ChartSnapshot, otherwise derive: () -> [Image]) -> [Image] {
        let key = Chart(chart)
        if let known = current[key] { return known }
        let images = former[key] ?? derive()
        current[key] = images
        return images
    }

    /// Forgets what was not used this time.
    mutating func end() {
        former = current
        current = [:]
    }
}
