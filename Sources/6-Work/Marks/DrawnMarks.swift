package import Catalogue
package import Library
package import Model
package import Platform

/// Reads marks, outside the loop, for the few pages that need the marks themselves because an image is being made. Everywhere
/// else their digests suffice, which the library keeps.
@LoopActor
package final class DrawnMarks {
    private let library: Library
    private let side: SideThread
    /// The layers read last, kept because the images of their pages are made one after the other.
    private var read: [AttachmentID: (drawing: Digest, layers: [Layer])] = [:]
    /// Digests that are not saved in the library yet.
    private var unsaved: [AttachmentID: DrawnPages] = [:]
    /// One reader at a time: otherwise several callers that need the same chart would all read it.
    private let turns = Turns()

    package nonisolated init(library: Library, side: SideThread) { (self.library, self.side) = (library, side) }

    /// Computes the missing digests of all charts' marks, so that later callers need not wait.
    package func look() async throws {
        for (attachment, drawing) in try library.drawings.all().sorted(by: { $0.key < $1.key }) {
            guard try library.drawings.drawnPages(of: attachment, from: drawing) == nil else { continue }
            _ = try await learn(attachment)
            if unsaved.count >= Self.savedAtATime { try save() }
        }
    }

    /// The digests of all marks now drawn on the pages of this attachment's chart.
    package func digests(of attachment: AttachmentID, on chart: ChartHash) async throws -> [PageIndex: MarkDigest] {
        try await digests(of: attachment, in: library.charts.key(of: chart))
    }

    /// The digests of all marks now drawn on the pages of the attachment's chart with chords in this key.
    package func digests(of attachment: AttachmentID, in key: ChordKey?) async throws -> [PageIndex: MarkDigest] {
        guard let drawing = try library.drawings.drawing(of: attachment) else { return [:] }
        if let known = try library.drawings.drawnPages(of: attachment, from: drawing) { return known.pages(in: key) }
        return try await learn(attachment).pages(in: key)
    }

    private func learn(_ attachment: AttachmentID) async throws -> DrawnPages {
        let written = try library.drawings.writtenLayers(of: attachment)
        let (layers, pages) = try await side.run { () throws(LibraryError) in
            let layers = try written.read()
            return (layers, DrawnPages(drawing: written.drawing, of: layers))
        }
        // Keep these layers in memory: the images of this attachment are usually made next.
        read = [attachment: (written.drawing, layers)]
        library.drawings.remember(pages, of: attachment)
        unsaved[attachment] = pages
        return pages
    }

    /// The marks of a page that have this digest; `nil` if the library now has other marks.
    package func marks(_ digest: MarkDigest, on page: PageIndex, of chart: ChartHash) async throws -> PageMarks? {
        // Several attachments may have charts with the same bytes, so search the marks of all of them.
        try await turns.run {
            let uses = try library.charts.uses(shownFrom: ImageFolder(of: chart))
            return try await read(digest, on: page, of: Set(uses.map(\.attachment)).sorted())
        }
    }

    /// The marks of a page that have this digest, on a chart that the library does not have: the attachment's chart in another key.
    package func marks(_ digest: MarkDigest, on page: PageIndex, of attachment: AttachmentID) async throws -> PageMarks? {
        try await turns.run { try await read(digest, on: page, of: [attachment]) }
    }

    private func read(_ digest: MarkDigest, on page: PageIndex, of attachments: [AttachmentID]) async throws -> PageMarks? {
        var present: [AttachmentID: (drawing: Digest, layers: [Layer])] = [:]
        for attachment in attachments {
            if let known = read[attachment], try library.drawings.drawing(of: attachment) == known.drawing {
                present[attachment] = known
            } else {
                let written = try library.drawings.writtenLayers(of: attachment)
                present[attachment] = (written.drawing, try await side.run { () throws(LibraryError) in try written.read() })
            }
        }
        read = present
        let lists = present.sorted { $0.key < $1.key }.map(\.value.layers)
        return await side.run { lists.lazy.compactMap { $0.marks(digest, on: page) }.first }
    }

    /// Frees the marks in memory; they are read again when needed.
    package func rest() {
        read = [:]
    }

    /// Saves new digests in the library.
    package func save() throws(LibraryError) {
        try library.drawings.note(unsaved)
        unsaved = [:]
    }

    /// Large enough that the first run on a large library does not take a thousand commits.
    private static let savedAtATime = 256
}
