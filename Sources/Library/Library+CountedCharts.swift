public import Model

/// A chart whose bytes are here and whose pages were counted, as far as it decides which images there are.
public struct CountedChart: Hashable, Sendable {
    public let hash: ChartHash
    public let pages: Int
    /// Whether its pages look as the machine's fonts do.
    public let needsFonts: Bool
}

extension Library {
    /// The charts of all attachments that are here and counted: in one go, since a thousand are looked at each time.
    public func countedCharts() throws(LibraryError) -> [AttachmentID: CountedChart] {
        var sound: [ChartHash: Bool] = [:]
        var charts: [AttachmentID: CountedChart] = [:]
        let rows = try database.rows(
            """
            SELECT attachment_id, hash, size, fonts_not_embedded IS NOT '[]', pages, read_stamp, read_whole
            FROM attachment_charts JOIN charts USING (hash)
                JOIN (SELECT hash, count(*) AS pages FROM chart_pages GROUP BY hash) USING (hash)
            WHERE described_by IS NOT NULL
            """
        ) { row throws(LibraryError) in
            let chart = try hash(row.text(1))
            return (
                row.text(0), ChartFile(chart: chart, path: path(of: chart), size: row.integer(2), lastReading: Self.reading(row, from: 5)),
                row.integer(3) != 0, row.integer(4)
            )
        }
        for (attachment, file, needsFonts, pages) in rows {
            let chart = file.chart
            let isHere = sound[chart] ?? file.mayBeWhole
            sound[chart] = isHere
            if isHere { charts[AttachmentID(attachment)] = CountedChart(hash: chart, pages: pages, needsFonts: needsFonts) }
        }
        return charts
    }

    /// The same for one attachment.
    public func countedChart(of attachment: AttachmentID) throws(LibraryError) -> CountedChart? {
        guard let chart = try chart(of: attachment), try hasBytes(of: chart.hash), let description = try description(of: chart.hash)
        else { return nil }
        return CountedChart(hash: chart.hash, pages: description.pages.count, needsFonts: description.needsFonts)
    }
}
