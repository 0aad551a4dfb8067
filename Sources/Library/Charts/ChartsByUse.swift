public import Model

/// Something of each chart that is here, by the use that it was fetched for.
///
/// A use whose own chart has not come yet has the newest one of its attachment, in whichever key that is: better than nothing on
/// the stand, and its version says that it is not the right one.
public struct ChartsByUse<Value: Sendable>: Sendable {
    private var own: [ChartUse: Value?] = [:]
    private var newest: [AttachmentID: Value?] = [:]

    /// Holds nothing.
    public init() {}

    /// Adds a chart, with `nil` where nothing is known of it yet; of those of one attachment, the newest comes first.
    mutating func add(_ value: Value?, for use: ChartUse) {
        own.updateValue(value, forKey: use)
        if newest[use.attachment] == nil { newest.updateValue(value, forKey: use.attachment) }
    }

    /// What there is for a use.
    public subscript(use: ChartUse) -> Value? { own[use] ?? newest[use.attachment] ?? nil }
}

extension ChartStore {
    /// The order in which charts of one attachment stand, the newest first: a version begins with the time of its change.
    nonisolated static var newestFirst: String { "version DESC, hash" }

    /// The newest chart of an attachment whose pages are measured, which marks are laid on: they are the same for all of its uses.
    nonisolated static func measuredChart(of attachment: String) -> String {
        """
        SELECT hash FROM attachment_charts JOIN charts USING (hash)
        WHERE attachment_charts.attachment_id = \(attachment) AND described_by IS NOT NULL ORDER BY \(newestFirst) LIMIT 1
        """
    }

    /// Of the charts of an attachment, those that `use` (?1 and ?2) takes the place of, and those whose use no plan has any more.
    nonisolated static var supersededCharts: String {
        """
        attachment_id = ?1 AND (made_from = ?2
            OR made_from NOT IN (SELECT made_from FROM item_attachments WHERE item_attachments.attachment_id = ?1))
        """
    }
}
