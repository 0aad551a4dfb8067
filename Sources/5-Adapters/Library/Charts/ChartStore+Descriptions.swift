public import Catalogue
public import Model

extension ChartStore {
    /// What is known of a chart's pages; `nil` until a renderer has described them.
    public func description(of chart: ChartHash) throws(LibraryError) -> StoredDescription? {
        try database.read { () throws(LibraryError) in
            let found = try database.row(
                "SELECT fonts_not_embedded, has_images FROM charts WHERE hash = ? AND described_by IS NOT NULL", [.hash(chart)]
            ) { row in (fonts: row.optionalText(0), hasImages: row.integer(1) != 0) }
            guard let (fonts, hasImages) = found else { return nil }
            let pages = try database.rows("SELECT width, height FROM chart_pages WHERE hash = ? ORDER BY page", [.hash(chart)]) { row in
                PageGeometry(width: row.real(0), height: row.real(1))
            }
            var names: [String]?
            if let fonts { names = try StoredJSON.read([String].self, fonts, in: database) }
            return StoredDescription(pages: pages, fontsNotEmbedded: names, hasImages: hasImages)
        }
    }

    /// Keeps a renderer's description of a chart. A chart that could not be opened before counts as readable from now on.
    public func setDescription(_ description: StoredDescription, of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        var fonts = SQLValue.null
        if let names = description.fontsNotEmbedded { fonts = .text(try StoredJSON.write(names, in: database)) }
        try database.write { () throws(LibraryError) in
            let changes = try database.run(
                """
                UPDATE charts SET described_by = ?, fonts_not_embedded = ?, has_images = ?,
                    unreadable_by = NULL, unreadable_because = NULL WHERE hash = ?
                """,
                [.text(tag.text), fonts, .flag(description.hasImages), .hash(chart)])
            guard changes > 0 else { throw .unknownChart(chart) }
            try database.run("DELETE FROM render_faults WHERE hash = ? AND image = ''", [.hash(chart)])
            try database.run("DELETE FROM chart_pages WHERE hash = ?", [.hash(chart)])
            for (index, page) in description.pages.enumerated() {
                try database.run(
                    "INSERT INTO chart_pages (hash, page, width, height) VALUES (?, ?, ?, ?)",
                    [.hash(chart), .integer(index), .real(page.width), .real(page.height)])
            }
        }
    }

    /// Why a chart could not be opened at the last attempt; `nil` if it could, or was never tried.
    public func unreadable(_ chart: ChartHash) throws(LibraryError) -> UnreadableChart? {
        try database.row(
            "SELECT unreadable_because, unreadable_by FROM charts WHERE hash = ? AND unreadable_by IS NOT NULL", [.hash(chart)]
        ) { row in
            UnreadableChart(reason: row.text(0), tag: RendererTag(row.text(1)))
        }
    }

    /// Remembers that a renderer could not open a chart, so that the same renderer does not try again.
    ///
    /// The description by another renderer stays: the images that it made can still be shown.
    public func setUnreadable(_ reason: String, of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        let changes = try database.run(
            "UPDATE charts SET unreadable_because = ?, unreadable_by = ? WHERE hash = ?",
            [.text(reason), .text(tag.text), .hash(chart)])
        guard changes > 0 else { throw .unknownChart(chart) }
    }
}
