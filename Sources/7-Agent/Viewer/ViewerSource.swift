public import LayerJoin
public import Model
public import Platform
public import Readiness
public import Sets

/// The viewer's access to the agent. All calls are made and answered on the loop.
@LoopActor
public protocol ViewerSource: AnyObject {
    /// The upcoming and pinned plans, nearest first, and the age of this information.
    func state() async throws(Trouble) -> ViewerState

    /// The charts with pages to show from plans that are in the library but not in the list, because they are over or far ahead.
    /// The charts of the latest plan come first. With them, the songs in books, of all charts that are here or in the musician's own folders.
    func others() async throws(Trouble) -> (charts: [ViewerOtherChart], songs: [ViewerBookSong])

    /// Brings a chart from one of the musician's own folders here, by the id that `others` gave, and returns its id from now on.
    func open(file id: AttachmentID) async throws(Trouble) -> AttachmentID

    /// The list of songs that a plan is, as its file is now.
    func list(of plan: PlanID) async throws(Trouble) -> SetListFile

    /// Writes a list of songs to its file, unless somebody has changed the file.
    func write(_ draft: SetDraft) async throws(Trouble) -> SetDraft.Outcome

    /// One plan with its running order.
    func plan(_ id: PlanID) async throws(Trouble) -> ViewerPlan

    /// One chart with its pages; also its neighbours, if a plan and one of its items are named.
    func chart(_ id: AttachmentID, in plan: PlanID?, item: ItemID?) async throws(Trouble) -> ViewerChart

    /// A drawn chart as it would be in this key, which nobody has chosen, or any other chart as it is. The result is not stored.
    func chart(_ id: AttachmentID, in plan: PlanID, item: ItemID?, as key: String) async throws(Trouble) -> ViewerChart

    /// Notes that a browser shows this plan, or none: its charts may be opened next.
    func noteOpen(plan: PlanID?)

    /// Notes that a browser opened this page of a chart, at an item if one is named; all other work gives way.
    /// Returns once the page's image is ready.
    func select(_ page: ViewerPageChoice) async throws(Trouble) -> ChartOutlook.Image

    /// Shows or hides a layer of marks permanently.
    func setLayer(_ layer: LayerID, isVisible: Bool, of chart: AttachmentID) async throws(Trouble)

    /// Has a song read in another form, in one plan or in all. Without a view, the song is read in its usual form. On return, the
    /// plan's chart exists. Returns the chart to show now: without a view, the item may show another chart of the song.
    func read(_ song: SongID, as view: SongView?, in plan: PlanID, item: ItemID?, isEverywhere: Bool) async throws(Trouble) -> AttachmentID

    /// Shares the musician's marks on a chart with the band, or stops sharing them.
    func share(_ isShared: Bool, _ chart: AttachmentID) async throws(Trouble)

    /// Does what the musician answers about marks on a chart that were made on another version. Fails with `gone` if the chart no longer
    /// has this hash.
    func settleOlderMarks(on chart: AttachmentID, of hash: ChartHash, _ answer: OlderMarksAnswer) async throws(Trouble)

    /// Puts the middle of a mark of another version at this place, or leaves the mark out if there is none. Fails with `gone` if the chart
    /// no longer has this hash.
    func place(
        _ mark: String, of layer: LayerID, on chart: AttachmentID, of hash: ChartHash, at place: (page: PageIndex, x: Double, y: Double)?
    ) async throws(Trouble)

    /// The musician's own layer of a chart, as JSON. The marks are left out if the browser's `tag` shows that it has them already.
    func ink(of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8]

    /// Stores a browser's edits, given in `request`. Returns the stored layer, or only the part that the browser lacks.
    func keepInk(_ request: [UInt8], of chart: AttachmentID, known tag: String?) async throws(Trouble) -> [UInt8]

    /// Changes tonight's set of a plan. Fails with `overtaken` if somebody changed it since the page was shown.
    func change(_ request: TonightRequest) async throws(Trouble)

    /// Notes that the musician has read this plan's changes.
    func noteSeen(_ plan: PlanID) async throws(Trouble)

    /// Accepts a plan: the service's version if that is held back, otherwise as it is. Fails with `gone` if the tag has changed.
    func accept(_ plan: PlanID, of tag: String) async throws(Trouble)

    /// Accepts a chart as it is here. Fails with `gone` if the tag of the doubts about it has changed.
    func accept(_ chart: AttachmentID, in plan: PlanID?, of tag: String) async throws(Trouble)

    /// Checks an image that a browser cannot decode, and has it made again if it is damaged. Returns whether it is.
    func checkDamage(of name: ImageName) async throws(Trouble) -> Bool

    /// Polls the service now.
    func sync()

    /// An image that was listed as missing when its address was sent; made now if necessary.
    func image(_ name: ImageName) async throws(Trouble) -> ViewerImageBytes

    /// A page larger than its cached image, of the chart whose images are in `folder`. Fails with `gone` if the chart has been
    /// replaced. A viewer's newer requests cancel its older ones, unless both pages could be on one screen.
    func live(
        _ page: ViewerPageChoice, in folder: ImageFolder, longSide: Int, for viewer: String
    ) async throws(Trouble) -> ViewerImageBytes

    /// A plan or a chart as a PDF with visible marks, made now.
    func pdf(of place: ViewerPDFPlace) async throws(Trouble) -> ViewerPDF

    /// Who leads those who turn pages together; `nil` if nobody does.
    var together: ViewerNews? { get }

    /// Does what a browser's window asks of those who turn together. `browser` identifies the browser, and `name` names it for people.
    /// Fails with `gone` if another window leads, and with `unknown` if none does.
    func turn(_ wish: Together.Wish, from browser: String, named name: String) async throws(Trouble)

    /// Takes what another agent of the band says of who leads. Returns what counts instead, if that is another word.
    func receive(_ word: TogetherWord) async throws(Trouble) -> TogetherWord?

    /// Calls `handler` with later changes; `nil` removes it.
    func setNewsHandler(_ handler: (@LoopActor (ViewerNews) -> Void)?)

    /// Sets whether any browser is open; if none is, data kept for viewers can be dropped.
    func setLookedAt(_ isLookedAt: Bool)
}

/// The existing images, for the thread that answers requests, which has no other access to the agent.
public protocol ViewerImages: Sendable {
    /// The whole image, as bytes or as a file; `nil` if it does not exist. Records the image's use.
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
    /// What the PDF lacks, in words; empty if it is complete.
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

    public init(chart: AttachmentID, plan: PlanID? = nil, item: ItemID? = nil, page: PageIndex, isMarked: Bool) {
        (self.chart, self.plan, self.item, self.page, self.isMarked) = (chart, plan, item, page, isMarked)
    }
}

/// News for open viewers.
public enum ViewerNews: Hashable, Sendable {
    /// The marks on one page changed, and its new image is ready.
    case page(chart: AttachmentID, ChartOutlook.Page)
    /// These images show the musician's own layer of the chart, with its parts in these states.
    case ink(chart: AttachmentID, PartStates, images: [ImageName])
    /// A chart changed in more than its marks.
    case chart(AttachmentID, set: String)
    /// The list of plans changed, or how much of them is ready.
    case plans
    case status(ViewerStatus)
    /// Who leads those who turn together, and how long ago the last word of the leader came.
    case together(Together, silence: Duration)
}
