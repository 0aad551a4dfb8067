import Model

/// How pages that marks were made on lie on those of a chart: top left on top left, and never stretched.
struct Laying: Sendable {
    let sheets: [PageIndex: PageGeometry]
    /// As far as anybody has measured them.
    let pages: [PageGeometry]

    func lay(_ marks: inout [Mark]) {
        guard !sheets.isEmpty, !pages.isEmpty else { return }
        for place in marks.indices {
            let page = marks[place].page
            guard let sheet = sheets[page], pages.indices.contains(page.value) else { continue }
            marks[place] = marks[place].laid(on: pages[page.value], madeOn: sheet)
        }
    }
}

extension Library {
    /// What the pages of an attachment's chart measure, of its newest one where it has one for each key; none where nobody has
    /// measured them yet.
    func geometries(of attachment: AttachmentID) throws(LibraryError) -> [PageGeometry] {
        try database.rows(
            """
            SELECT width, height FROM chart_pages
            WHERE hash = (\(Self.measuredChart(of: "?"))) ORDER BY page
            """, [.id(attachment)]
        ) { row in PageGeometry(width: row.real(0), height: row.real(1)) }
    }
}
