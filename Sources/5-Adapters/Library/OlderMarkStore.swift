public import Catalogue
public import Model

/// Marks that were made on different bytes from those that their chart has now, and the pages that look different as a result.
public final class OlderMarkStore: Store {
    let charts: ChartStore
    let drawings: DrawingStore
    let journal: JournalStore
    let followed: FollowedMarkStore
    /// The marks of layers with older marks, for the version last read.
    var made: [LayerID: (version: String, marks: [Made])] = [:]

    init(_ catalogue: OpenCatalogue, charts: ChartStore, drawings: DrawingStore, journal: JournalStore, followed: FollowedMarkStore) {
        self.charts = charts
        self.followed = followed
        self.drawings = drawings
        self.journal = journal
        super.init(catalogue)
    }

    /// The attachments whose marks were made on other bytes than they have now, ordered by id, whether or not any pages look
    /// different. Charts drawn here do not count: each word is in the same place in every key. The query starts from the charts,
    /// since there may be tens of thousands of files for charts that are gone.
    public func all(of attachment: AttachmentID? = nil) throws(LibraryError) -> [OlderMarks] {
        let rows = try database.rows(
            """
            WITH marked (attachment_id, hash, layer_id, marked_on, made_on) AS (
                SELECT attachment_id, hash, id, marked_on, coalesce(accepted_on, marked_on)
                FROM attachment_charts CROSS JOIN layers USING (attachment_id) WHERE deleted_at IS NULL AND marks <> '[]'
                UNION ALL
                SELECT attachment_id, hash, 'file:' || path, marked_on, coalesce(accepted_on, marked_on)
                FROM attachment_charts CROSS JOIN local_files USING (attachment_id) WHERE marks <> '[]')
            SELECT attachment_id, hash, layer_id, made_on FROM marked
            WHERE made_on <> hash AND marked_on <> hash AND \(attachment == nil ? "TRUE" : "attachment_id = ?")
                AND NOT EXISTS (SELECT 1 FROM song_charts AS other JOIN song_charts AS own USING (layout)
                    WHERE other.hash IN (made_on, marked_on) AND own.hash = marked.hash)
            GROUP BY attachment_id, hash, layer_id ORDER BY attachment_id, layer_id
            """, attachment.map { [SQLValue.id($0)] } ?? []
        ) { row throws(LibraryError) in
            (AttachmentID(row.text(0)), try database.hash(row.text(1)), LayerID(row.text(2)), try database.hash(row.text(3)))
        }
        return Dictionary(grouping: rows) { [$0.0.text, $0.1.digest.hex] }.values.map { rows in
            OlderMarks(attachment: rows[0].0, chart: rows[0].1, layers: Dictionary(rows.map { ($0.2, $0.3) }) { first, _ in first })
        }.sorted { ($0.attachment, $0.chart) < ($1.attachment, $1.chart) }
    }

    /// The attachments with a layer of the musician's own and more than one chart so far, with their present charts. The query starts from
    /// the charts, too.
    func chartsWithOwnLayers(of attachment: AttachmentID? = nil) throws(LibraryError) -> [(attachment: AttachmentID, chart: ChartHash)] {
        try database.rows(
            """
            SELECT DISTINCT attachment_id, hash
            FROM attachment_charts CROSS JOIN local_files USING (attachment_id) CROSS JOIN parts USING (path)
            WHERE revision >= 0 AND \(attachment == nil ? "TRUE" : "attachment_id = ?")
                AND (marked_on <> attachment_charts.hash OR EXISTS (
                    SELECT 1 FROM former_charts AS former
                    WHERE former.attachment_id = attachment_charts.attachment_id AND former.hash <> attachment_charts.hash))
            ORDER BY attachment_id, hash
            """, attachment.map { [SQLValue.id($0)] } ?? []
        ) { row throws(LibraryError) in (AttachmentID(row.text(0)), try database.hash(row.text(1))) }
    }

    /// Accepts the marks of `layer`, or of all layers if it is `nil`, as right for the chart's present bytes; must be called
    /// inside a transaction. Returns whether any were doubtful.
    @discardableResult
    func acceptMarks(on attachment: AttachmentID, of layer: LayerID? = nil) throws(LibraryError) -> Bool {
        let older = try olderMarks(of: attachment).filter { [nil, $0.layer, $0.id].contains(layer) }
        var changes = 0
        for (table, name) in [("layers", "layers.id"), ("local_files", "'file:' || local_files.path")] {
            let values: [SQLValue] = [.id(attachment), .optional(layer?.text)]
            // If an attachment has several charts, only one could be stored as accepted; an empty entry accepts the marks for all of them.
            changes += try database.run(
                """
                UPDATE \(table) SET marked_on = NULL, accepted_on = NULL WHERE attachment_id = ?1 AND marked_on IS NOT NULL
                    AND coalesce(?2, \(name)) = \(name)
                    AND (SELECT count(DISTINCT hash) FROM attachment_charts WHERE attachment_charts.attachment_id = ?1) > 1
                """, values)
            changes += try database.run(
                """
                UPDATE \(table) SET accepted_on = chart.hash FROM attachment_charts AS chart
                WHERE chart.attachment_id = ?1 AND \(table).attachment_id = ?1
                    AND marked_on <> chart.hash AND accepted_on IS NOT chart.hash AND coalesce(?2, \(name)) = \(name)
                """, values)
        }
        let decided = Dictionary(grouping: older.filter { $0.isOwn || $0.known != nil }) { [$0.id.text, $0.chart.digest.hex] }
        for layers in decided.values {
            let (first, others) = (layers[0], layers)
            try change(first.id, on: first.chart, madeOn: first.former ?? first.chart) { known in
                for older in others { known.accept(older.marks.map(\.key), madeOn: older.former) }
            }
            if first.isOwn { changes += 1 }
        }
        return changes > 0
    }

    /// The pairs of pages still to be compared: the former page, on which marks were made, and the present page.
    public func pagesToCompare() throws(LibraryError) -> [PagePair] {
        try database.read { () throws(LibraryError) in
            var pairs: Set<PagePair> = []
            for older in try olderMarks() { pairs.formUnion(older.pages.compactMap(older.pair)) }
            var open: [PagePair] = []
            for pair in pairs where try differs(pair, given: [:]) == nil { open.append(pair) }
            return open.sorted()
        }
    }

    /// The marks made on pages that now look different, or that can no longer be compared, and that the user has not accepted;
    /// ordered by attachment and layer.
    public func outdatedMarks() throws(LibraryError) -> [OutdatedMarks] {
        try database.read { () throws(LibraryError) in try findOutdatedMarks() }
    }

    /// The outdated marks of one attachment.
    public func outdatedMarks(of attachment: AttachmentID) throws(LibraryError) -> [OutdatedMarks] {
        try database.read { () throws(LibraryError) in try findOutdatedMarks(of: attachment) }
    }

    /// The outdated marks that are drawn; hidden marks do not cover any music.
    public func drawnOutdatedMarks(of attachment: AttachmentID) throws(LibraryError) -> [OutdatedMarks] {
        try database.read { () throws(LibraryError) in try findDrawnOutdatedMarks(of: attachment) }
    }

    private func findDrawnOutdatedMarks(of attachment: AttachmentID) throws(LibraryError) -> [OutdatedMarks] {
        let outdated = try findOutdatedMarks(of: attachment)
        guard !outdated.isEmpty else { return [] }
        let hidden = try drawings.hiddenLayers(of: attachment)
        return outdated.filter { !hidden.contains($0.layer) }
    }

    /// Settles the outdated marks that are drawn on a chart, and those that followed the music there. Returns false if the attachment now
    /// has other bytes.
    public func settleMarks(
        on attachment: AttachmentID, of chart: ChartHash, _ answer: OlderMarksAnswer
    ) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            guard try charts.all(of: attachment).contains(chart) else { return false }
            // Nobody has seen the hidden marks, so they are not settled.
            let outdated = try findDrawnOutdatedMarks(of: attachment).filter { $0.chart == chart }
            switch answer {
            case .right:
                for older in outdated { try acceptMarks(on: attachment, of: older.layer) }
                try acceptMoved(on: attachment, of: chart)
            case .hide: for older in outdated { try drawings.setHidden(true, layer: older.layer, of: attachment) }
            case .were, .moved: try takeBack(answer == .were, on: attachment, of: chart)
            }
            return true
        }
    }

    /// Stores which pages look different, and the places of marks that followed the music. Journals the marks that become outdated all the
    /// same. Returns these changes.
    @discardableResult
    public func record(
        _ comparisons: [PagePair: Bool], _ found: [(marks: MarksToFollow, places: [FollowedMark])] = [], by method: Int = 0,
        at time: Timestamp
    ) throws(LibraryError) -> [LibraryChange] {
        guard !comparisons.isEmpty || !found.isEmpty else { return [] }
        return try database.write { () throws(LibraryError) in
            let former = try outdatedPages()
            for (pair, differs) in comparisons {
                try database.put(
                    "page_comparisons", key: "former, chart, page",
                    [
                        "former": .hash(pair.former), "chart": .hash(pair.chart), "page": .integer(pair.page.value),
                        "differs": .flag(differs),
                    ])
            }
            for (marks, places) in found { try store(places, of: marks, method: method) }
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

    /// Deletes the comparisons of charts that are no longer stored.
    func removeComparisons() throws(LibraryError) {
        try database.run(
            "DELETE FROM page_comparisons WHERE former NOT IN (SELECT hash FROM charts) OR chart NOT IN (SELECT hash FROM charts)")
    }

    private func findOutdatedMarks(of attachment: AttachmentID? = nil) throws(LibraryError) -> [OutdatedMarks] {
        var found: [OutdatedMarks] = []
        for older in try olderMarks(of: attachment) {
            // If the attachment has several charts, all marks are drawn where they were made.
            let isOnlyChart = try followed.onlyChart(of: older.attachment) == older.chart
            let fates = isOnlyChart && older.known?.isTakenBack == false ? older.known?.marks ?? [:] : [:]
            var (drawn, open): (Set<PageIndex>, Set<PageIndex>) = ([], [])
            for made in older.marks {
                switch fates[made.key]?.fate {
                case .moved, .left: continue
                case .open: open.insert(fates[made.key]?.place?.page ?? made.mark.page)
                case .kept, nil: if made.mark.isDrawn { drawn.insert(made.mark.page) }
                }
            }
            if !open.isEmpty { found.append(older.outdated(open, areDrawn: false)) }
            var different: [PageIndex] = []
            var isLost: Bool?
            for page in drawn {
                // Nothing can show how marks fit that were made on a chart that was never here.
                guard let former = older.former, let pair = older.pair(page) else {
                    different.append(page)
                    continue
                }
                var differs = try differs(pair, given: [:])
                if differs == nil {
                    if isLost == nil { isLost = try self.isLost(former) }
                    differs = isLost
                }
                if differs == true { different.append(page) }
            }
            if !different.isEmpty { found.append(older.outdated(different)) }
        }
        return found
    }

    private func outdatedPages() throws(LibraryError) -> [AttachmentID: Set<PageIndex>] {
        Dictionary(try findOutdatedMarks().map { ($0.attachment, Set($0.pages)) }) { $0.union($1) }
    }

    /// Returns whether the chart was stored here and its file is gone: then nothing can show whether its marks fit another chart,
    /// and the user has to look. A chart that was never here proves nothing: another laptop may have the same chart in other bytes.
    private func isLost(_ chart: ChartHash) throws(LibraryError) -> Bool {
        guard try database.has("SELECT 1 FROM charts WHERE hash = ? AND described_by IS NOT NULL", [.hash(chart)]) else { return false }
        return try !charts.hasBytes(of: chart)
    }

    func differs(_ pair: PagePair, given comparisons: [PagePair: Bool]) throws(LibraryError) -> Bool? {
        if let differs = comparisons[pair] { return differs }
        return try database.row(
            "SELECT differs FROM page_comparisons WHERE former = ? AND chart = ? AND page = ?",
            [.hash(pair.former), .hash(pair.chart), .integer(pair.page.value)]
        ) { $0.integer(0) != 0 }
    }
}
