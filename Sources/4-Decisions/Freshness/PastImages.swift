public import Model

/// The images of the library's other plans: those that are past, and those too far away to be kept ready.
///
/// Nothing of them is rendered ahead, but what is still there outlasts what no plan needs. This takes a digest for each of
/// their images, so it is done only for trimming.
public struct PastImages: Sendable {
    private let worths: [ImageName: ImageWorth]

    /// Derives them from what the library holds at `now`, by the same rules as the wanted set.
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

    /// How much an image is worth keeping; `nil` if none of these plans shows it.
    public func worth(of name: ImageName) -> ImageWorth? { worths[name] }
}
