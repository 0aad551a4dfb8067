public import Catalogue
public import Model

extension OlderMarkStore {
    /// The pages with marks that were made on another chart, if it is not known yet whether they look different.
    public func pagesToCompare() throws(LibraryError) -> [PagePair] {
        try database.read { () throws(LibraryError) in
            var pairs: Set<PagePair> = []
            for (older, pages) in try olderPages() {
                for page in pages { pairs.insert(PagePair(former: older.former, chart: older.chart, page: page)) }
            }
            var open: [PagePair] = []
            for pair in pairs where try differs(pair) == nil { open.append(pair) }
            return open.sorted()
        }
    }

    /// The marks that were made on pages which look different by now, as far as that was found out and the user has not
    /// accepted them; by attachment and layer.
    public func outdatedMarks() throws(LibraryError) -> [OutdatedMarks] {
        try database.read { () throws(LibraryError) in try findOutdatedMarks() }
    }

    /// The same for one attachment.
    public func outdatedMarks(of attachment: AttachmentID) throws(LibraryError) -> [OutdatedMarks] {
        try outdatedMarks().filter { $0.attachment == attachment }
    }

    /// Remembers which pages look different, and journals the marks that this makes outdated. Returns these changes.
    @discardableResult
    public func record(_ comparisons: [PagePair: Bool], at time: Timestamp) throws(LibraryError) -> [LibraryChange] {
        guard !comparisons.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            let former = try outdatedPages()
            for (pair, differs) in comparisons {
                try database.run(
                    "INSERT OR REPLACE INTO page_comparisons (former, chart, page, differs) VALUES (?, ?, ?, ?)",
                    [.hash(pair.former), .hash(pair.chart), .integer(pair.page.value), .flag(differs)])
            }
            var changes: [LibraryChange] = []
            for (attachment, pages) in try outdatedPages().sorted(by: { $0.key < $1.key }) {
                let news = pages.subtracting(former[attachment] ?? []).sorted()
                guard !news.isEmpty else { continue }
                changes.append(.marksOutdated(.init(id: attachment, name: try charts.chartName(attachment)), pages: news))
            }
            try journal.record(changes, at: time)
            return changes
        }
    }

    /// Forgets what is known of charts that are no longer here.
    func removeComparisons() throws(LibraryError) {
        try database.run(
            "DELETE FROM page_comparisons WHERE former NOT IN (SELECT hash FROM charts) OR chart NOT IN (SELECT hash FROM charts)")
    }

    private func findOutdatedMarks() throws(LibraryError) -> [OutdatedMarks] {
        var found: [OutdatedMarks] = []
        for (older, pages) in try olderPages() {
            var different: [PageIndex] = []
            for page in pages {
                if try differs(PagePair(former: older.former, chart: older.chart, page: page)) == true { different.append(page) }
            }
            guard !different.isEmpty else { continue }
            found.append(
                OutdatedMarks(
                    attachment: older.attachment, chart: older.chart, layer: older.layer, former: older.former, pages: different.sorted()))
        }
        return found
    }

    private func outdatedPages() throws(LibraryError) -> [AttachmentID: Set<PageIndex>] {
        Dictionary(try findOutdatedMarks().map { ($0.attachment, Set($0.pages)) }) { $0.union($1) }
    }

    /// A layer with marks that were made on another chart than the one its attachment has now.
    private struct Older {
        let attachment: AttachmentID
        let layer: LayerID
        let former: ChartHash
        let chart: ChartHash
    }

    private func olderPages() throws(LibraryError) -> [(Older, Set<PageIndex>)] {
        var found: [(Older, Set<PageIndex>)] = []
        for older in try all() {
            for (layer, former) in older.layers.sorted(by: { $0.key < $1.key }) {
                let older = Older(attachment: older.attachment, layer: layer, former: former, chart: older.chart)
                found.append((older, try drawings.markedPages(of: layer)))
            }
        }
        return found
    }

    private func differs(_ pair: PagePair) throws(LibraryError) -> Bool? {
        try database.row(
            "SELECT differs FROM page_comparisons WHERE former = ? AND chart = ? AND page = ?",
            [.hash(pair.former), .hash(pair.chart), .integer(pair.page.value)]
        ) { $0.integer(0) != 0 }
    }
}
