public import Model

/// All images that the coming and pinned plans need, and no others.
///
/// `wanted − present` is to be rendered. `present − wanted` may be removed first when the disk is short of space. An image's name
/// contains the digest of its inputs, so an image with a wanted name is never out of date.
public struct WantedSet: Hashable, Sendable {
    /// The rules of the decision, apart from the library's contents.
    public struct Rules: Hashable, Sendable {
        public var settings: RenderSettings
        public var renderer: RendererIdentity
        public var ahead: Duration
        /// Plans that are kept ready regardless of their date.
        public var pinned: Set<PlanID>

        public init(settings: RenderSettings, renderer: RendererIdentity, ahead: Duration, pinned: Set<PlanID> = []) {
            (self.settings, self.renderer, self.ahead, self.pinned) = (settings, renderer, ahead, pinned)
        }
    }

    /// Each image once, in the order of rendering. Charts whose files are not here have none.
    public let images: [WantedImage]
    /// The image folders of wanted charts whose files are not here, each with the index in `plans` of the nearest plan that shows
    /// the chart. The images of these charts cannot be made again, so all that exist stay, even those made from other inputs.
    public let away: [ImageFolder: Int]
    /// The plans that the images are for, nearest first. `planRank` is an index in this list. Pinned plans that are not coming are
    /// at the end.
    public let plans: [PlanID]
    /// The names of the images that a pinned plan needs, even if other plans need them, too.
    public let pinned: Set<ImageName>

    /// Derives the set from the library's state at `now`.
    public init(_ library: LibrarySnapshot, rules: Rules, now: Timestamp) {
        var memory = NameMemory()
        self.init(library, rules: rules, now: now, remembering: &memory)
    }

    /// Derives the set, and reuses names that were derived before, since most charts have not changed.
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
                // A chart may be in several plans. The nearest plan decides.
                if let known = best[image.name], known.priority <= image.priority { continue }
                best[image.name] = image
            }
        }
        self.pinned = pinned
        away = Dictionary(
            kept.enumerated().flatMap { rank, plan in plan.charts.filter { !$0.isHere }.map { (ImageFolder(of: $0.hash), rank) } },
            uniquingKeysWith: min)
        // Sort only the values that decide the order, together with an index: whole images are large, and moving them takes time.
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

    /// The plans that are kept ready, nearest first. Plans without times come after dated ones, since they may be on any day.
    public static func coming(_ plans: [PlanSnapshot], ahead: Duration, now: Timestamp) -> [PlanSnapshot] {
        plans
            .filter { $0.plan.isComing(at: now, ahead: ahead) }
            .sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
    }

    /// The plans that are kept ready only because they are pinned: first plans too far away, nearest first, then past plans, latest first.
    private static func pinnedOnly(_ plans: [PlanSnapshot], rules: Rules, now: Timestamp) -> [PlanSnapshot] {
        let pinned = plans.filter { rules.pinned.contains($0.plan.id) && !$0.plan.isComing(at: now, ahead: rules.ahead) }
        return pinned.filter { !$0.plan.isPast(at: now) }.sorted { NextPlans.isEarlier($0.plan, than: $1.plan, at: now) }
            + pinned.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
    }

    /// The images that a plan's charts need. A chart that occurs twice has its images twice.
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
                // A page without visible marks needs no annotated image.
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
    /// True if the plan is kept ready: it is not past, and begins within `ahead`.
    public func isComing(at now: Timestamp, ahead: Duration) -> Bool {
        guard !isPast(at: now) else { return false }
        return firstTime.map { $0 <= now + ahead } ?? true
    }

    /// The order of plans by their first time. Plans without a time come last. The id decides between equals, so that the order is stable.
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

    /// Requests the image that is made from `inputs`.
    public init(_ inputs: ImageInputs, priority: RenderPriority) { self.init(inputs, name: ImageName(inputs), priority: priority) }

    /// Requests an image by a name that has already been derived from `inputs`.
    init(_ inputs: ImageInputs, name: ImageName, priority: RenderPriority) {
        (self.inputs, self.name, self.priority) = (inputs, name, priority)
    }

    /// The same image, marked as belonging to a chart that may take the renderer down.
    public var risky: WantedImage {
        var image = self
        image.priority.isRisky = true
        return image
    }
}

extension WantedImage {
    /// Identifies a page, for all variants of its image.
    public struct Page: Hashable, Sendable {
        public let chart: ChartHash
        public let index: PageIndex

        public init(chart: ChartHash, index: PageIndex) { (self.chart, self.index) = (chart, index) }
    }

    public var page: Page { Page(chart: inputs.chart, index: inputs.page) }
}

/// Remembers the names that were derived last time, since each name takes a digest, and a thousand charts have tens of thousands of images.
public struct NameMemory: Sendable {
    struct Image: Sendable {
        let inputs: ImageInputs
        let name: ImageName

        init(_ inputs: ImageInputs) {
            self.inputs = inputs
            name = ImageName(inputs)
        }
    }

    /// The properties of a chart that decide which images it has. Attachments with the same bytes and marks share their images' names.
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

    /// Forgets all names that were not used this time.
    mutating func end() {
        former = current
        current = [:]
    }
}
