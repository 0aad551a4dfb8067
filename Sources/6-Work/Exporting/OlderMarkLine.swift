package import Library
package import Model
package import Platform

/// A line that an export adds to pages with marks from another version of the page: the viewer can ask about them, paper cannot.
package struct OlderMarkLine {
    private let older: [OutdatedMarks]
    private let parts: [LayerID]

    /// Prepares the line for the version of the chart that is here.
    @LoopActor
    package init(on attachment: Attachment, in library: Library) throws(LibraryError) {
        let hash = try library.charts.chart(of: attachment.use)?.hash
        older = try library.olderMarks.outdatedMarks(of: attachment.id).filter { hash == nil || $0.chart == hash }
        parts = older.isEmpty ? [] : try library.parts.layers(of: attachment.id)
    }

    /// The given layers and, if any of their pages needs the line, one more layer with the lines.
    package func added(to layers: [Layer]) -> [Layer] {
        let (drawn, missing) = (pages(of: layers, areDrawn: true), pages(of: layers, areDrawn: false))
        guard let attachment = older.first?.attachment, !drawn.isEmpty || !missing.isEmpty else { return layers }
        let lines = Set(drawn + missing).sorted().map { page in
            Mark(
                id: "older \(page.value)", page: page, kind: .text, color: Self.color, points: [Mark.Point(x: 0.02, y: 0.006)],
                text: missing.contains(page) ? Self.wordsOfMissing : Self.words, setting: Mark.Setting(size: 0.017),
                createdAt: Timestamp(nanoseconds: .max))
        }
        return layers + [Layer(id: LayerID("older"), attachment: attachment, marks: lines)]
    }

    /// The pages that need a line if these layers are drawn.
    package func pages(of layers: [Layer]) -> [PageIndex] {
        Set(pages(of: layers, areDrawn: true) + pages(of: layers, areDrawn: false)).sorted()
    }

    private func pages(of layers: [Layer], areDrawn: Bool) -> [PageIndex] {
        // The parts of a layer are drawn as one, so if any part is among these layers, all parts are drawn.
        let isOfParts = layers.contains { parts.contains($0.id) }
        let drawn = Set(layers.map(\.id)).union(isOfParts ? parts : [])
        let pages = Set(older.filter { drawn.contains($0.layer) && $0.areDrawn == areDrawn }.flatMap(\.pages))
        // Some older marks may belong to other keys, and are not drawn here.
        return areDrawn ? pages.intersection(layers.lazy.flatMap(\.marks).map(\.page)).sorted() : pages.sorted()
    }

    private static let words = "Marks on this page were made on another version of it."
    private static let wordsOfMissing = "Marks of another version of this page are not placed yet."
    private static let color = Color(red: 0xB4, green: 0x47, blue: 0x2C)
}
