import Library
public import Model

/// Whether plans can be played from offline, chart by chart, and what they lack.
public struct ReadinessReport: Hashable, Sendable {
    /// Whether a plan is kept ready.
    public enum Standing: Hashable, Sendable {
        case coming
        /// Pinned, but not coming.
        case pinned
        case past
        /// Too far ahead.
        case far
    }

    /// One plan.
    public struct Plan: Hashable, Sendable {
        public let plan: Model.Plan
        public let standing: Standing
        public let isPinned: Bool
        public let charts: [Chart]
        /// What the plan as a whole lacks.
        public let lacks: [ReadinessLack]
        public let notes: [ReadinessNote]

        /// Makes a report of a plan.
        public init(
            plan: Model.Plan, standing: Standing = .coming, isPinned: Bool = false, charts: [Chart], lacks: [ReadinessLack] = [],
            notes: [ReadinessNote] = []
        ) {
            self.plan = plan
            self.standing = standing
            self.isPinned = isPinned
            self.charts = charts
            self.lacks = lacks
            self.notes = notes
        }

        /// Whether nothing is lacking.
        public var isReady: Bool { lacks.isEmpty && charts.allSatisfy(\.isReady) }
        /// Its charts, each once however often it is played; one attachment may have several charts. A song in two keys shows the same
        /// chart twice while the other has not arrived, and then lacks it only once: so what is lacking tells them apart.
        public var distinctCharts: [Chart] {
            struct Identity: Hashable {
                let attachment: AttachmentID
                let hash: ChartHash?
                let lacks: [ReadinessLack]
            }
            var seen: Set<Identity> = []
            return charts.filter { seen.insert(Identity(attachment: $0.attachment, hash: $0.hash, lacks: $0.lacks)).inserted }
        }
        /// Those charts that lack something.
        public var unready: [Chart] { distinctCharts.filter { !$0.isReady } }
        /// Their pages, as far as they are counted.
        public var pages: Int { distinctCharts.reduce(0) { $0 + ($1.pages ?? 0) } }
    }

    /// One chart of one item.
    public struct Chart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let filename: String
        /// The title of the item.
        public let item: String
        /// The hash that its bytes should have; `nil` if it was never downloaded.
        public let hash: ChartHash?
        /// `nil` while they are not counted.
        public let pages: Int?
        /// How many images it should have, and how many of them can be shown.
        public let wanted: Int
        public let present: Int
        public let lacks: [ReadinessLack]
        public let notes: [ReadinessNote]

        /// Makes a report of a chart.
        public init(
            attachment: AttachmentID, filename: String, item: String, hash: ChartHash? = nil, pages: Int? = nil, wanted: Int = 0,
            present: Int = 0, lacks: [ReadinessLack] = [], notes: [ReadinessNote] = []
        ) {
            self.attachment = attachment
            self.filename = filename
            self.item = item
            self.hash = hash
            self.pages = pages
            self.wanted = wanted
            self.present = present
            self.lacks = lacks
            self.notes = notes
        }

        /// Whether nothing is lacking.
        public var isReady: Bool { lacks.isEmpty }
    }

    /// When this was found out.
    public let asOf: Timestamp
    /// When a poll last answered in full; `nil` for never.
    public let lastPoll: Timestamp?
    /// What polls have met since; `nil` if the last one was answered in full.
    public let failingPolls: FailingPolls?
    /// How far this machine's clock was ahead of the service's at the last poll; `nil` if they agreed.
    public let clockAhead: Duration?
    /// Whether every byte was checked, and not only that the files are there and end as they should.
    public let isThorough: Bool
    /// A reason why plans may be missing that nobody knows of; each known plan has the same lack.
    public let doubt: ReadinessLack?
    /// In order of time.
    public let plans: [Plan]
    /// What is wrong with those of the user's mark files that belong to no chart here.
    public let strayMarks: [StrayMarks]
    /// The user's mark files that are understood but belong to no chart here.
    public let unmatchedMarks: [UnmatchedMarks]
    /// Marks on pages that their charts do not have, including charts of other plans.
    public let marksBeyond: [MarksBeyond]
    /// The user's marks that are drawn on one chart and may be meant for another one, too.
    public let marksOnOthers: [MarksOnAnother]
    /// What is wrong with the mark folders; what is known of the files in them is kept.
    public let markFolders: [Setback]

    /// A mark file that cannot be read and belongs to no known chart.
    public struct StrayMarks: Hashable, Sendable {
        public let path: String
        public let fault: String

        /// Makes an entry for a file.
        public init(path: String, fault: String) {
            self.path = path
            self.fault = fault
        }
    }

    /// Makes a report.
    public init(
        asOf: Timestamp, lastPoll: Timestamp?, failingPolls: FailingPolls? = nil, isThorough: Bool, plans: [Plan],
        strayMarks: [StrayMarks] = [],
        unmatchedMarks: [UnmatchedMarks] = [], marksBeyond: [MarksBeyond] = [], marksOnOthers: [MarksOnAnother] = [],
        markFolders: [Setback] = [],
        clockAhead: Duration? = nil, doubt: ReadinessLack? = nil
    ) {
        self.doubt = doubt
        self.clockAhead = clockAhead
        self.asOf = asOf
        self.lastPoll = lastPoll
        self.failingPolls = failingPolls
        self.isThorough = isThorough
        self.plans = plans
        self.strayMarks = strayMarks
        self.unmatchedMarks = unmatchedMarks
        self.marksBeyond = marksBeyond
        self.marksOnOthers = marksOnOthers
        self.markFolders = markFolders
    }

    /// How old that may be unless somebody says otherwise: long enough for a laptop that was closed for a day, and short enough that a
    /// change for Sunday has arrived.
    public static let greatestAge: Duration = .seconds(2 * 86_400)

    /// How old our knowledge of the service is; `nil` if the last poll lies in the future, since then the clock was wrong and nobody
    /// knows.
    public var age: Duration? { lastPoll.flatMap { $0 <= asOf + .seconds(60) ? max(asOf - $0, .zero) : nil } }

    /// Whether every chart of every plan is ready.
    public var isReady: Bool { doubt == nil && plans.allSatisfy(\.isReady) }
}
