public import Catalogue
import ChartFiles
import Glibc
public import Model
public import Platform

/// The stored charts: their bytes, the facts known about them, and the reasons why other charts could not be downloaded.
public final class ChartStore: Store {
    let journal: JournalStore
    let followed: FollowedMarkStore
    /// What was read of some charts' links and outlines: a book may have hundreds, which never change for the same bytes.
    private var knownPlaces: [ChartHash: ChartPlaces] = [:]
    private static let mostKnownPlaces = 128

    init(_ catalogue: OpenCatalogue, journal: JournalStore, followed: FollowedMarkStore) {
        (self.journal, self.followed) = (journal, followed)
        super.init(catalogue)
    }

    /// The stored chart of an attachment: the one that was not made on demand, or else the newest one.
    public func chart(of attachment: AttachmentID) throws(LibraryError) -> StoredChart? { try chart(of: ChartUse(attachment)) }

    /// How many charts the catalogue has, including former ones.
    public var count: Int {
        get throws(LibraryError) { try database.row("SELECT count(*) FROM charts", []) { $0.integer(0) } ?? 0 }
    }

    /// The stored chart for a use of an attachment. Until the use's own present chart is stored, this may be a former chart or
    /// another use's chart.
    public func chart(of use: ChartUse) throws(LibraryError) -> StoredChart? {
        try database.row(
            """
            SELECT hash, size, version FROM attachment_charts JOIN charts USING (hash) WHERE attachment_id = ?
            ORDER BY made_from = ? DESC, \(Self.newestFirst) LIMIT 1
            """, [.id(use.attachment), .text(use.madeFrom)]
        ) { row throws(LibraryError) in
            StoredChart(hash: try database.hash(row.text(0)), size: row.integer(1), version: row.text(2))
        }
    }

    /// All stored charts of an attachment, newest first.
    public func all(of attachment: AttachmentID) throws(LibraryError) -> [ChartHash] {
        try database.rows(
            "SELECT hash FROM attachment_charts WHERE attachment_id = ? ORDER BY \(Self.newestFirst)", [.id(attachment)]
        ) { row throws(LibraryError) in try database.hash(row.text(0)) }
    }

    /// The charts of `plans` that have to be downloaded because the present version or its bytes are not stored; each chart once,
    /// in order. Charts drawn here before keys were recorded are included too.
    ///
    /// Until the new version is stored, `chart(of:)` returns the former one.
    public func attachmentsToDownload(for plans: [PlanContents]) throws(LibraryError) -> [Attachment] {
        var seen: Set<ChartUse> = []
        var missing: [Attachment] = []
        for attachment in plans.flatMap(\.attachments) where seen.insert(attachment.use).inserted {
            let stored = try chart(of: attachment.use)
            if let stored, stored.version == attachment.version, try hasBytes(of: stored.hash),
                try attachment.origin == nil ? true : isKeyNoted(of: stored.hash)
            {
                continue
            }
            missing.append(attachment)
        }
        return missing
    }

    /// Creates a temporary file for a chart; the file is deleted unless `keep` stores it.
    public func beginChart() throws(LibraryError) -> TemporaryFile {
        try LibraryError.ofSystem { () throws(SystemError) in
            let target = catalogue.chartsFolder + "/new.pdf"
            do throws(SystemError) {
                return try TemporaryFile.create(inFolderOf: target)
            } catch {
                // The folder was removed in the meantime.
                guard error.code == ENOENT else { throw error }
                try Folder.create(catalogue.chartsFolder)
                return try TemporaryFile.create(inFolderOf: target)
            }
        }
    }

    /// Stores a downloaded chart permanently: the bytes are on the disk before the catalogue refers to them.
    ///
    /// The file must be a PDF of `size` bytes whose hash is `hash`, as computed while it was written. If the file is refused or
    /// anything fails, the attachment keeps its former chart. `madeFrom` names the use if the chart is made on demand. If a program
    /// had saved a file over the chart, the result is the new path of that file.
    @discardableResult
    public func keep(
        _ file: TemporaryFile, hash: ChartHash, size: Int, for attachment: AttachmentID, madeFrom: String = "", version: String
    ) throws(LibraryError) -> String? {
        try check(file, size: size, for: attachment)
        guard let title = try database.row("SELECT filename FROM attachments WHERE id = ?", [.id(attachment)], { $0.text(0) }) else {
            throw .unknownAttachment(attachment)
        }
        let (reading, setAside) = try publish(file, as: hash, size: size, title: title)
        catalogue.noteOtherCharts()
        try database.write { () throws(LibraryError) in
            try database.run("INSERT INTO charts (hash, size) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING", [.hash(hash), .integer(size)])
            try keepAgain(hash)
            if let reading { try remember(reading, of: hash) }
            // Record which marks were made on the former bytes.
            try noteMarkedOn(attachment, madeFrom: madeFrom, replacedBy: hash)
            try database.run(
                """
                INSERT INTO former_charts (attachment_id, hash)
                SELECT DISTINCT attachment_id, hash FROM attachment_charts WHERE \(Self.supersededCharts) AND hash <> ?3
                ON CONFLICT (attachment_id, hash) DO UPDATE SET noticed_at = NULL
                """, [.id(attachment), .text(madeFrom), .hash(hash)])
            try database.run("DELETE FROM attachment_charts WHERE \(Self.supersededCharts)", [.id(attachment), .text(madeFrom)])
            try forgetDownloadFault(of: ChartUse(attachment, madeFrom: madeFrom))
            try database.put(
                "attachment_charts",
                ["attachment_id": .id(attachment), "made_from": .text(madeFrom), "hash": .hash(hash), "version": .text(version)])
        }
        return setAside
    }

    /// The path for a chart's bytes, whether or not they are stored.
    public nonisolated func path(of hash: ChartHash) -> String { catalogue.chartsFolder + "/\(hash.digest.hex).pdf" }

    /// Returns whether a chart's bytes are stored: the file has the right size and is not known to have changed.
    public func hasBytes(of hash: ChartHash) throws(LibraryError) -> Bool { try chartFile(of: hash)?.mayBeWhole ?? false }

    /// Throws if the file does not begin like a PDF or does not have `size` bytes.
    public func check(_ file: TemporaryFile, size: Int, for attachment: AttachmentID) throws(LibraryError) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw .system(SystemError("read", path: catalogue.chartsFolder)) }
        // Check the kind first: a login page rarely has the chart's size, and should be reported as a page, not as a wrong size.
        var header = [UInt8](repeating: 0, count: FileKind.headerLength)
        let count = header.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw .system(SystemError("read", path: catalogue.chartsFolder)) }
        let kind = FileKind(header: Array(header.prefix(count)))
        guard kind == .pdf else { throw .notAPDF(attachment, found: kind) }
        guard status.st_size == size else { throw .wrongSize(attachment, expected: size, found: status.st_size) }
    }

    // MARK: - The charts' names, and the sizes of their pages

    /// The uses of attachments whose present chart has its images in this folder, ordered by id.
    public func uses(shownFrom folder: ImageFolder) throws(LibraryError) -> [ChartUse] {
        try database.rows("SELECT attachment_id, made_from FROM attachment_charts WHERE hash GLOB ? ORDER BY 1, 2", [.text("\(folder)*")]) {
            ChartUse(AttachmentID($0.text(0)), madeFrom: $0.text(1))
        }
    }

    /// The name that the service gives a file with these bytes. If several attachments have these bytes, the one with the least id counts.
    public func filename(of chart: ChartHash) throws(LibraryError) -> String? {
        try database.row(
            "SELECT filename FROM attachments JOIN attachment_charts ON attachment_id = id WHERE hash = ? ORDER BY id LIMIT 1",
            [.hash(chart)]
        ) { $0.text(0) }
    }

    /// The name that the service gives an attachment's file.
    func chartName(_ attachment: AttachmentID) throws(LibraryError) -> String {
        try database.row("SELECT filename FROM attachments WHERE id = ?", [.id(attachment)]) { $0.text(0) } ?? ""
    }

    /// The order in which to show an attachment's pages, in the service's notation; `nil` if the attachment is unknown.
    public func pageOrder(of attachment: AttachmentID) throws(LibraryError) -> String? {
        try database.row("SELECT page_order FROM attachments WHERE id = ?", [.id(attachment)]) { $0.text(0) }
    }

    /// The sizes of the pages of an attachment's newest measured chart, since the attachment may have a chart for each key; empty
    /// until a chart has been measured.
    func geometries(of attachment: AttachmentID) throws(LibraryError) -> [PageGeometry] {
        try pages(where: "hash = (\(Self.measuredChart(of: "?")))", .id(attachment))
    }

    private func pages(where condition: String, _ value: SQLValue) throws(LibraryError) -> [PageGeometry] {
        try database.rows("SELECT width, height FROM chart_pages WHERE \(condition) ORDER BY page", [value]) { row in
            PageGeometry(width: row.real(0), height: row.real(1))
        }
    }

    // MARK: - Choosing among several charts

    /// The SQL order of one attachment's charts, newest first: a version begins with the time of the change.
    nonisolated static var newestFirst: String { "version DESC, hash" }

    /// SQL for an attachment's newest chart with measured pages. Marks are placed on this chart, because all uses share the marks.
    nonisolated static func measuredChart(of attachment: String) -> String {
        """
        SELECT hash FROM attachment_charts JOIN charts USING (hash)
        WHERE attachment_charts.attachment_id = \(attachment) AND described_by IS NOT NULL ORDER BY \(newestFirst) LIMIT 1
        """
    }

    /// SQL condition: the attachment's charts that `use` (?1 and ?2) replaces, and the charts whose use is no longer in any plan.
    nonisolated static var supersededCharts: String {
        """
        attachment_id = ?1 AND (made_from = ?2
            OR made_from NOT IN (SELECT made_from FROM item_attachments WHERE item_attachments.attachment_id = ?1))
        """
    }

    /// The charts of all attachments whose pages are counted. A single query fetches them all, since callers go through a thousand charts.
    public func counted() throws(LibraryError) -> ChartsByUse<CountedChart> {
        var sound: [ChartHash: Bool] = [:]
        var charts = ChartsByUse<CountedChart>()
        let rows = try database.rows(
            """
            SELECT attachment_id, made_from, hash, size, fonts_not_embedded IS NOT '[]',
                CASE WHEN described_by IS NOT NULL THEN pages END, read_stamp, read_whole, key
            FROM attachment_charts JOIN charts USING (hash) LEFT JOIN chart_keys USING (hash)
                LEFT JOIN (SELECT hash, count(*) AS pages FROM chart_pages GROUP BY hash) USING (hash)
            ORDER BY attachment_id, \(Self.newestFirst)
            """
        ) { row throws(LibraryError) in
            let chart = try database.hash(row.text(2))
            let file = ChartFile(chart: chart, path: path(of: chart), size: row.integer(3), lastReading: Self.reading(row, from: 6))
            let isHere = sound[chart] ?? file.mayBeWhole
            sound[chart] = isHere
            let counted = CountedChart(
                hash: chart, isHere: isHere, pages: row.integer(5), needsFonts: row.integer(4) != 0,
                key: row.optionalText(8).flatMap { ChordKey($0) })
            return (ChartUse(AttachmentID(row.text(0)), madeFrom: row.text(1)), counted)
        }
        for (use, chart) in rows { charts.add(chart.pages > 0 ? chart : nil, for: use) }
        return charts
    }

    /// The chart for a single use of an attachment; `nil` until the chart's pages are counted.
    public func counted(of use: ChartUse) throws(LibraryError) -> CountedChart? {
        guard let chart = try chart(of: use), let description = try description(of: chart.hash) else { return nil }
        return CountedChart(
            hash: chart.hash, isHere: try hasBytes(of: chart.hash), pages: description.pages.count, needsFonts: description.needsFonts,
            key: try key(of: chart.hash))
    }

    /// The key of the chords on a chart that was drawn here.
    public func key(of chart: ChartHash) throws(LibraryError) -> ChordKey? { try printedKey(of: chart).flatMap { ChordKey($0) } }

    /// The key of the chords on a chart that was drawn here, spelled as on the chart.
    public func printedKey(of chart: ChartHash) throws(LibraryError) -> String? {
        try database.row("SELECT key FROM chart_keys WHERE hash = ? AND key <> ''", [.hash(chart)]) { $0.text(0) }
    }

    private func isKeyNoted(of chart: ChartHash) throws(LibraryError) -> Bool {
        try database.has("SELECT 1 FROM chart_keys WHERE hash = ?", [.hash(chart)])
    }

    /// The stored description of a chart's pages; `nil` until a renderer has described them.
    public func description(of chart: ChartHash) throws(LibraryError) -> StoredDescription? {
        try database.read { () throws(LibraryError) in
            let found = try database.row(
                "SELECT fonts_not_embedded, has_images FROM charts WHERE hash = ? AND described_by IS NOT NULL", [.hash(chart)]
            ) { row in (fonts: row.optionalText(0), hasImages: row.integer(1) != 0) }
            guard let (fonts, hasImages) = found else { return nil }
            let names = try fonts.map { text throws(LibraryError) in try StoredJSON.read([String].self, text, in: database) }
            return StoredDescription(
                pages: try pages(where: "hash = ?", .hash(chart)), fontsNotEmbedded: names, hasImages: hasImages,
                places: try places(in: chart))
        }
    }

    /// The links within a chart, and its outline; `nil` for a chart that was described before these were read.
    public func places(in chart: ChartHash) throws(LibraryError) -> ChartPlaces? {
        if let known = knownPlaces[chart] { return known }
        let places = try database.row("SELECT places FROM chart_places WHERE hash = ?", [.hash(chart)]) { row throws(LibraryError) in
            try StoredJSON.read(ChartPlaces.self, row.text(0), in: database)
        }
        guard let places else { return nil }
        if knownPlaces.count >= Self.mostKnownPlaces { knownPlaces = [:] }
        knownPlaces[chart] = places
        return places
    }

    /// Stores what was read of a chart's links and outline.
    public func setPlaces(_ places: ChartPlaces, in chart: ChartHash) throws(LibraryError) {
        knownPlaces[chart] = nil
        try database.put(
            "chart_places", key: "hash", ["hash": .hash(chart), "places": .text(try StoredJSON.write(places, in: database))])
    }

    /// The outlines that have at least `least` entries, by the PDFs that have them: books of songs.
    public func outlines(ofAtLeast least: Int) throws(LibraryError) -> [ChartHash: [ChartBookmark]] {
        let books = try database.rows(
            "SELECT hash FROM chart_places WHERE json_array_length(places, '$.bookmarks') >= ?", [.integer(least)]
        ) { row throws(LibraryError) in try database.hash(row.text(0)) }
        var outlines: [ChartHash: [ChartBookmark]] = [:]
        for book in books { outlines[book] = try places(in: book)?.bookmarks }
        return outlines
    }

    /// Stores a renderer's description of a chart. A chart that could not be opened before then counts as readable.
    public func setDescription(_ description: StoredDescription, of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        let fonts = try description.fontsNotEmbedded.map { names throws(LibraryError) in try StoredJSON.write(names, in: database) }
        try database.write { () throws(LibraryError) in
            let changes = try database.run(
                """
                UPDATE charts SET described_by = ?, fonts_not_embedded = ?, has_images = ?,
                    unreadable_by = NULL, unreadable_because = NULL WHERE hash = ?
                """,
                [.text(tag.text), .optional(fonts), .flag(description.hasImages), .hash(chart)])
            guard changes > 0 else { throw .unknownChart(chart) }
            try database.run("DELETE FROM render_faults WHERE hash = ? AND image = ''", [.hash(chart)])
            try database.run("DELETE FROM chart_pages WHERE hash = ?", [.hash(chart)])
            if let places = description.places { try setPlaces(places, in: chart) }
            for (index, page) in description.pages.enumerated() {
                try database.put(
                    "chart_pages",
                    ["hash": .hash(chart), "page": .integer(index), "width": .real(page.width), "height": .real(page.height)])
            }
        }
    }

    /// The reason why the last attempt to open a chart failed; `nil` if it succeeded or nobody tried.
    public func unreadable(_ chart: ChartHash) throws(LibraryError) -> UnreadableChart? {
        try database.row(
            "SELECT unreadable_because, unreadable_by FROM charts WHERE hash = ? AND unreadable_by IS NOT NULL", [.hash(chart)]
        ) { row in UnreadableChart(reason: row.text(0), tag: RendererTag(row.text(1))) }
    }

    /// Stores that a renderer could not open a chart, so that the same renderer does not try again.
    ///
    /// A description by another renderer stays: the images made by that renderer can still be shown.
    public func setUnreadable(_ reason: String, of chart: ChartHash, by tag: RendererTag) throws(LibraryError) {
        let changes = try database.run(
            "UPDATE charts SET unreadable_because = ?, unreadable_by = ? WHERE hash = ?",
            [.text(reason), .text(tag.text), .hash(chart)])
        guard changes > 0 else { throw .unknownChart(chart) }
    }

    /// Stores why this version of a chart could not be downloaded, until a download succeeds. Writes nothing if the reason is unchanged.
    public func note(
        downloadFault reason: String, sizes: DownloadFault.Sizes? = nil, of attachment: Attachment, at now: Timestamp
    ) throws(LibraryError) {
        let use = attachment.use
        let known = try downloadFaults()[use].flatMap { $0.version == attachment.version && $0.sizes == sizes ? $0 : nil }
        if known?.reason == reason { return }
        let since = known?.since ?? now
        try database.run(
            """
            INSERT INTO download_faults (attachment_id, made_from, version, reason, since)
            SELECT id, ?2, ?3, ?4, ?5 FROM attachments WHERE id = ?1
            ON CONFLICT (attachment_id, made_from) DO UPDATE
                SET version = excluded.version, reason = excluded.reason, since = excluded.since
            """, [.id(use.attachment), .text(use.madeFrom), .text(attachment.version), .text(reason, meaning: sizes), .time(since)])
    }

    /// The reasons why charts could not be downloaded at the last attempt.
    public func downloadFaults() throws(LibraryError) -> [ChartUse: DownloadFault] {
        try database.dictionary("SELECT attachment_id, made_from, version, reason, since FROM download_faults") { row in
            let (reason, sizes) = row.words(3)
            let fault = DownloadFault(version: row.text(2), reason: reason, sizes: sizes.flatMap { .init($0) }, since: row.moment(4))
            return (ChartUse(AttachmentID(row.text(0)), madeFrom: row.text(1)), fault)
        }
    }

    func forgetDownloadFault(of use: ChartUse) throws(LibraryError) {
        try database.run(
            "DELETE FROM download_faults WHERE attachment_id = ? AND made_from = ?", [.id(use.attachment), .text(use.madeFrom)])
    }

    /// Notes that a version of a chart was refused as the replacement of the former one because content is missing from its pages.
    /// The user may accept the version anyway.
    public func note(refused attachment: Attachment) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO refused_versions (attachment_id, made_from, version) VALUES (?1, ?2, ?3)
            ON CONFLICT (attachment_id, made_from) DO UPDATE SET version = ?3, accepted = 0 WHERE version <> ?3
            """, [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)])
    }

    /// Returns whether the user accepted this version of a chart despite missing content.
    public func isAccepted(_ attachment: Attachment) throws(LibraryError) -> Bool {
        try database.has(
            "SELECT 1 FROM refused_versions WHERE attachment_id = ? AND made_from = ? AND version = ? AND accepted",
            [.id(attachment.id), .text(attachment.generatedFrom), .text(attachment.version)]
        )
    }

    /// Accepts an attachment's refused versions, so that they are downloaded. Returns whether there were any.
    func acceptRefusedVersions(of attachment: AttachmentID) throws(LibraryError) -> Bool {
        guard try database.run("UPDATE refused_versions SET accepted = 1 WHERE attachment_id = ? AND NOT accepted", [.id(attachment)]) > 0
        else { return false }
        // The reason why these versions were not downloaded no longer holds.
        try database.run("DELETE FROM download_faults WHERE attachment_id = ?", [.id(attachment)])
        return true
    }
}
