import Catalogue
import Freshness
import ImageKeeping
import Library
import Marks
public import Model
import PageCache
import Platform
public import Readiness
import Rendering

/// Songs in keys that nobody has chosen yet, for browsers that are to have them when the agent is away. They are no charts of the library,
/// and nothing is kept of their images: what a song looks like in a key follows from its words alone, so when somebody chooses it, it has
/// the same bytes, and its images have the same names.
@LoopActor
final class ChartsAhead {
    struct Chart {
        /// It is gone with this.
        let file: TemporaryFile
        let hash: ChartHash
        let description: ChartDescription
    }

    private struct Pages {
        let chart: Chart
        let images: PageImages
        /// The chart that is in its place, where the library finds the marks.
        let present: ChartHash
    }

    private let core: AgentCore
    /// The latest last.
    private var pages: [Pages] = []

    /// A browser fetches the pages of one before it asks for another; several browsers may do so.
    private static let most = 4
    /// A song of thousands of lines.
    private static let largest = 64 << 20

    init(_ core: AgentCore) { self.core = core }

    /// Draws a song, for nobody who waits for it.
    func draw(_ origin: SheetOrigin) async throws -> Chart {
        guard let song = try core.library.songs.text(origin.song) else { throw ShowFailure.notDownloaded }
        guard let drawer = core.songs else { throw RenderFailure.stopped }
        let file = try core.library.charts.beginChart()
        _ = try await drawer.draw(SongJob(SongSheet(song, origin.view), output: file.descriptor), in: .background)
        let hash = ChartHash(SHA256.digest(of: try MemoryFile.read(file.descriptor, limit: Self.largest)))
        return Chart(file: file, hash: hash, description: try await core.renderer.describe(chart: file.path))
    }

    /// Makes its pages known by the names of their images, until others have come.
    func hold(_ chart: Chart, _ images: PageImages, insteadOf present: ChartHash) {
        pages.removeAll { $0.chart.hash == chart.hash }
        pages.append(Pages(chart: chart, images: images, present: present))
        pages.removeFirst(max(0, pages.count - Self.most))
    }

    /// The image with this name; `nil` if it is of none of them.
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
            marks = try await core.keeper.drawnMarks.marks(digest, on: inputs.page, of: held.present)
            guard marks != nil else { throw ShowFailure.notWanted }
        }
        let output = try MemoryFile.create()
        let job = PageJob(
            chart: held.chart.file.path, page: inputs.page, settings: core.settings.render,
            outputs: [PageJob.Output(inputs.variant, key: inputs.key, descriptor: output.number)], marks: marks, fonts: inputs.fonts)
        _ = try await core.renderer.render(job, in: .background)
        return try MemoryFile.read(output.number, limit: Self.largest)
    }
}

extension Agent {
    /// The pages of a chart in the place of one that is drawn here, whose pages are `present`; nothing of them is kept. In every key, a song
    /// has as many, in the same order.
    public func pages(
        of attachment: Attachment, insteadOf other: Attachment, _ present: [ChartOutlook.Page]
    ) async throws(ShowFailure) -> (hash: ChartHash, pages: [ChartOutlook.Page]) {
        guard !core.ending.hasBegun else { throw .stopped }
        do {
            guard let origin = attachment.origin, let there = try wants.snapshot(of: other) else { throw ShowFailure.notDownloaded }
            let ahead = showing.ahead
            let chart = try await precedence.others.run { try await ahead.draw(origin) }
            var snapshot = there
            (snapshot.madeFrom, snapshot.hash) = (attachment.generatedFrom, chart.hash)
            (snapshot.pageCount, snapshot.needsFonts) = (chart.description.pages.count, chart.description.needsFonts)
            let images = PageImages(of: snapshot, by: try await core.renderer.identity(), core.settings.render)
            ahead.hold(chart, images, insteadOf: there.hash)
            var pages = pages(images, chart.description.pages)
            // Each word is where it is in the other, so nobody waits for an image to know which margins to crop.
            for (index, page) in zip(pages.indices, present) {
                (pages[index].plain.ink, pages[index].annotated.ink) = (page.plain.ink, page.annotated.ink)
            }
            return (chart.hash, pages)
        } catch {
            throw ShowFailure(ofReading: error)
        }
    }
}
