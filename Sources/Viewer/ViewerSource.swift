public import Model
public import Platform

/// What the viewer's pages need of whoever keeps the plans ready. Everything is asked and answered on the loop.
@LoopActor
public protocol ViewerSource: AnyObject {
    /// The coming and the pinned plans, nearest first, and how fresh all of it is.
    func state() async throws(ViewerRefusal) -> ViewerState

    /// One plan with its running order.
    func plan(_ id: PlanID) async throws(ViewerRefusal) -> ViewerPlanContents

    /// One chart with its pages; where a plan and an item of it are named, also what comes before and after.
    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(ViewerRefusal) -> ViewerChart

    /// Somebody looks at this plan, or at none: its charts may be opened next.
    func look(at plan: PlanID?)

    /// Somebody opened this page of a chart, in the order of an item where one is named: everything else waits for it. Answers
    /// when its image is there.
    func select(_ page: ViewerPageChoice) async throws(ViewerRefusal) -> ViewerImage

    /// Shows or hides a layer of marks, for good.
    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(ViewerRefusal)

    /// The changes of this plan were read.
    func noteSeen(_ plan: PlanID) async throws(ViewerRefusal)

    /// A browser cannot decode this image: it is checked, and made again if it is damaged. Answers whether it was.
    func checkDamage(of name: ImageName) async throws(ViewerRefusal) -> Bool

    /// Has the service asked now.
    func sync()

    /// An image that is wanted but was not there when its address was asked for; made now if it has to be.
    func image(_ name: ImageName) async throws(ViewerRefusal) -> ViewerImageBytes

    /// A page larger than it is kept, of the bytes whose images lie in this folder: it is gone when the chart has others by now.
    /// Of what one viewer waits for, newer requests take the place of older ones, as far as they cannot be on one screen.
    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(ViewerRefusal) -> ViewerImageBytes

    /// Has `handler` called with what changed, from now on; `nil` ends that.
    func setNewsHandler(_ handler: (@LoopActor (ViewerNews) -> Void)?)

    /// Whether anybody looks at all: what is kept warm for them may go when nobody does.
    func setLookedAt(_ isLookedAt: Bool)
}

/// Images that are there, for the thread that answers requests: it asks nobody else.
public protocol ViewerImages: Sendable {
    /// The whole image as bytes or as a file, and notes its use; `nil` when it is not there.
    func image(_ name: ImageName) -> ViewerImageBytes?
}

/// An image ready to be sent.
public enum ViewerImageBytes: Sendable {
    case bytes([UInt8])
    /// An open file that the receiver closes.
    case file(descriptor: Int32, size: Int)
}

/// A page of a chart as it is to be shown.
public struct ViewerPageChoice: Hashable, Sendable {
    public var chart: AttachmentID
    public var plan: PlanID?
    public var item: ItemID?
    public var page: PageIndex
    public var isMarked: Bool

    /// Names a page.
    public init(chart: AttachmentID, plan: PlanID? = nil, item: ItemID? = nil, page: PageIndex, isMarked: Bool) {
        self.chart = chart
        self.plan = plan
        self.item = item
        self.page = page
        self.isMarked = isMarked
    }
}

/// Why something is not available, in a sentence for a musician.
public struct ViewerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
        /// There is no such plan, chart, page or layer.
        case unknown
        /// It was there, and is something else by now: ask for the chart again.
        case gone
        /// It is known, and cannot be had now.
        case unavailable
        /// A newer request took its place.
        case overtaken
    }

    public let kind: Kind
    public let description: String

    /// Makes a refusal.
    public init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

/// Something that those who look on want to know.
public enum ViewerNews: Hashable, Sendable {
    /// One page's marks changed, and its image is there.
    case page(chart: AttachmentID, page: PageIndex, annotated: ViewerImage, isMarked: Bool)
    /// More than that changed of a chart.
    case chart(AttachmentID, set: String)
    /// The list of plans, or what is ready of them.
    case plans
    case status(lastPoll: Timestamp?, offlineSince: Timestamp?, isPaused: Bool)
}
