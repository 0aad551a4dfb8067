import Catalogue
import Glibc
import Library
package import Model
import PlanningCenter
import Platform
import Rendering

/// Charts that are drawn here from words and chords, without the service.
extension ChartDownloads {
    /// Draws these plans' missing charts that are made from words and chords, for somebody who is waiting. Returns the first obstacle, if
    /// any.
    package func draw(_ plans: [PlanContents]) async -> [Setback] {
        do {
            for attachment in try parts.library.charts.attachmentsToDownload(for: plans) where attachment.origin != nil {
                do {
                    _ = try await draw(attachment, in: .live)
                } catch {
                    // `ready` reports the fault, too, until a later poll has drawn the chart.
                    try? parts.library.charts.note(downloadFault: "\(error)", of: attachment, at: parts.now)
                    return [Setback(attachment.filename, "\(error)")]
                }
            }
            return []
        } catch {
            return [Setback("library", "\(error)")]
        }
    }

    /// Whether a chart is drawn here, not downloaded: its id names a song, or the words and chords that it is made from are in the
    /// library.
    func isDrawn(_ attachment: Attachment) throws(LibraryError) -> Bool {
        guard let origin = attachment.origin else { return false }
        if attachment.id.song != nil { return true }
        return try parts.library.songs.text(origin.song) != nil
    }

    /// Draws a chart from words and chords in the library.
    func draw(_ attachment: Attachment, in lane: RenderLane) async throws {
        guard let origin = attachment.origin, let song = try parts.library.songs.text(origin.song) else {
            // A restored catalogue may contain the chart, but not its words.
            throw Trouble("its words and chords are not here; the next sync brings them")
        }
        try await draw(SongSheet(song, origin.view), of: attachment, from: origin, in: lane)
    }

    /// Draws the words and chords in a downloaded file.
    func draw(_ received: ReceivedChart, of attachment: Attachment) async throws {
        guard attachment.fileSize == 0 || attachment.fileSize == received.size else {
            throw LibraryError.wrongSize(attachment.id, expected: attachment.fileSize, found: received.size)
        }
        guard let origin = SheetOrigin(attachment.generatedFrom) else { throw UnusableChart(text: "it does not say what is drawn from it") }
        guard received.size <= Self.longestText else { throw UnusableChart(text: "it is too long") }
        let bytes = try MemoryFile.read(received.file.descriptor, limit: Self.longestText)
        let file: SongFileText
        do throws(Trouble) {
            file = try SongFileText(bytes)
        } catch {
            throw UnusableChart(text: "\(error)")
        }
        var song = SongText(file.text, dialect: .chordPro, title: attachment.displayName)
        song.follow(parts.service?.rules)
        // Keep the text first: whatever fails later, the song can be drawn in another key without the service.
        try parts.library.songs.keep(song, as: origin.song)
        try await draw(
            SongSheet(song, origin.view), of: attachment, from: origin, in: .background, remarks: file.remark.map { [$0] } ?? [])
    }

    private func draw(
        _ sheet: SongSheet, of attachment: Attachment, from origin: SheetOrigin, in lane: RenderLane, remarks: [String] = []
    ) async throws {
        guard let drawer = parts.songs else { throw RenderFailure.stopped }
        let file = try parts.library.charts.beginChart()
        let drawn = try await drawer.draw(SongJob(sheet, output: file.descriptor), in: lane)
        let bytes = try MemoryFile.read(file.descriptor, limit: Self.largest)
        guard bytes.count == drawn.bytes else { throw RenderFailure.cannotWrite(EIO) }
        let hash = ChartHash(SHA256.digest(of: bytes))
        // Describe the chart before it is in the library, so that nobody finds it there without its pages.
        let isKnown = try parts.library.charts.description(of: hash) != nil
        let tag = try await parts.renderer.identity().tag
        let description = isKnown ? nil : try await parts.renderer.describe(chart: file.path, in: lane)
        // Record the placing first, since it shows whether marks are in the same places.
        let placing = sheet.placing(layout: drawn.song?.layout ?? SongSheet.layoutVersion, diagrams: drawn.song?.diagrams)
        try parts.library.songs.note(placing: placing, key: drawn.key, facts: drawn.song, of: hash, remarks: remarks + drawn.warnings)
        try parts.library.charts.keep(
            file, hash: hash, size: bytes.count, for: attachment.id, madeFrom: attachment.generatedFrom, version: attachment.version)
        if let description { try parts.events?.described(hash, as: description, by: tag) }
    }

    /// The longest text that is read as a song, in bytes.
    private static let longestText = 1 << 20
    /// The largest PDF that is read, in bytes: more than a song of thousands of lines takes.
    private static let largest = 64 << 20
}
