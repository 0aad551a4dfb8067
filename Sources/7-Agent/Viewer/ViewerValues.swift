public import Model

/// The plans, and how recent the information about them is.
public struct ViewerState: Hashable, Sendable {
    public var now: Timestamp
    public var status: ViewerStatus
    public var plans: [ViewerPlan]

    /// Makes a state.
    public init(now: Timestamp, status: ViewerStatus, plans: [ViewerPlan]) {
        self.now = now
        self.status = status
        self.plans = plans
    }
}

/// How the agent and the service get on.
public struct ViewerStatus: Hashable, Sendable {
    public var lastPoll: Timestamp?
    /// Since when the service has not answered; `nil` while it does.
    public var offlineSince: Timestamp?
    /// What polls have met since the service last answered in full; `nil` if the last one did.
    public var failingPolls: FailingPolls?
    public var isPaused: Bool

    /// Makes a status.
    public init(lastPoll: Timestamp? = nil, offlineSince: Timestamp? = nil, failingPolls: FailingPolls? = nil, isPaused: Bool = false) {
        self.lastPoll = lastPoll
        self.offlineSince = offlineSince
        self.failingPolls = failingPolls
        self.isPaused = isPaused
    }
}

/// How much of something is here.
public enum ViewerReadiness: String, Hashable, Sendable {
    case ready, partly, missing
    /// It is here, but cannot be drawn.
    case unreadable
}

/// One plan in the list.
public struct ViewerPlan: Hashable, Sendable {
    public var plan: Plan
    public var readiness: ViewerReadiness
    public var pages: Int
    public var pagesReady: Int
    public var charts: Int
    public var chartsReady: Int
    /// What changed since it was last seen, a sentence each.
    public var changes: [String]
    /// What is worth knowing about it, a sentence each.
    public var flags: [String]
    public var isPinned: Bool

    /// Makes a plan in the list.
    public init(
        plan: Plan, readiness: ViewerReadiness, pages: Int, pagesReady: Int, charts: Int, chartsReady: Int, changes: [String] = [],
        flags: [String] = [],
        isPinned: Bool = false
    ) {
        self.plan = plan
        self.readiness = readiness
        self.pages = pages
        self.pagesReady = pagesReady
        self.charts = charts
        self.chartsReady = chartsReady
        self.changes = changes
        self.flags = flags
        self.isPinned = isPinned
    }
}

/// One plan with its running order.
public struct ViewerPlanContents: Hashable, Sendable {
    public var plan: ViewerPlan
    public var items: [ViewerItem]

    /// Makes a plan with its running order.
    public init(plan: ViewerPlan, items: [ViewerItem]) {
        self.plan = plan
        self.items = items
    }
}

/// One entry of a running order.
public struct ViewerItem: Hashable, Sendable {
    public var id: ItemID
    public var title: String
    /// `song`, `header`, `media` or `item`.
    public var kind: String
    public var key: String?
    public var arrangement: String?
    public var notes: [String]
    /// In seconds.
    public var length: Int?
    public var charts: [ViewerItemChart]

    /// Makes an entry.
    public init(
        id: ItemID, title: String, kind: String, key: String? = nil, arrangement: String? = nil, notes: [String] = [], length: Int? = nil,
        charts: [ViewerItemChart] = []
    ) {
        self.id = id
        self.title = title
        self.kind = kind
        self.key = key
        self.arrangement = arrangement
        self.notes = notes
        self.length = length
        self.charts = charts
    }
}

/// One chart of an entry.
public struct ViewerItemChart: Hashable, Sendable {
    public var id: AttachmentID
    public var name: String
    /// `nil` until they have been counted.
    public var pages: Int?
    public var readiness: ViewerReadiness
    /// Why it is not ready.
    public var reason: String?
    public var flags: [String]
    /// The order in which its pages are shown; a page may occur twice.
    public var order: [PageIndex]
    /// By page.
    public var thumbnails: [ViewerImage]

    /// Makes a chart of an entry.
    public init(
        id: AttachmentID, name: String, pages: Int?, readiness: ViewerReadiness, reason: String? = nil, flags: [String] = [],
        order: [PageIndex] = [], thumbnails: [ViewerImage] = []
    ) {
        self.id = id
        self.name = name
        self.pages = pages
        self.readiness = readiness
        self.reason = reason
        self.flags = flags
        self.order = order
        self.thumbnails = thumbnails
    }
}

/// One image by its name, with its size in pixels.
public struct ViewerImage: Hashable, Sendable {
    public var name: ImageName
    public var width: Int
    public var height: Int
    /// Whether it was there when last looked for.
    public var isHere: Bool
    /// Where it has ink, if that is known.
    public var ink: PageInk?
    /// While it is missing, an earlier image that shows the same page.
    public var older: ImageName?

    /// Makes a description of an image.
    public init(name: ImageName, width: Int, height: Int, isHere: Bool, ink: PageInk? = nil, older: ImageName? = nil) {
        self.name = name
        self.width = width
        self.height = height
        self.isHere = isHere
        self.ink = ink
        self.older = older
    }

    /// Only what its name says, whether or not it has been made.
    public var asNamed: ViewerImage { ViewerImage(name: name, width: width, height: height, isHere: true) }
}

/// One chart in reading view.
public struct ViewerChart: Hashable, Sendable {
    /// Another chart in the running order.
    public struct Neighbour: Hashable, Sendable {
        public var chart: AttachmentID
        public var item: ItemID
        public var title: String

        /// Makes a neighbour.
        public init(chart: AttachmentID, item: ItemID, title: String) {
            self.chart = chart
            self.item = item
            self.title = title
        }
    }

    public var id: AttachmentID
    public var name: String
    public var title: String
    public var key: String?
    public var hash: ChartHash
    public var layers: [ViewerLayer]
    public var pages: [ViewerPage]
    public var order: [PageIndex]
    public var flags: [String]
    public var next: Neighbour?
    public var previous: Neighbour?

    /// Makes a chart.
    public init(
        id: AttachmentID, name: String, title: String, key: String?, hash: ChartHash, layers: [ViewerLayer], pages: [ViewerPage],
        order: [PageIndex], flags: [String] = [], next: Neighbour? = nil, previous: Neighbour? = nil
    ) {
        self.id = id
        self.name = name
        self.title = title
        self.key = key
        self.hash = hash
        self.layers = layers
        self.pages = pages
        self.order = order
        self.flags = flags
        self.next = next
        self.previous = previous
    }
}

/// Somebody's marks on a chart.
public struct ViewerLayer: Hashable, Sendable {
    public var id: LayerID
    public var name: String
    public var person: String?
    public var isVisible: Bool
    public var pages: [PageIndex]

    /// Makes a description of a layer.
    public init(id: LayerID, name: String, person: String?, isVisible: Bool, pages: [PageIndex]) {
        self.id = id
        self.name = name
        self.person = person
        self.isVisible = isVisible
        self.pages = pages
    }
}

/// One page of a chart, with its three images.
public struct ViewerPage: Hashable, Sendable {
    public var index: PageIndex
    /// In points.
    public var width: Double
    public var height: Double
    public var isMarked: Bool
    public var plain: ViewerImage
    /// The same as the plain one if there are no marks.
    public var annotated: ViewerImage
    public var thumbnail: ViewerImage

    /// Makes a description of a page.
    public init(
        index: PageIndex, width: Double, height: Double, isMarked: Bool, plain: ViewerImage, annotated: ViewerImage, thumbnail: ViewerImage
    ) {
        self.index = index
        self.width = width
        self.height = height
        self.isMarked = isMarked
        self.plain = plain
        self.annotated = annotated
        self.thumbnail = thumbnail
    }
}
