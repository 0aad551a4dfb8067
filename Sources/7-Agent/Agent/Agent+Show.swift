import Freshness
public import Model
import PageCache
import Platform
import Rendering

/// What an agent can be asked to do by whoever shows pages.
extension Agent {
    /// Says whether somebody has a viewer open. While one is open, the process that draws requested pages is started before it is needed.
    public func beLookedAt(_ isLookedAt: Bool) { showing.beLookedAt(isLookedAt) }

    /// Says which plan somebody is looking at: the first pages of its charts are made next, after what is on the screen.
    public func lookAt(plan: PlanID?) { showing.lookAt(plan: plan) }

    /// Finds the image of a page that goes on the screen, and has the next two made right after it. It works while paused, too.
    ///
    /// If there are several selections, only the newest is answered; those before it fail with `superseded`. `use` says which chart is
    /// meant where an attachment has several; without it, it is the one that the plan being looked at shows first.
    public func select(chart: AttachmentID, page: PageIndex, isMarked: Bool, use: ChartUse? = nil) async throws(ShowFailure) -> ShownPage {
        try await showing.select(PageRequest(chart: chart, page: page, isMarked: isMarked, use: use))
    }

    /// The image with this name: from memory, from the disk, or drawn now if it is wanted or was named by an outlook.
    public func image(named name: ImageName) async throws(ShowFailure) -> ShownPage { try await showing.requests.image(named: name) }

    /// A page larger than in the cache, for a magnifying glass. It is never kept. `folder` says which version of the chart the page is
    /// from: whoever looks at a former version must not see another one through the glass.
    public func live(
        chart: AttachmentID, in folder: ImageFolder, page: PageIndex, isMarked: Bool, longSide: Int, for viewer: String = ""
    ) async throws(ShowFailure) -> ShownPage {
        try await showing.requests.live(
            chart: chart, in: folder, page: page, isMarked: isMarked, longSide: longSide, as: showing.plan, for: viewer)
    }

    /// Checks every byte of an image that somebody could not show, and has it made again if it is damaged. Answers whether it was.
    public func checkDamage(of name: ImageName) async -> Bool { await showing.source.checkDamage(of: name) }
}
