public import Catalogue
import ChartLinks
public import Model

extension ChartStore {
    /// The charts of all attachments that are here and counted: in one query, since each look goes through a thousand of them.
    public func counted() throws(LibraryError) -> ChartsByUse<CountedChart> {
        var sound: [ChartHash: Bool] = [:]
        var charts = ChartsByUse<CountedChart>()
        let rows = try database.rows(
            """
            SELECT attachment_id, made_from, hash, size, fonts_not_embedded IS NOT '[]',
                CASE WHEN described_by IS NOT NULL THEN pages END, read_stamp, read_whole
            FROM attachment_charts JOIN charts USING (hash)
                LEFT JOIN (SELECT hash, count(*) AS pages FROM chart_pages GROUP BY hash) USING (hash)
            ORDER BY attachment_id, \(Self.newestFirst)
            """
        ) { row throws(LibraryError) in
            let chart = try database.hash(row.text(2))
            return (
                ChartUse(AttachmentID(row.text(0)), madeFrom: row.text(1)),
                ChartFile(chart: chart, path: path(of: chart), size: row.integer(3), lastReading: Self.reading(row, from: 6)),
                row.integer(4) != 0, row.integer(5)
            )
        }
        for (use, file, needsFonts, pages) in rows {
            let chart = file.chart
            let isHere = sound[chart] ?? file.mayBeWhole
            sound[chart] = isHere
            let isCounted = isHere && pages > 0
            charts.add(isCounted ? CountedChart(hash: chart, pages: pages, needsFonts: needsFonts) : nil, for: use)
        }
        return charts
    }

    /// The same for a single use.
    public func counted(of use: ChartUse) throws(LibraryError) -> CountedChart? {
        guard let chart = try chart(of: use), try hasBytes(of: chart.hash), let description = try description(of: chart.hash)
        else { return nil }
        return CountedChart(hash: chart.hash, pages: description.pages.count, needsFonts: description.needsFonts)
    }
}
