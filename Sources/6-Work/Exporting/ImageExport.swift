import Freshness
import Glibc
package import Library
package import Model
package import Platform
package import Rendering

/// Makes a booklet of a plan's charts, or of one chart: the pages as images, in the order of playing.
@LoopActor
package struct ImageExport {
    private let library: Library
    private let renderer: any PageRenderer
    private let settings: RenderSettings
    private let lane: RenderLane
    /// The marks to draw on a chart's pages.
    private let marks: @LoopActor (Attachment, ChartHash) throws -> [PageIndex: PageMarks]

    package init(
        _ library: Library, renderer: any PageRenderer, settings: RenderSettings, in lane: RenderLane,
        marks: @escaping @LoopActor (Attachment, ChartHash) throws -> [PageIndex: PageMarks]
    ) {
        (self.library, self.renderer, self.settings, self.lane, self.marks) = (library, renderer, settings, lane, marks)
    }

    /// Draws each page of the contents into the booklet, once. Throws if no chart can be drawn, or for reasons that have nothing
    /// to do with a chart.
    package func write(
        _ contents: ExportContents, to booklet: Booklet, progress: @LoopActor (ExportProgress) -> Void = { _ in }
    ) async throws -> PDFExport.Outcome {
        var outcome = PDFExport.Outcome()
        var steps = ExportProgress(of: contents)
        for section in contents.sections {
            booklet.begin(section.heading)
            for chart in section.charts {
                defer { progress(steps.advance()) }
                guard let hash = chart.hash else {
                    outcome.leaveOut(chart, chart.absence)
                    continue
                }
                let count = booklet.imageCount
                do {
                    try library.charts.check(hash)
                    let images = try await draw(chart, hash, into: booklet, &outcome)
                    booklet.add(images, of: section.charts.count > 1 ? chart.name : section.heading)
                    outcome.pages += images.count
                } catch let failure as RenderFailure {
                    guard failure.isOfTheChart else { throw failure }
                    booklet.removeImages(after: count)
                    outcome.leaveOut(chart, "\(failure)")
                } catch let error as LibraryError {
                    outcome.leaveOut(chart, "\(error)")
                }
            }
        }
        guard outcome.charts > 0 else { throw ExportFailure(outcome.leftOut) }
        return outcome
    }

    private func draw(
        _ chart: ExportContents.Chart, _ hash: ChartHash, into booklet: Booklet, _ outcome: inout PDFExport.Outcome
    ) async throws -> [Booklet.Image] {
        let path = library.charts.path(of: hash)
        let pages = try await renderer.describe(chart: path).pages
        let marks = try marks(chart.attachment, hash)
        var drawn: [Int: Booklet.Image] = [:]
        var images: [Booklet.Image] = []
        for page in chart.pages(of: pages.count) ?? Array(pages.indices) {
            if drawn[page] == nil {
                let image = try booklet.newImage()
                let key = ImageKey(SHA256.digest(of: "woodshed booklet \(image.name)"))
                let made = try await renderer.render(
                    PageJob(
                        chart: path, page: PageIndex(page), settings: settings,
                        outputs: [PageJob.Output(marks[PageIndex(page)] == nil ? .plain : .annotated, key: key, descriptor: image.file)],
                        marks: marks[PageIndex(page)]), in: lane)
                outcome.warnings += made.warnings.map { "\(chart.attachment.filename): \($0)" }
                drawn[page] = try booklet.finish(image)
            }
            if let image = drawn[page] { images.append(image) }
        }
        outcome.contain(chart, pages: pages.count)
        return images
    }
}
