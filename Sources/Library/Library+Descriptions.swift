public import Model

extension Library {
    /// A chart's pages, in order; `nil` as long as no renderer has told them.
    public func description(of chart: ChartHash) throws(LibraryError) -> [PageGeometry]? {
        try database.read { () throws(LibraryError) in
            let isDescribed = try database.row("SELECT described_by IS NOT NULL FROM charts WHERE hash = ?", [.hash(chart)]) {
                $0.integer(0) != 0
            }
            guard isDescribed == true else { return nil }
            return try database.rows("SELECT width, height FROM chart_pages WHERE hash = ? ORDER BY page", [.hash(chart)]) { row in
                PageGeometry(width: row.real(0), height: row.real(1))
            }
        }
    }

    /// Keeps what a renderer told of a chart's pages. A chart that could not be opened before is readable from now on.
    public func setDescription(_ pages: [PageGeometry], of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            let changes = try database.run(
                "UPDATE charts SET described_by = ?, unreadable_by = NULL, unreadable_because = NULL WHERE hash = ?",
                [.text(tag.text), .hash(chart)])
            guard changes > 0 else { throw .unknownChart(chart) }
            try database.run("DELETE FROM chart_pages WHERE hash = ?", [.hash(chart)])
            for (index, page) in pages.enumerated() {
                try database.run(
                    "INSERT INTO chart_pages (hash, page, width, height) VALUES (?, ?, ?, ?)",
                    [.hash(chart), .integer(index), .real(page.width), .real(page.height)])
            }
        }
    }

    /// Why a chart could not be opened when it was last tried; `nil` for one that could, or was not tried.
    public func unreadable(_ chart: ChartHash) throws(LibraryError) -> UnreadableChart? {
        try database.row(
            "SELECT unreadable_because, unreadable_by FROM charts WHERE hash = ? AND unreadable_by IS NOT NULL", [.hash(chart)]
        ) { row in
            UnreadableChart(reason: row.text(0), tag: RendererTag(row.text(1)))
        }
    }

    /// Remembers that a renderer could not open a chart, so that the same one does not try again.
    ///
    /// What another renderer told of its pages stays: the images that it made can still be shown.
    public func setUnreadable(_ reason: String, of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        let changes = try database.run(
            "UPDATE charts SET unreadable_because = ?, unreadable_by = ? WHERE hash = ?",
            [.text(reason), .text(tag.text), .hash(chart)])
        guard changes > 0 else { throw .unknownChart(chart) }
    }
}
