package import Model

/// How the pages that marks were made on are placed on those of a chart: top left on top left, and never stretched.
package struct Laying: Sendable {
    let sheets: [PageIndex: PageGeometry]
    /// As many as have been measured.
    let pages: [PageGeometry]

    package init(sheets: [PageIndex: PageGeometry], pages: [PageGeometry]) {
        self.sheets = sheets
        self.pages = pages
    }

    package func lay(_ marks: inout [Mark]) {
        guard !sheets.isEmpty, !pages.isEmpty else { return }
        for place in marks.indices {
            let page = marks[place].page
            guard let sheet = sheets[page], pages.indices.contains(page.value) else { continue }
            marks[place] = marks[place].laid(on: pages[page.value], madeOn: sheet)
        }
    }
}
