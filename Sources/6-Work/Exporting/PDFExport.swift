import Freshness
import Glibc
package import Library
package import Model
package import Platform
package import Rendering

/// Makes one PDF of a plan's charts, or of one chart. Each chart is copied separately first, so a chart that cannot be read, or
/// crashes the process that reads it, costs only its own pages.
@LoopActor
package struct PDFExport {
    package struct Outcome: Hashable, Sendable {
        package var pages = 0
        package var bytes = 0
        /// The charts in the PDF with their numbers of pages, each chart once however often it is played: `ready` counts the same way.
        package internal(set) var contained: [ContainedChart: Int] = [:]
        package var charts: Int { contained.count }
        package var ownPages: Int { contained.values.reduce(0, +) }
        /// The pages that the plan's page orders leave out, a sentence each.
        package internal(set) var shortened: [String] = []
        /// The missing charts, with reasons.
        package var leftOut: [Missing] = []
        /// Other faults, a sentence each.
        package var warnings: [String] = []

        /// Charts that are here but missing from the PDF.
        package var unread: [Missing] { leftOut.filter(\.isHere) }

        /// Whether another attempt would leave out the same charts, apart from those that are not here yet.
        package var isLasting: Bool { unread.allSatisfy(\.isLasting) }
    }

    /// Identifies a chart in the PDF. The attachment alone is not enough, since it may have several charts.
    package struct ContainedChart: Hashable, Sendable {
        let attachment: AttachmentID
        let hash: ChartHash?
    }

    /// A chart that is missing from the PDF.
    package struct Missing: Hashable, Sendable {
        package let chart: String
        package let why: String
        /// False if the chart has not been downloaded yet.
        package let isHere: Bool
        /// Whether another attempt would fail in the same way.
        package let isLasting: Bool
    }

    private let library: Library
    private let maker: any PDFMaker
    private let longSide: Int
    private let form: PartJob.MarkForm
    private let lane: RenderLane
    private let side: SideThread
    /// The marks to draw on a chart.
    private let marks: @LoopActor (Attachment, ChartHash) async throws -> [Mark]

    package init(
        _ library: Library, maker: any PDFMaker, longSide: Int, form: PartJob.MarkForm = .painted, in lane: RenderLane,
        side: SideThread, marks: @escaping @LoopActor (Attachment, ChartHash) async throws -> [Mark]
    ) {
        (self.library, self.maker, self.longSide, self.form, self.marks) = (library, maker, longSide, form, marks)
        (self.lane, self.side) = (lane, side)
    }

    /// The library's folder: a PDF can be made there in a temporary file, since its disk should have room.
    package var folder: String { library.folder }

    /// Writes the PDF to an empty file. Throws if no chart can be copied, or for reasons that have nothing to do with a chart.
    package func write(
        _ contents: ExportContents, to file: TemporaryFile, progress: @LoopActor (ExportProgress) -> Void = { _ in }
    ) async throws -> Outcome {
        var outcome = Outcome()
        if contents.charts.count == 1, contents.charts[0].attachment.pageOrder.isEmpty {
            // Copy a single chart unchanged, with its own bookmarks, unless the musician's are to be added.
            guard let part = try await part(contents.charts[0], to: file, from: 0, &outcome) else { throw ExportFailure(outcome.leftOut) }
            guard part.hasMarkedPlaces else {
                (outcome.pages, outcome.bytes) = (part.pages, part.count)
                outcome.contain(contents.charts[0], pages: part.pages)
                return outcome
            }
            outcome = Outcome()
        }
        // Copy the charts into a temporary file in the PDF's folder, whose disk has room. The file is removed at the end.
        let parts = try TemporaryFile.create(inFolderOf: file.path)
        var bound = PDFContents(title: contents.title)
        var known: [ContainedChart: (part: Int, pages: Int, places: [PDFContents.Place])] = [:]
        var rest = PDFContents.mostPlaces
        var end = 0
        var steps = ExportProgress(of: contents)
        for section in contents.sections {
            var places: [PDFContents.Entry] = []
            for chart in section.charts {
                defer { progress(steps.advance()) }
                let name = ContainedChart(attachment: chart.attachment.id, hash: chart.hash)
                if known[name] == nil, let part = try await part(chart, to: parts, from: end, &outcome) {
                    known[name] = (bound.parts.count, part.pages, part.places)
                    bound.parts.append(PDFContents.Part(start: end, count: part.count))
                    end += part.count
                }
                guard let part = known[name] else { continue }
                outcome.contain(chart, pages: part.pages)
                let inside = Array(part.places.prefix(rest))
                rest -= inside.count
                places.append(
                    PDFContents.Entry(
                        level: 1, title: chart.name, part: part.part, pages: chart.pages(of: part.pages), places: inside))
            }
            bound.add(section.heading, places)
        }
        guard outcome.charts > 0 else { throw ExportFailure(outcome.leftOut) }
        let made = try await maker.bind(BindJob(parts: parts.descriptor, contents: bound, output: file.descriptor), in: lane)
        (outcome.pages, outcome.bytes) = (made.pages, made.bytes)
        return outcome
    }

    /// A copied chart: its bytes, its pages, and the bookmarks within it.
    private struct Part {
        let count: Int
        let pages: Int
        let places: [PDFContents.Place]
        /// Whether there are bookmarks that are not the PDF's own.
        let hasMarkedPlaces: Bool
    }

    /// Copies one chart. Returns `nil` if the chart is left out.
    private func part(
        _ chart: ExportContents.Chart, to file: TemporaryFile, from start: Int, _ outcome: inout Outcome
    ) async throws -> Part? {
        guard let hash = chart.hash else {
            outcome.leaveOut(chart, chart.absence)
            return nil
        }
        do throws(LibraryError) {
            try await library.charts.check(hash, on: side)
        } catch {
            outcome.leaveOut(chart, "\(error)")
            return nil
        }
        let marks = try await marks(chart.attachment, hash)
        do throws(RenderFailure) {
            let made = try await maker.part(
                PartJob(
                    chart: library.charts.path(of: hash), marks: marks.filter { $0.kind != .bookmark }, form: form, longSide: longSide,
                    output: file.descriptor, start: start), in: lane)
            outcome.warnings += made.warnings.map { "\(chart.attachment.filename): \($0)" }
            let layer = Layer(id: LayerID(""), attachment: chart.attachment.id, marks: marks)
            let marked = ChartPlaces(of: [layer], own: [])
            let all = marked.before(try? library.charts.places(in: hash), pages: made.pages)
            return Part(
                count: made.bytes, pages: made.pages,
                places: all.bookmarks.map { PDFContents.Place(level: $0.level, title: $0.title, page: $0.place.page.value) },
                hasMarkedPlaces: !marked.possible(pages: made.pages).bookmarks.isEmpty)
        } catch {
            guard error.isOfTheChart else { throw error }
            outcome.leaveOut(chart, "\(error)", isLasting: error.isLasting)
            return nil
        }
    }
}

extension PDFExport.Outcome {
    /// Records a chart with this many pages as contained in the PDF; a chart may occur several times.
    mutating func contain(_ chart: ExportContents.Chart, pages: Int) {
        let name = PDFExport.ContainedChart(attachment: chart.attachment.id, hash: chart.hash)
        guard contained.updateValue(pages, forKey: name) == nil else { return }
        let leftOut = PageSequence(chart.attachment.pageOrder, pageCount: pages).leftOut(of: pages)
        if !leftOut.isEmpty {
            shortened.append("\(chart.attachment.filename): without \(PageIndex.words(leftOut)), as the plan's page order has it")
        }
    }

    mutating func leaveOut(_ chart: ExportContents.Chart, _ why: String, isLasting: Bool = false) {
        leftOut.append(
            PDFExport.Missing(chart: chart.attachment.filename, why: why, isHere: chart.hash != nil, isLasting: isLasting))
    }
}

extension PDFContents {
    /// Adds an item and its charts: a single chart needs no bookmark of its own.
    fileprivate mutating func add(_ heading: String, _ places: [Entry]) {
        guard let first = places.first else { return }
        guard places.count > 1 else {
            entries.append(Entry(level: 0, title: heading, part: first.part, pages: first.pages, places: first.places))
            return
        }
        entries.append(Entry(level: 0, title: heading, part: nil))
        entries += places
    }
}

extension RenderFailure {
    /// Whether the failure concerns this chart alone, so the others can still be copied.
    var isOfTheChart: Bool {
        switch self {
        case .encrypted, .unreadable, .noPages, .tooManyPages, .noSuchPage, .tooLarge, .drawing, .timedOut, .crashed, .cannotOpen,
            .heldUp, .malformedReply:
            true
        case .damagedImage, .cannotWrite, .cannotStart, .versionMismatch, .rendererChanged, .fontsChanged, .stopped, .cancelled: false
        }
    }
}

/// Why no PDF was made.
package struct ExportFailure: Error, Hashable, CustomStringConvertible {
    package let leftOut: [PDFExport.Missing]

    init(_ leftOut: [PDFExport.Missing]) { self.leftOut = leftOut }

    /// Whether another attempt would fail in the same way, unless missing charts have been downloaded.
    package var isLasting: Bool { leftOut.allSatisfy { $0.isLasting || !$0.isHere } }

    package var description: String {
        guard !leftOut.isEmpty else { return "there are no charts in it" }
        let reasons = leftOut.map { "\($0.chart): \($0.why)" }
        return reasons.count == 1 ? reasons[0] : "none of its charts can be exported:\n  " + reasons.joined(separator: "\n  ")
    }
}
