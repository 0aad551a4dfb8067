public import Model

/// The part of the library's contents that decides which images are wanted.
public struct LibrarySnapshot: Hashable, Sendable {
    /// In any order.
    public var plans: [PlanSnapshot]

    /// Makes a snapshot.
    public init(plans: [PlanSnapshot]) {
        self.plans = plans
    }
}

/// One plan of the library.
public struct PlanSnapshot: Hashable, Sendable {
    public var plan: Plan
    /// In the order in which the plan shows them; the same chart may come twice.
    public var charts: [ChartSnapshot]

    /// Makes a snapshot of a plan.
    public init(plan: Plan, charts: [ChartSnapshot]) {
        self.plan = plan
        self.charts = charts
    }
}

/// One chart of a plan whose bytes are here and whose pages have been counted.
public struct ChartSnapshot: Hashable, Sendable {
    public var attachment: AttachmentID
    /// What this use of the chart is made from.
    public var madeFrom: String
    public var hash: ChartHash
    public var pageCount: Int
    /// Whether it has text in fonts that are not embedded.
    public var needsFonts: Bool
    /// What is drawn on the pages that have visible marks. Two attachments with equal bytes may carry different marks.
    public var marks: [PageIndex: MarkDigest]

    /// Which chart of its plan it is.
    public var use: ChartUse { ChartUse(attachment, madeFrom: madeFrom) }

    /// Makes a snapshot of a chart.
    public init(
        attachment: AttachmentID, madeFrom: String = "", hash: ChartHash, pageCount: Int, needsFonts: Bool = false,
        marks: [PageIndex: MarkDigest] = [:]
    ) {
        self.attachment = attachment
        self.madeFrom = madeFrom
        self.hash = hash
        self.pageCount = pageCount
        self.needsFonts = needsFonts
        self.marks = marks
    }
}
