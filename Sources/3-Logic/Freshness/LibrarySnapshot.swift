public import Model

/// The part of the library's contents that decides which images are wanted.
public struct LibrarySnapshot: Hashable, Sendable {
    /// The plans, in any order.
    public var plans: [PlanSnapshot]

    public init(plans: [PlanSnapshot]) { self.plans = plans }
}

public struct PlanSnapshot: Hashable, Sendable {
    public var plan: Plan
    /// The charts in the plan's order; a chart may occur twice.
    public var charts: [ChartSnapshot]

    public init(plan: Plan, charts: [ChartSnapshot]) { (self.plan, self.charts) = (plan, charts) }
}

/// A chart in a plan, once its pages have been counted.
public struct ChartSnapshot: Hashable, Sendable {
    public var attachment: AttachmentID
    /// The origin of the chart where this plan uses it; empty for a chart that is not made on demand.
    public var madeFrom: String
    public var hash: ChartHash
    /// Whether the file is here, so that its images can be made.
    public var isHere: Bool
    public var pageCount: Int
    /// True if the chart has text in fonts that are not embedded.
    public var needsFonts: Bool
    /// The marks of each page that has visible marks. Two attachments with equal bytes may have different marks.
    public var marks: [PageIndex: MarkDigest]

    /// Identifies the chart within its plan.
    public var use: ChartUse { ChartUse(attachment, madeFrom: madeFrom) }

    public init(
        attachment: AttachmentID, madeFrom: String = "", hash: ChartHash, isHere: Bool = true, pageCount: Int, needsFonts: Bool = false,
        marks: [PageIndex: MarkDigest] = [:]
    ) {
        (self.attachment, self.madeFrom, self.hash, self.pageCount, self.needsFonts) = (attachment, madeFrom, hash, pageCount, needsFonts)
        (self.marks, self.isHere) = (marks, isHere)
    }
}
