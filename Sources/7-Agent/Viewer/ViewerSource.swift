public import LayerJoin
public import Model
public import Platform
public import Readiness

/// The viewer's view of the agent. Everything is asked and answered on the loop.
@LoopActor
public protocol ViewerSource: AnyObject {
    /// The upcoming and pinned plans, nearest first, and how recent all this is.
    func state() async throws(Trouble) -> ViewerState

    /// The charts with pages to show of plans that the library has and the list does not, since they are over, or far ahead: those of the
    /// latest plan first.
    func otherCharts() async throws(Trouble) -> [ViewerOtherChart]

    /// One plan with its running order.
    func plan(_ id: PlanID) async throws(Trouble) -> ViewerPlan

    /// One chart with its pages; if a plan and one of its items are named, also its neighbours.
    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(Trouble) -> ViewerChart

    /// A chart that is drawn here as it would be in this key, otherwise as it is; nobody has chosen the key, and nothing is kept of it.
    func chart(_ id: AttachmentID, in plan: PlanID, item: ItemID?, as key: String) async throws(Trouble) -> ViewerChart

    /// A browser shows this plan, or none: its charts may be opened next.
    func noteOpen(plan: PlanID?)

    /// A browser opened this page of a chart, at an item if one is named: everything else waits for it. Returns
    /// once its image is there.
    func select(_ page: ViewerPageChoice) async throws(Trouble) -> ChartOutlook.Image

    /// Shows or hides a layer of marks permanently.
    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(Trouble)

    /// Reads a song differently, in one plan or in all; without a view, in the usual way. On return, the plan's chart is there.
    func read(_ song: SongID, as view: SongView?, in plan: PlanID, isEverywhere: Bool) async throws(Trouble)

    /// Shares the musician's marks on a chart with the band, or no longer.
    func share(_ isShared: Bool, _ chart: AttachmentID) async throws(Trouble)

    /// The marks on a chart that were made on another version are right, or else those layers are hidden; gone if the chart is not the one
    /// with this hash any more.
    func settleOlderMarks(on chart: AttachmentID, of hash: ChartHash, areRight: Bool) async throws(Trouble)

    /// The musician's own layer of a chart, as JSON; without its marks if the browser has them, by the tag that it knows.
    func ink(of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8]

    /// Adds a browser's edits, which are `request`. Returns the layer as it is on the disk then, or as much as the browser does not know.
    func keepInk(_ request: [UInt8], of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8]

    /// The musician has read this plan's changes.
    func noteSeen(_ plan: PlanID) async throws(Trouble)

    /// The musician accepts a plan, as the service has it if that is held back, or as it is; gone if that does not have this tag any more.
    func accept(_ plan: PlanID, of tag: String) async throws(Trouble)

    /// The musician accepts a chart as it is here; gone if the doubts about it do not have this tag any more.
    func accept(_ chart: AttachmentID, in plan: PlanID?, of tag: String) async throws(Trouble)

    /// A browser cannot decode this image: it is checked, and made again if it is damaged. Returns whether it was.
    func checkDamage(of name: ImageName) async throws(Trouble) -> Bool

    /// Asks the service now.
    func sync()

    /// An image that was wanted but missing when its address was given out; made now if necessary.
    func image(_ name: ImageName) async throws(Trouble) -> ViewerImageBytes

    /// A page larger than its image in the cache, of the chart whose images are in `folder`; gone if the chart has been replaced by now.
    /// A viewer's newer requests replace its older ones, unless both could be on one screen.
    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(Trouble) -> ViewerImageBytes

    /// A plan or a chart as a PDF with the marks that are shown, made now.
    func pdf(of place: ViewerPDFPlace) async throws(Trouble) -> ViewerPDF

    /// Calls `handler` with later changes; `nil` ends that.
    func setNewsHandler(_ handler: (@LoopActor (ViewerNews) -> Void)?)

    /// Sets whether any browser is looking; if none is, data kept at hand for viewers can be dropped.
    func setLookedAt(_ isLookedAt: Bool)
}

/// The images that are there, for the thread that answers requests; it asks nothing else.
public protocol ViewerImages: Sendable {
    /// The whole image, as bytes or as a file, and records its use; `nil` if it is not there.
    func image(_ name: ImageName) -> ViewerImageBytes?
}

/// An image ready to be sent.
public enum ViewerImageBytes: Sendable {
    case bytes([UInt8])
    /// An open file, which the receiver closes.
    case file(descriptor: Int32, size: Int)
}

/// The subject of a PDF.
public enum ViewerPDFPlace: Hashable, Sendable {
    case plan(PlanID)
    /// A chart, as this plan shows it.
    case chart(AttachmentID, in: PlanID?)
}

/// A PDF ready to be sent.
public struct ViewerPDF: Sendable {
    public var name: String
    /// An open file, which the receiver closes.
    public var descriptor: Int32
    public var size: Int
    /// What is missing from it, in words; empty if it is complete.
    public var lacks: String

    public init(name: String, descriptor: Int32, size: Int, lacks: String = "") {
        (self.name, self.descriptor, self.size, self.lacks) = (name, descriptor, size, lacks)
    }
}

/// A page of a chart, and how to show it.
public struct ViewerPageChoice: Hashable, Sendable {
    public var chart: AttachmentID
    public var plan: PlanID?
    public var item: ItemID?
    public var page: PageIndex
    public var isMarked: Bool

    /// Names a page.
    public init(chart: AttachmentID, plan: PlanID? = nil, item: ItemID? = nil, page: PageIndex, isMarked: Bool) {
        (self.chart, self.plan, self.item, self.page, self.isMarked) = (chart, plan, item, page, isMarked)
    }
}

/// News for open viewers.
public enum ViewerNews: Hashable, Sendable {
    /// The marks on one page changed, and its image is there.
    case page(chart: AttachmentID, ChartOutlook.Page)
    /// These images show the chart's own layer with these states of its parts.
    case ink(chart: AttachmentID, PartStates, images: [ImageName])
    /// A chart changed in more than its marks.
    case chart(AttachmentID, set: String)
    /// The list of plans, or how much of them is ready.
    case plans
    case status(ViewerStatus)
}
