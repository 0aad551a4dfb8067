public import Catalogue
public import Model

extension ImageStore {
    /// Everything that could not be made, in no particular order.
    public func faults() throws(LibraryError) -> [RenderFault] {
        try database.rows("SELECT hash, image, renderer, reason, tries, is_final, at FROM render_faults") { row throws(LibraryError) in
            try fault(row)
        }
    }

    /// Why a chart's pages cannot be counted, if they cannot.
    public func fault(of chart: ChartHash) throws(LibraryError) -> RenderFault? {
        try database.row(
            "SELECT hash, image, renderer, reason, tries, is_final, at FROM render_faults WHERE hash = ? AND image = ''", [.hash(chart)]
        ) { row throws(LibraryError) in
            try fault(row)
        }
    }

    /// Remembers a failure, replacing what was known of this image or chart.
    public func setFault(_ fault: RenderFault) throws(LibraryError) {
        guard try database.row("SELECT 1 FROM charts WHERE hash = ?", [.hash(fault.chart)], { _ in true }) != nil else {
            throw .unknownChart(fault.chart)
        }
        try database.run(
            """
            INSERT INTO render_faults (hash, image, renderer, reason, tries, is_final, at) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (hash, image) DO UPDATE SET
                renderer = excluded.renderer, reason = excluded.reason, tries = excluded.tries, is_final = excluded.is_final,
                at = excluded.at
            """,
            [
                .hash(fault.chart), .text(fault.image?.file ?? ""), .text(fault.tag.text), .text(fault.reason), .integer(fault.tries),
                .flag(fault.isFinal), .time(fault.at),
            ])
    }

    /// Forgets failures, so that they are tried again.
    public func remove(_ faults: [RenderFault]) throws(LibraryError) {
        guard !faults.isEmpty else { return }
        try database.write { () throws(LibraryError) in try Self.remove(faults, from: database) }
    }

    /// Forgets failures in the library of `folder`, even while another process writes to it.
    public nonisolated static func remove(_ faults: [RenderFault], inLibraryAt folder: String) throws(LibraryError) {
        guard !faults.isEmpty else { return }
        try Database.change(libraryAt: folder) { database throws(LibraryError) in try remove(faults, from: database) }
    }

    private nonisolated static func remove(_ faults: [RenderFault], from database: Database) throws(LibraryError) {
        for fault in faults {
            try database.run(
                "DELETE FROM render_faults WHERE hash = ? AND image = ?", [.hash(fault.chart), .text(fault.image?.file ?? "")])
        }
    }

    private func fault(_ row: borrowing Row) throws(LibraryError) -> RenderFault {
        let chart = try database.hash(row.text(0))
        let file = row.text(1)
        let image = ImageName(folder: chart.digest.shortHex, file: file)
        guard image != nil || file.isEmpty else { throw .damaged(path: database.path, message: "an image is called \"\(file)\"") }
        return RenderFault(
            chart: chart, image: image, tag: RendererTag(row.text(2)), reason: row.text(3), tries: row.integer(4),
            isFinal: row.integer(5) != 0, at: row.time(6) ?? Timestamp(nanoseconds: 0))
    }
}
