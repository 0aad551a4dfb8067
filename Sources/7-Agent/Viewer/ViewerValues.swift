public import Model
public import Readiness

/// The plans, and how recent the information about them is.
public struct ViewerState: Hashable, Sendable {
    public var now: Timestamp
    public var status: ViewerStatus
    public var plans: [ViewerPlan]

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

    public init(lastPoll: Timestamp? = nil, offlineSince: Timestamp? = nil, failingPolls: FailingPolls? = nil, isPaused: Bool = false) {
        self.lastPoll = lastPoll
        self.offlineSince = offlineSince
        self.failingPolls = failingPolls
        self.isPaused = isPaused
    }
}

/// A plan, with what changed since it was last seen, a sentence each in the order of time.
public struct ViewerPlan: Hashable, Sendable {
    public var outlook: PlanOutlook
    public var changes: [String]

    public init(_ outlook: PlanOutlook, changes: [String] = []) {
        self.outlook = outlook
        self.changes = changes
    }
}

/// A chart in reading view, at an item of a plan.
public struct ViewerChart: Hashable, Sendable {
    /// Another chart of the same running order.
    public struct Neighbour: Hashable, Sendable {
        public var chart: AttachmentID
        public var item: ItemID
        public var title: String

        public init(chart: AttachmentID, item: ItemID, title: String) {
            self.chart = chart
            self.item = item
            self.title = title
        }
    }

    public var attachment: Attachment
    public var item: PlanItem
    public var hash: ChartHash
    public var outlook: ChartOutlook
    public var layers: [ViewerLayer]
    public var next: Neighbour?
    public var previous: Neighbour?

    public init(
        _ attachment: Attachment, at item: PlanItem, hash: ChartHash, outlook: ChartOutlook, layers: [ViewerLayer],
        next: Neighbour? = nil, previous: Neighbour? = nil
    ) {
        self.attachment = attachment
        self.item = item
        self.hash = hash
        self.outlook = outlook
        self.layers = layers
        self.next = next
        self.previous = previous
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

    public init(id: LayerID, name: String, person: String?, isVisible: Bool, pages: [PageIndex]) {
        self.id = id
        self.name = name
        self.person = person
        self.isVisible = isVisible
        self.pages = pages
    }
}
