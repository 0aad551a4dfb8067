import Glibc
import Library
import Model
import Platform
import Rendering
import TestSupport

/// Checks that all charts are here and whole, without the agent's own code for that: hashes the charts' bytes, and has libpng
/// read the images of every page to the end.
@LoopActor
struct OwnCheck {
    let home: String
    let settings: RenderSettings
    let renderer: RendererIdentity

    init(home: String, settings: RenderSettings) async throws {
        self.home = home
        self.settings = settings
        let pool = WorkerPool(WorkerOptions(program: Program.folder + "/woodshed-render", width: 1))
        do {
            renderer = try await pool.identity()
        } catch {
            await pool.stop()
            throw error
        }
        await pool.stop()
    }

    /// The faults of each chart in all plans; charts without faults are left out.
    func lacks() throws -> [String: [String]] {
        let copy = try LibraryFiles(folder: home + "/data").catalogueCopy()
        let library = try Library(readingFrom: copy.path)
        defer { library.close() }
        var found: [String: [String]] = [:]
        for attachment in Set(try library.plans.all().flatMap(\.attachments)) {
            let lacks = try lacks(of: attachment.id, library)
            if !lacks.isEmpty { found[attachment.id.text] = lacks }
        }
        return found
    }

    /// The paths of all charts, and of all images that must exist.
    func paths() throws -> [String] {
        let copy = try LibraryFiles(folder: home + "/data").catalogueCopy()
        let library = try Library(readingFrom: copy.path)
        defer { library.close() }
        return try Set(library.plans.all().flatMap(\.attachments)).flatMap { attachment in
            guard let hash = try library.charts.chart(of: attachment.id)?.hash else { return [String]() }
            return [path(of: hash)] + (try images(of: attachment.id, hash, library) ?? []).map(path)
        }.sorted()
    }

    private func lacks(of attachment: AttachmentID, _ library: Library) throws -> [String] {
        guard let hash = try library.charts.chart(of: attachment)?.hash else { return ["never came"] }
        guard let bytes = try? AtomicFile.read(path(of: hash), limit: 1 << 28) else { return ["no file"] }
        guard SHA256.digest(of: bytes) == hash.digest else { return ["other bytes"] }
        guard let images = try images(of: attachment, hash, library) else { return ["not counted"] }
        return images.compactMap { name in
            guard let bytes = try? AtomicFile.read(path(of: name), limit: 1 << 26) else { return "no \(name)" }
            guard let image = PNGImage(bytes), max(image.width, image.height) == settings.size(of: name.variant) else {
                return "no whole \(name)"
            }
            return nil
        }
    }

    private func images(of attachment: AttachmentID, _ hash: ChartHash, _ library: Library) throws -> [ImageName]? {
        guard let description = try library.charts.description(of: hash), !description.pages.isEmpty else { return nil }
        let marks = PageMarks.join(try library.drawings.visibleLayers(of: attachment))
        return description.pages.indices.flatMap { number in
            let page = PageIndex(number)
            let variants: [Variant] = [.thumbnail, .plain] + (marks[page] == nil ? [] : [.annotated])
            return variants.map { variant in
                ImageName(
                    ImageInputs(
                        renderer: renderer, chart: hash, chartNeedsFonts: description.needsFonts, page: page, variant: variant,
                        settings: settings, marks: marks[page]?.digest))
            }
        }
    }

    private func path(of chart: ChartHash) -> String { home + "/data/charts/\(chart.digest.hex).pdf" }
    private func path(of image: ImageName) -> String { home + "/cache/pages/\(image)" }
}
