public import Catalogue
public import Model

/// The last image of each page with its events, the images that cannot be made, and content missing from pages.
public final class ImageStore: Store {
    /// Records events of images in the order given and in one commit; a caller with many events should pass them together.
    ///
    /// There is one record for each variant of a page: the record of the image made last. An event of an earlier image, such as
    /// its removal because marks have changed, does not describe the page and is ignored, unless the page has no record yet.
    /// Events after an image's making leave its renderer, size and format unchanged, except that they fill in a missing renderer
    /// or size. Images of charts that the library does not have are skipped, since nobody will request them.
    public func record(_ records: [ImageRecord]) throws(LibraryError) {
        guard !records.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for record in records { try store(record) }
        }
    }

    /// The records of all images, by chart, page and variant. They lack the formats, which would take long to read.
    public func records() throws(LibraryError) -> [ImageRecord] {
        try database.rows("SELECT chart, page, variant, key, renderer, event, size, at FROM image_records") { row throws(LibraryError) in
            try imageRecord(row)
        }
    }

    /// The record of the page and variant that `name` belongs to, even if the record is about another image.
    public func record(besides name: ImageName) throws(LibraryError) -> ImageRecord? {
        try database.row(
            """
            SELECT chart, page, variant, key, renderer, event, size, at, format FROM image_records
            WHERE chart = ? AND page = ? AND variant = ?
            """, [.text(name.chart), .integer(name.page.value), .text(name.variant.rawValue)]
        ) { row throws(LibraryError) in
            var record = try imageRecord(row)
            record.format = try row.optionalText(8).map { text throws(LibraryError) in
                try StoredJSON.read(ImageFormat.self, text, in: database)
            }
            return record
        }
    }

    /// The reason why an image that is needed now, drawn by `renderer`, is not in the cache.
    public func missReason(of name: ImageName, renderer: String) throws(LibraryError) -> MissReason {
        MissReason(of: name, renderer: renderer, record: try record(besides: name))
    }

    /// Deletes the records of a chart's images; `prune` does this for the charts that it removes.
    public func forgetImages(of chart: ChartHash) throws(LibraryError) {
        try database.run("DELETE FROM image_records WHERE chart = ?", [.text(chart.digest.shortHex)])
    }

    private func store(_ record: ImageRecord) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO image_records (chart, page, variant, key, renderer, event, size, at, format)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM charts WHERE hash >= ?1 AND hash < ?1 || 'g')
            ON CONFLICT (chart, page, variant) DO UPDATE SET
                key = excluded.key,
                renderer = CASE WHEN excluded.event = 'made' OR renderer = '' THEN excluded.renderer ELSE renderer END,
                event = excluded.event,
                size = CASE WHEN excluded.event = 'made' OR size = 0 THEN excluded.size ELSE size END,
                at = excluded.at,
                format = CASE WHEN excluded.event = 'made' THEN excluded.format ELSE format END
            WHERE excluded.event = 'made' OR key = excluded.key
            """,
            [
                .text(record.name.chart), .integer(record.name.page.value), .text(record.name.variant.rawValue), .text(record.name.key),
                .text(record.renderer), .text(record.event.rawValue), .integer(record.size.bytes), .time(record.at),
                .optional(try record.format.map { format throws(LibraryError) in try StoredJSON.write(format, in: database) }),
            ])
    }

    private func imageRecord(_ row: borrowing Row) throws(LibraryError) -> ImageRecord {
        let file = "\(row.integer(1))-\(row.text(2))-\(row.text(3)).png"
        guard let name = ImageName(folder: row.text(0), file: file) else {
            throw .damaged(path: database.path, message: "an image is called \"\(file)\"")
        }
        guard let event = ImageEvent(rawValue: row.text(5)) else {
            throw .damaged(path: database.path, message: "what happened to an image is \"\(row.text(5))\"")
        }
        return ImageRecord(name: name, renderer: row.text(4), event: event, size: ByteCount(row.integer(6)), at: row.moment(7))
    }

    /// All failures to make an image or to open a chart, in no particular order.
    public func faults() throws(LibraryError) -> [RenderFault] {
        try faults(where: "TRUE", [])
    }

    /// The reason why a chart's pages cannot be counted; `nil` if they can.
    public func fault(of chart: ChartHash) throws(LibraryError) -> RenderFault? {
        try faults(where: "hash = ? AND image = ''", [.hash(chart)]).first
    }

    /// Stores a failure in place of any former failure of the same image or chart.
    public func setFault(_ fault: RenderFault) throws(LibraryError) {
        guard try database.has("SELECT 1 FROM charts WHERE hash = ?", [.hash(fault.chart)]) else { throw .unknownChart(fault.chart) }
        try database.put(
            "render_faults", key: "hash, image",
            [
                "hash": .hash(fault.chart), "image": .text(fault.image?.file ?? ""), "renderer": .text(fault.tag.text),
                "reason": .text(fault.reason), "tries": .integer(fault.tries), "is_final": .flag(fault.isFinal), "at": .time(fault.at),
            ])
    }

    /// Deletes failures, so that another attempt is made.
    public func remove(_ faults: [RenderFault]) throws(LibraryError) {
        guard !faults.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for fault in faults {
                try database.run(
                    "DELETE FROM render_faults WHERE hash = ? AND image = ?", [.hash(fault.chart), .text(fault.image?.file ?? "")])
            }
        }
    }

    private func faults(where condition: String, _ values: [SQLValue]) throws(LibraryError) -> [RenderFault] {
        try database.rows("SELECT hash, image, renderer, reason, tries, is_final, at FROM render_faults WHERE \(condition)", values) {
            row throws(LibraryError) in
            let (chart, file) = (try database.hash(row.text(0)), row.text(1))
            let image = ImageName(folder: chart.digest.shortHex, file: file)
            guard image != nil || file.isEmpty else { throw .damaged(path: database.path, message: "an image is called \"\(file)\"") }
            return RenderFault(
                chart: chart, image: image, tag: RendererTag(row.text(2)), reason: row.text(3), tries: row.integer(4),
                isFinal: row.integer(5) != 0, at: row.moment(6))
        }
    }

    /// The charts that may have images whose drawing was not checked for missing content.
    public func chartsToLookThrough() throws(LibraryError) -> Set<ChartHash> {
        Set(
            try database.rows("SELECT hash FROM charts WHERE NOT looked_through") { row throws(LibraryError) in
                try database.hash(row.text(0))
            })
    }

    /// Notes that for all present and future images of these charts, the drawing is checked for missing content.
    public func noteLookedThrough(_ charts: Set<ChartHash>) throws(LibraryError) {
        guard !charts.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for chart in charts.sorted() { try database.run("UPDATE charts SET looked_through = 1 WHERE hash = ?", [.hash(chart)]) }
        }
    }

    /// The pages with missing content, by chart and in page order.
    public func lostContent() throws(LibraryError) -> [ChartHash: [LostContent]] {
        try database.groups("SELECT hash, page, reason, accepted FROM lost_content ORDER BY hash, page") { row throws(LibraryError) in
            let lost = LostContent(page: PageIndex(row.integer(1)), reason: row.text(2), isAccepted: row.integer(3) != 0)
            return (try database.hash(row.text(0)), lost)
        }
    }

    /// Stores what is missing from a page as it was drawn; `nil` if nothing is missing. Writes only changes.
    public func note(lostContent reason: String?, on page: PageIndex, of chart: ChartHash) throws(LibraryError) {
        let key: [SQLValue] = [.hash(chart), .integer(page.value)]
        let known = try database.row("SELECT reason FROM lost_content WHERE hash = ? AND page = ?", key) { $0.text(0) }
        guard known != reason else { return }
        guard let reason else {
            try database.run("DELETE FROM lost_content WHERE hash = ? AND page = ?", key)
            return
        }
        try database.run(
            """
            INSERT INTO lost_content (hash, page, reason) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM charts WHERE hash = ?1)
            ON CONFLICT (hash, page) DO UPDATE SET reason = excluded.reason
            """, key + [.text(reason)])
    }

    /// Accepts the pages of an attachment's charts despite missing content. Returns whether any page was not accepted before.
    func acceptLostContent(of attachment: AttachmentID) throws(LibraryError) -> Bool {
        try database.run(
            """
            UPDATE lost_content SET accepted = 1
            WHERE NOT accepted AND hash IN (SELECT hash FROM attachment_charts WHERE attachment_id = ?)
            """, [.id(attachment)]) > 0
    }
}
