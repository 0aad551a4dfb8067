public import Catalogue
public import Model
public import Platform

/// What happened to the images of pages.
@LoopActor
public final class ImageStore {
    let catalogue: OpenCatalogue

    var database: Database { catalogue.database }

    init(_ catalogue: OpenCatalogue) {
        self.catalogue = catalogue
    }
}

extension ImageStore {
    /// Remembers what happened to images, in the order given and in one commit; a caller with many hands them over together.
    ///
    /// There is one record for each variant of a page: that of the image made last. What happens to an earlier image, as when it is
    /// trimmed because marks have changed, says nothing about the page and is ignored, unless nothing is known of the page yet.
    /// Renderer and size are those that the image was made with, whatever comes with a later fate. Images of charts that
    /// the library does not have are skipped, since nobody will ask for them.
    public func record(_ records: [ImageRecord]) throws(LibraryError) {
        guard !records.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for record in records { try Self.store(record, in: database) }
        }
    }

    /// Remembers what happened to images in the library of `folder`, even while another process writes to it.
    public nonisolated static func record(_ records: [ImageRecord], inLibraryAt folder: String) throws(LibraryError) {
        guard !records.isEmpty else { return }
        try Database.change(libraryAt: folder) { database throws(LibraryError) in
            for record in records { try store(record, in: database) }
        }
    }

    /// What is remembered of every image, by chart, page and variant; without their origins, which would be much to read.
    public func records() throws(LibraryError) -> [ImageRecord] {
        try database.rows("SELECT chart, page, variant, key, renderer, fate, size, at FROM image_records") { row throws(LibraryError) in
            try imageRecord(row)
        }
    }

    /// What is remembered of the same page and variant as `name`, whether of this image or of another one.
    public func record(besides name: ImageName) throws(LibraryError) -> ImageRecord? {
        try database.row(
            """
            SELECT chart, page, variant, key, renderer, fate, size, at, origin FROM image_records
            WHERE chart = ? AND page = ? AND variant = ?
            """, [.text(name.chart), .integer(name.page.value), .text(name.variant.rawValue)]
        ) { row throws(LibraryError) in
            var record = try imageRecord(row)
            record.origin = try row.optionalText(8).map { text throws(LibraryError) in
                try StoredJSON.read(ImageOrigin.self, text, in: database)
            }
            return record
        }
    }

    /// Whether this chart took the place of one that has images.
    public func replacesChartWithImages(_ chart: ChartHash) throws(LibraryError) -> Bool {
        try database.row(
            """
            SELECT 1 FROM attachment_charts AS new JOIN former_charts AS old USING (attachment_id)
            WHERE new.hash = ?1 AND old.hash <> ?1 AND EXISTS (SELECT 1 FROM image_records WHERE chart = substr(old.hash, 1, 32))
            """, [.hash(chart)]
        ) { _ in true } ?? false
    }

    /// Why an image that is wanted now, drawn by `renderer`, is not in the cache.
    public func missReason(of name: ImageName, renderer: String) throws(LibraryError) -> MissReason {
        MissReason(of: name, renderer: renderer, record: try record(besides: name))
    }

    /// Forgets the images of a chart; `prune` does this for the charts that it removes.
    public func forgetImages(of chart: ChartHash) throws(LibraryError) {
        try database.run("DELETE FROM image_records WHERE chart = ?", [.text(chart.digest.shortHex)])
    }

    private nonisolated static func store(_ record: ImageRecord, in database: Database) throws(LibraryError) {
        try database.run(
            """
            INSERT INTO image_records (chart, page, variant, key, renderer, fate, size, at, origin)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
            WHERE EXISTS (SELECT 1 FROM charts WHERE hash >= ?1 AND hash < ?1 || 'g')
            ON CONFLICT (chart, page, variant) DO UPDATE SET
                key = excluded.key,
                renderer = CASE WHEN excluded.fate = 'made' OR renderer = '' THEN excluded.renderer ELSE renderer END,
                fate = excluded.fate,
                size = CASE WHEN excluded.fate = 'made' OR size = 0 THEN excluded.size ELSE size END,
                at = excluded.at,
                origin = CASE WHEN excluded.fate = 'made' THEN excluded.origin ELSE origin END
            WHERE excluded.fate = 'made' OR key = excluded.key
            """,
            [
                .text(record.name.chart), .integer(record.name.page.value), .text(record.name.variant.rawValue), .text(record.name.key),
                .text(record.renderer), .text(record.fate.rawValue), .integer(record.size.bytes), .time(record.at),
                .optional(try record.origin.map { origin throws(LibraryError) in try StoredJSON.write(origin, in: database) }),
            ])
    }

    private func imageRecord(_ row: borrowing Row) throws(LibraryError) -> ImageRecord {
        let file = "\(row.integer(1))-\(row.text(2))-\(row.text(3)).png"
        guard let name = ImageName(folder: row.text(0), file: file) else {
            throw .damaged(path: database.path, message: "an image is called \"\(file)\"")
        }
        guard let fate = ImageFate(rawValue: row.text(5)) else {
            throw .damaged(path: database.path, message: "an image's fate is \"\(row.text(5))\"")
        }
        return ImageRecord(
            name: name, renderer: row.text(4), fate: fate, size: ByteCount(row.integer(6)),
            at: Timestamp(nanoseconds: Int64(row.integer(7))))
    }
}
