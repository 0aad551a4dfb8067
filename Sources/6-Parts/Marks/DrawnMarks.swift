package import Catalogue
package import Library
package import Model
package import Platform

/// Reads marks, beside the loop, for the few pages whose marks themselves are needed: those that an image is being made of. Everything
/// else makes do with their digests, which the library keeps.
@LoopActor
package final class DrawnMarks {
    private let library: Library
    private let side: SideThread
    /// The layers that were read last, kept while images of their pages are made one after the other.
    private var read: [AttachmentID: (drawing: Digest, layers: [Layer])] = [:]
    /// What each layer draws on the pages that were asked for lately.
    private var parts: [DrawnPage: [ImageMakings.LayerPart]] = [:]
    /// What was found out but is not saved in the library's file yet.
    private var unsaved: [AttachmentID: DrawnPages] = [:]
    /// One at a time, or several callers that ask for the same chart would all read it.
    private let turns = Turns()

    /// Charts may have the same marks, each from layers of its own.
    private struct DrawnPage: Hashable {
        let chart: ChartHash
        let page: PageIndex
        let marks: MarkDigest
    }

    package nonisolated init(library: Library, side: SideThread) {
        self.library = library
        self.side = side
    }

    /// Finds out what is drawn on the charts for which that is not known yet, so that nobody who asks has to wait for it.
    package func lookThrough() async throws {
        for (attachment, drawing) in try library.drawings.all().sorted(by: { $0.key < $1.key }) {
            guard try library.drawings.drawnPages(of: attachment, from: drawing) == nil else { continue }
            _ = try await learn(attachment)
            if unsaved.count >= Self.savedAtATime { try save() }
        }
    }

    /// What is drawn on the pages of a chart now, as digests.
    package func digests(of attachment: AttachmentID) async throws -> [PageIndex: MarkDigest] {
        guard let drawing = try library.drawings.drawing(of: attachment) else { return [:] }
        if let known = try library.drawings.drawnPages(of: attachment, from: drawing) { return known.pages }
        return try await learn(attachment).pages
    }

    private func learn(_ attachment: AttachmentID) async throws -> DrawnPages {
        let written = try library.drawings.writtenLayers(of: attachment)
        let (layers, digests) = try await side.run { () throws(LibraryError) in
            let layers = try written.read()
            return (layers, PageMarks.join(layers).mapValues(\.digest))
        }
        // As a rule, its images are made next.
        read = [attachment: (written.drawing, layers)]
        let pages = DrawnPages(drawing: written.drawing, pages: digests)
        library.drawings.remember(pages, of: attachment)
        unsaved[attachment] = pages
        return pages
    }

    /// The marks of a page; `nil` if the library has others by now.
    package func marks(_ digest: MarkDigest, on page: PageIndex, of chart: ChartHash) async throws -> PageMarks? {
        try await turns.take { try await read(digest, on: page, of: chart) }
    }

    private func read(_ digest: MarkDigest, on page: PageIndex, of chart: ChartHash) async throws -> PageMarks? {
        var present: [AttachmentID: (drawing: Digest, layers: [Layer])] = [:]
        // Several attachments may have the same bytes.
        for attachment in try library.charts.attachments(with: chart) {
            if let known = read[attachment], try library.drawings.drawing(of: attachment) == known.drawing {
                present[attachment] = known
            } else {
                let written = try library.drawings.writtenLayers(of: attachment)
                present[attachment] = (written.drawing, try await side.run { () throws(LibraryError) in try written.read() })
            }
        }
        read = present
        return await find(DrawnPage(chart: chart, page: page, marks: digest))
    }

    /// What each layer draws on an image; `nil` if nothing is drawn, or the library has other layers by now.
    package func parts(of inputs: ImageInputs) throws(LibraryError) -> [ImageMakings.LayerPart]? {
        guard let marks = inputs.marks else { return nil }
        if let known = parts[DrawnPage(chart: inputs.chart, page: inputs.page, marks: marks)] { return known }
        for attachment in try library.charts.attachments(with: inputs.chart) {
            let layers = try library.drawings.visibleLayers(of: attachment)
            if let found = Found(marks, on: inputs.page, of: [layers]) { return found.parts }
        }
        return nil
    }

    /// Frees the marks that were read; they are read again when they are needed.
    package func rest() {
        read = [:]
    }

    /// Saves what was found out in the library's file.
    package func save() throws(LibraryError) {
        try library.drawings.note(unsaved)
        unsaved = [:]
    }

    /// So that the first look at a large library does not take a thousand commits.
    private static let savedAtATime = 256
    private static let partsKept = 64

    private func find(_ drawn: DrawnPage) async -> PageMarks? {
        // In the same order each time: of attachments with the same marks, it is always the first one's layers that are recorded.
        let lists = read.sorted { $0.key < $1.key }.map(\.value.layers)
        let found = await side.run { Found(drawn.marks, on: drawn.page, of: lists) }
        guard let found else { return nil }
        if parts.count >= Self.partsKept { parts = [:] }
        parts[drawn] = found.parts
        return found.marks
    }

    /// The marks of one page, and what each layer draws of them.
    private struct Found: Sendable {
        let marks: PageMarks
        let parts: [ImageMakings.LayerPart]

        init?(_ digest: MarkDigest, on page: PageIndex, of lists: [[Layer]]) {
            for layers in lists {
                let here = layers.map { layer in
                    var layer = layer
                    layer.marks.removeAll { $0.page != page }
                    return layer
                }
                guard let marks = PageMarks.join(here)[page], marks.digest == digest else { continue }
                self.marks = marks
                parts = ImageMakings.parts(of: here, on: page)
                return
            }
            return nil
        }
    }
}
