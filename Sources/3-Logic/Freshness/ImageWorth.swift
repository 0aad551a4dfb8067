public import Model

/// How much an image in the cache is worth keeping. Images with the least worth are removed first.
///
/// The order of removal: first images that no plan needs, beginning with those not shown for longest; then those of past plans,
/// oldest first; then those of plans too far away to be kept ready, farthest first; then those of coming plans, farthest first.
/// Within a plan, thumbnails go before full pages, later pages before first ones, and the last chart before the first. Images of
/// pinned plans are never removed.
public struct ImageWorth: Hashable, Comparable, Sendable {
    /// What an image is needed for, from the least worth to the greatest: no plan, a past plan, a plan too far away to be kept ready, a
    /// coming plan, or a pinned one.
    public enum Standing: UInt8, Hashable, Comparable, Sendable, CaseIterable {
        case unneeded, past, far, coming, pinned

        public static func < (left: Standing, right: Standing) -> Bool { left.rawValue < right.rawValue }
    }

    public let standing: Standing
    /// The worth among images of the same standing. It is a single number, because a hundred thousand images may be sorted.
    private let order: UInt64

    /// The worth of an image that no plan of the library needs.
    init(usedAt: Timestamp) {
        standing = .unneeded
        order = UInt64(bitPattern: usedAt.nanoseconds) ^ 1 << 63
    }

    /// The worth of an image in a plan. The plan's rank is the number of nearer plans with the same standing.
    init(_ standing: Standing, _ priority: RenderPriority) {
        self.standing = standing
        var order: UInt64 = 0
        func append(_ value: Int, bits: Int) { order = order << UInt64(bits) | UInt64(min(max(value, 0), 1 << bits - 1)) }
        func append(nearer value: Int, bits: Int) { append(1 << bits - 1 - value, bits: bits) }
        append(nearer: priority.planRank, bits: 16)
        append(priority.variant == .thumbnail ? 0 : 1, bits: 1)
        append(priority.isLaterPage ? 0 : 1, bits: 1)
        append(nearer: priority.chartPlace, bits: 16)
        append(nearer: priority.page.value, bits: 16)
        // A page with marks is usually shown with them, so its annotated image is worth more than its plain one.
        append(priority.variant == .annotated ? 1 : 0, bits: 1)
        self.order = order
    }

    public static func < (left: ImageWorth, right: ImageWorth) -> Bool {
        left.standing == right.standing ? left.order < right.order : left.standing < right.standing
    }
}

extension WantedSet {
    /// How much a wanted image is worth keeping.
    public func worth(of image: WantedImage) -> ImageWorth { ImageWorth(pinned.contains(image.name) ? .pinned : .coming, image.priority) }
}

/// The images of plans that are not kept ready, because they are past or too far away.
///
/// These images are not rendered ahead. If they are present, they are kept longer than images that no plan needs. Finding them takes a
/// digest for each image, so they are looked up only for trimming.
public struct PastImages: Sendable {
    private let worths: [ImageName: ImageWorth]

    /// Derives the images from the library's state at `now`, by the same rules as the wanted set.
    public init(_ library: LibrarySnapshot, rules: WantedSet.Rules, now: Timestamp) {
        let others = library.plans.filter { !$0.plan.isComing(at: now, ahead: rules.ahead) && !rules.pinned.contains($0.plan.id) }
        let past = others.filter { $0.plan.isPast(at: now) }.sorted { $1.plan.comesBefore($0.plan) }
        let far = others.filter { !$0.plan.isPast(at: now) }.sorted { $0.plan.comesBefore($1.plan) }
        var worths: [ImageName: ImageWorth] = [:]
        for (standing, plans) in [(ImageWorth.Standing.past, past), (.far, far)] {
            for (rank, plan) in plans.enumerated() {
                for image in WantedSet.images(of: plan, rank: rank, rules: rules) {
                    let worth = ImageWorth(standing, image.priority)
                    worths[image.name] = max(worths[image.name] ?? worth, worth)
                }
            }
        }
        self.worths = worths
    }

    /// How much an image is worth keeping; `nil` if none of these plans shows the image.
    public func worth(of name: ImageName) -> ImageWorth? { worths[name] }
}
