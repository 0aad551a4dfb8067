public import Band
public import LayerJoin
public import Model
public import Readiness

/// The plans, and the age of the information about them.
public struct ViewerState: Hashable, Sendable {
    public var now: Timestamp
    public var status: ViewerStatus
    public var plans: [ViewerPlan]
    /// Whether there is a folder for lists of songs that are made in browsers.
    public var keepsLists: Bool

    public init(now: Timestamp, status: ViewerStatus, plans: [ViewerPlan], keepsLists: Bool = false) {
        (self.now, self.status, self.plans, self.keepsLists) = (now, status, plans, keepsLists)
    }
}

/// How the agent's polls of the service went, and whether the agent is paused.
public struct ViewerStatus: Hashable, Sendable {
    public var lastPoll: Timestamp?
    /// Since when the service has not answered; `nil` while it answers.
    public var offlineSince: Timestamp?
    /// The failure of polls since the service last answered in full; `nil` if the last poll was answered in full.
    public var failingPolls: FailingPolls?
    public var isPaused: Bool
    /// Where all plans come from: `.sets` if no account is configured, and a poll is a look at the musician's own folders.
    public var source: PlanSource

    public init(
        lastPoll: Timestamp? = nil, offlineSince: Timestamp? = nil, failingPolls: FailingPolls? = nil, isPaused: Bool = false,
        source: PlanSource = .service
    ) {
        (self.lastPoll, self.offlineSince, self.failingPolls, self.isPaused) = (lastPoll, offlineSince, failingPolls, isPaused)
        self.source = source
    }
}

/// A plan, and its changes since the musician last saw it, as sentences in order of time.
public struct ViewerPlan: Hashable, Sendable {
    public var outlook: PlanOutlook
    public var changes: [String]
    /// The service's version, if it is held back.
    public var held: HeldBackPlan?
    /// The others' reports on the plan; `nil` if there is no band, or nobody reported.
    public var band: BandReadiness?
    /// What others in the band offer for tonight; `nil` if there is no band.
    public var offers: [OfferedTonight]?
    /// Whether the plan is a list of songs in the musician's own folders.
    public var isList = false

    public init(_ outlook: PlanOutlook, changes: [String] = [], held: HeldBackPlan? = nil, band: BandReadiness? = nil) {
        (self.outlook, self.changes, self.held, self.band) = (outlook, changes, held, band)
    }
}

/// A chart of a plan that is not listed.
public struct ViewerOtherChart: Hashable, Sendable {
    public var attachment: Attachment
    public var item: PlanItem
    public var plan: Plan

    public init(_ attachment: Attachment, at item: PlanItem, of plan: Plan) {
        (self.attachment, self.item, self.plan) = (attachment, item, plan)
    }
}

/// A chart as the reading view shows it, at an item of a plan.
public struct ViewerChart: Hashable, Sendable {
    /// Another chart of the same running order.
    public struct Neighbour: Hashable, Sendable {
        public var chart: AttachmentID
        public var item: ItemID
        public var title: String

        public init(chart: AttachmentID, item: ItemID, title: String) { (self.chart, self.item, self.title) = (chart, item, title) }
    }

    public var attachment: Attachment
    public var item: PlanItem
    public var hash: ChartHash
    public var outlook: ChartOutlook
    public var layers: [ViewerLayer]
    /// The states of the parts of the musician's own layer that the chart's images show, or newer states.
    public var ink: PartStates
    /// Whether the musician's marks on the chart are shared with the band; `nil` without a band.
    public var isShared: Bool?
    /// The printed key of the chords, if Woodshed draws the chart.
    public var chords: String?
    /// A tag of the marks that are shown in some keys only, including those for other keys; `nil` if there are none.
    public var inKeys: String?
    /// The item's song, if Woodshed can draw its chart.
    public var song: ViewerSong?
    /// The jumps and bookmarks of the visible layers and the PDF.
    public var places = ChartPlaces()
    /// What became of marks that were made on another version of the chart; `nil` if none followed the music.
    public var moved: MovedMarks?
    public var next: Neighbour?
    public var previous: Neighbour?

    public init(
        _ attachment: Attachment, at item: PlanItem, hash: ChartHash, outlook: ChartOutlook, layers: [ViewerLayer],
        ink: PartStates = PartStates(), isShared: Bool? = nil, chords: String? = nil, inKeys: String? = nil,
        song: ViewerSong? = nil, next: Neighbour? = nil,
        previous: Neighbour? = nil
    ) {
        (self.attachment, self.item, self.hash, self.outlook) = (attachment, item, hash, outlook)
        (self.layers, self.ink, self.isShared, self.next, self.previous) = (layers, ink, isShared, next, previous)
        (self.chords, self.inKeys, self.song) = (chords, inKeys, song)
    }

    public var id: AttachmentID { attachment.id }
    public var pages: [ChartOutlook.Page] {
        get { outlook.pages }
        set { outlook.pages = newValue }
    }
}

/// One person's marks on a chart.
public struct ViewerLayer: Hashable, Sendable {
    public var id: LayerID
    public var name: String
    public var person: String?
    public var isVisible: Bool
    public var pages: [PageIndex]
    /// The pages that looked different when the marks were made.
    public var olderPages: [PageIndex]
    /// Set if another device in the band shares the layer.
    public var shared: Shared?

    public struct Shared: Hashable, Sendable {
        /// The device's name.
        public var device: String
        /// The number of visible marks in the layer.
        public var marks: Int

        public init(device: String, marks: Int) { (self.device, self.marks) = (device, marks) }
    }

    public init(
        id: LayerID, name: String, person: String?, isVisible: Bool, pages: [PageIndex], olderPages: [PageIndex] = [],
        shared: Shared? = nil
    ) {
        (self.id, self.name, self.person, self.isVisible, self.pages) = (id, name, person, isVisible, pages)
        (self.olderPages, self.shared) = (olderPages, shared)
    }
}

extension HeldBackPlan {
    /// Identifies the service's version, by the time since which it has been the same.
    public var tag: String { String(since.nanoseconds) }
}
