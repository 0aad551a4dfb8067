import Catalogue
import Freshness
import ImageKeeping
import Library
import Marks
package import Model
import PageCache
import Platform
package import Readiness
import Rendering

/// A song drawn in one key.
package struct ChartAhead {
    package let hash: ChartHash
    let description: ChartDescription
    /// The printed key of its chords.
    package let key: String?
}

/// Songs drawn in keys that nobody has chosen yet. Browsers keep their pages for times when the agent cannot be reached. These
/// songs are not charts of the library, and their images are not stored. A song's pages in a key depend only on the song's text. If
/// somebody chooses that key later, the chart therefore has the same bytes, and its images have the same names.
@LoopActor
final class ChartsAhead {
    /// A drawn song.
    final class Sheet: Sendable {
        let origin: SheetOrigin
        let file: Descriptor
        let key: String?

        init(_ origin: SheetOrigin, _ file: consuming Descriptor, key: String?) {
            self.origin = origin
            self.file = file
            self.key = key
        }

        /// The path of the open file.
        var path: String { "/proc/self/fd/\(file.number)" }
    }

    private struct Pages {
        let origin: SheetOrigin
        let images: PageImages
    }

    private let core: AgentCore
    /// The songs drawn so far, kept for later requests for the same song. Such a request comes from another browser, or from a
    /// restarted browser that still has most of the images.
    private var looks: [SheetOrigin: ChartAhead] = [:]
    /// The songs whose images may be requested, latest last.
    private var pages: [Pages] = []
    /// The last song drawn, whose images are requested next.
    private var latest: Sheet?

    /// A browser fetches the images of one song before it requests another song, but several browsers may do so at the same time.
    private static let mostPages = 16
    private static let mostLooks = 400
    /// The largest file that is read, large enough for a song of thousands of lines.
    private static let largest = 64 << 20

    init(_ core: AgentCore) { self.core = core }

    /// A song in one key, drawn unless it is remembered.
    func look(_ origin: SheetOrigin) async throws -> ChartAhead {
        if let known = looks[origin] { return known }
        let sheet = try await sheet(origin)
        defer { withExtendedLifetime(sheet) {} }
        let hash = ChartHash(SHA256.digest(of: try MemoryFile.read(sheet.file.number, limit: Self.largest)))
        let look = ChartAhead(hash: hash, description: try await core.renderer.describe(chart: sheet.path), key: sheet.key)
        if looks.count >= Self.mostLooks { looks = [:] }
        looks[origin] = look
        return look
    }

    private func sheet(_ origin: SheetOrigin) async throws -> Sheet {
        if let latest, latest.origin == origin { return latest }
        guard let song = try core.library.songs.text(origin.song) else { throw Trouble.notDownloaded }
        guard let drawer = core.songs else { throw RenderFailure.stopped }
        let file = try MemoryFile.create()
        let drawn = try await drawer.draw(SongJob(SongSheet(song, origin.view), output: file.number), in: .background)
        let sheet = Sheet(origin, file, key: drawn.key)
        latest = sheet
        return sheet
    }

    /// Remembers a song's images, so that they can be requested until enough later songs have taken the song's place.
    func hold(_ origin: SheetOrigin, _ images: PageImages) {
        pages.removeAll { $0.origin == origin }
        pages.append(Pages(origin: origin, images: images))
        pages.removeFirst(max(0, pages.count - Self.mostPages))
    }

    /// The image with this name; `nil` if no remembered song has it.
    func image(_ name: ImageName) async throws -> [UInt8]? {
        for held in pages {
            guard let image = held.images.wanted.first(where: { $0.name == name }) else { continue }
            return try await draw(image.inputs, of: held)
        }
        return nil
    }

    private func draw(_ inputs: ImageInputs, of held: Pages) async throws -> [UInt8] {
        var marks: PageMarks?
        if let digest = inputs.marks {
            marks = try await core.keeper.drawnMarks.marks(digest, on: inputs.page, of: held.images.snapshot.attachment)
            guard marks != nil else { throw Trouble.notWanted }
        }
        let sheet = try await sheet(held.origin)
        let output = try MemoryFile.create()
        let job = PageJob(
            chart: sheet.path, page: inputs.page, settings: core.settings.render,
            outputs: [PageJob.Output(inputs.variant, key: inputs.key, descriptor: output.number)], marks: marks, fonts: inputs.fonts)
        defer { withExtendedLifetime(sheet) {} }
        _ = try await core.renderer.render(job, in: .background)
        return try MemoryFile.read(output.number, limit: Self.largest)
    }
}

extension Agent {
    /// The pages of a chart that is shown in place of `other`, none of whose images is stored. `other` is a chart drawn by Woodshed
    /// with the pages `present`. In every key, a song has the same number of pages, in the same order.
    package func pages(
        of attachment: Attachment, insteadOf other: Attachment, _ present: [ChartOutlook.Page]
    ) async throws(Trouble) -> (ahead: ChartAhead, pages: [ChartOutlook.Page]) {
        guard !core.ending.hasBegun else { throw .stopped }
        do {
            guard let origin = attachment.origin, let there = try wants.snapshot(of: other.use) else { throw Trouble.notDownloaded }
            let ahead = showing.ahead
            let look = try await precedence.others.run { try await ahead.look(origin) }
            var snapshot = there
            (snapshot.madeFrom, snapshot.hash) = (attachment.generatedFrom, look.hash)
            (snapshot.pageCount, snapshot.needsFonts) = (look.description.pages.count, look.description.needsFonts)
            snapshot.marks = try await core.keeper.drawnMarks.digests(of: attachment.id, in: look.key.flatMap { ChordKey($0) })
            let images = PageImages(of: snapshot, by: try await core.renderer.identity(), core.settings.render)
            ahead.hold(origin, images)
            var pages = pages(images, look.description.pages)
            // Each word is in the same place in every key, so cropping need not wait for an image.
            for (index, page) in zip(pages.indices, present) {
                pages[index].plain.ink = page.plain.ink
                // The annotated image has the same ink only if both keys have the same marks.
                if snapshot.marks[PageIndex(index)] == there.marks[PageIndex(index)] { pages[index].annotated.ink = page.annotated.ink }
            }
            return (look, pages)
        } catch {
            throw Trouble(ofReading: error)
        }
    }
}
