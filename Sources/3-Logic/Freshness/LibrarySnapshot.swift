public import Model

/// The part of the library's contents that decides which images are wanted.
public struct LibrarySnapshot: Hashable, Sendable {
    /// In any order.
    public var plans: [PlanSnapshot]

    public init(plans: [PlanSnapshot]) { self.plans = plans }
}

public struct PlanSnapshot: Hashable, Sendable {
    public var plan: Plan
    /// In the order in which the plan shows them; the same chart may come twice.
    public var charts: [ChartSnapshot]

    public init(plan: Plan, charts: [ChartSnapshot]) { (self.plan, self.charts) = (plan, charts) }
}

/// One chart of a plan whose pages have been counted.
public struct ChartSnapshot: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The origin that this use of the chart is made from.
    public var madeFrom: String
    public var hash: ChartHash
    /// Whether its bytes are here, so that its images can be made.
    public var isHere: Bool
    public var pageCount: Int
    /// True if it has text in fonts that are not embedded.
    public var needsFonts: Bool
    /// The marks on the pages that have visible ones. Two attachments with equal bytes may carry different marks.
    public var marks: [PageIndex: MarkDigest]

    /// Which chart of its plan it is.
    public var use: ChartUse { ChartUse(attachment, madeFrom: madeFrom) }

    public init(
        attachment: AttachmentID, madeFrom: String = "", hash: ChartHash, isHere: Bool = true, pageCount: Int, needsFonts: Bool = false,
        marks: [PageIndex: MarkDigest] = [:]
    ) {
        (self.attachment, self.madeFrom, self.hash, self.pageCount, self.needsFonts) = (attachment, madeFrom, hash, pageCount, needsFonts)
        (self.marks, self.isHere) = (marks, isHere)
    }
}
