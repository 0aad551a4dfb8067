import Catalogue
import Exporting
import Library
package import Model
import PageCache
package import Platform
import Rendering

extension Agent {
    /// A finished PDF, and the charts that are missing from it, with reasons.
    package typealias MadePDF = (file: TemporaryFile, bytes: Int, leftOut: [String])

    /// A plan's charts as one PDF, with visible marks.
    package func pdf(of plan: PlanContents) async throws -> MadePDF {
        try await pdf(of: ExportContents(plan, title: PDFName.title(of: plan.plan), in: core.library))
    }

    /// A chart as a PDF, with visible marks; `nil` if its file is missing.
    package func pdf(of chart: Attachment) async throws -> MadePDF? {
        guard let found = try core.library.charts.chart(of: chart.use), try core.library.charts.hasBytes(of: found.hash) else { return nil }
        return try await pdf(of: ExportContents(chart, hash: found.hash))
    }

    private func pdf(of contents: ExportContents) async throws -> MadePDF {
        guard let maker = core.parts.pdfs else { throw RenderFailure.stopped }
        // One at a time, to keep page turns from waiting.
        return try await core.pdfTurns.run {
            let (file, outcome) = try await PDFExport(core, maker).make(contents)
            return (file, outcome.bytes, outcome.leftOut.map { "\($0.chart) (\($0.why))" })
        }
    }
}

extension PDFExport {
    /// Creates an export with visible marks, which are read on a side thread. It runs in the background lane, since the live lane
    /// is for pages that a screen waits for.
    init(_ core: AgentCore, _ maker: any PDFMaker) {
        self.init(core.library, maker: maker, longSide: core.settings.render.fullSize, in: .background, side: core.cache.side) {
            let written = try core.library.drawings.writtenLayers(of: $0.id)
            let key = try core.library.charts.key(of: $1)
            let line = try OlderMarkLine(on: $0, in: core.library)
            return try await core.cache.side.run { () throws(LibraryError) in
                PageMarks.all(in: line.added(to: try written.read().shown(in: key)))
            }
        }
    }

    /// Writes the PDF to a temporary file, which is removed once nobody holds the returned object any more.
    func make(_ contents: ExportContents) async throws -> (TemporaryFile, Outcome) {
        let file = try TemporaryFile.create(inFolderOf: folder + "/plan.pdf")
        return (file, try await write(contents, to: file))
    }
}
