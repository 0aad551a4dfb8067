import Glibc
import Model
public import Platform
public import Rendering

/// Makes PDFs that consist of lines of text: their content is readable, and equal jobs give equal bytes.
@LoopActor
public final class SimulatedPDFs: PDFMaker, SongDrawer {
    /// The jobs that copied charts, in order.
    public private(set) var parts: [PartJob] = []
    /// Returns why a job that copies a chart fails; by default none does.
    public var failure: @LoopActor (PartJob) -> RenderFailure? = { _ in nil }

    /// The jobs that drew songs, in order.
    public private(set) var songs: [SongJob] = []
    /// Returns the remarks about a song, or throws the reason why it cannot be drawn.
    public var remarks: @LoopActor (SongJob) throws(RenderFailure) -> [String] = { _ in [] }
    /// Called while a song is being drawn.
    public var whileDrawing: @LoopActor (SongJob) async -> Void = { _ in }

    /// The jobs that made PDFs of pictures, in order.
    public private(set) var pictures: [PictureJob] = []
    /// Returns why a picture cannot be shown; by default all can.
    public var refusal: @LoopActor (PictureJob) -> RenderFailure? = { _ in nil }

    public init() {}

    public func part(_ job: PartJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        parts.append(job)
        if let failure = failure(job) { throw failure }
        let name = job.chart.split(separator: "/").last.map(String.init) ?? ""
        return try write("\(name) with \(job.marks)\n", to: job.output, at: job.start)
    }

    public func bind(_ job: BindJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        var text = "\(job.contents.title)\n"
        for part in job.contents.parts {
            let bytes = [UInt8](unsafeUninitializedCapacity: part.count) { buffer, count in
                count = max(pread(job.parts, buffer.baseAddress, part.count, part.start), 0)
            }
            text += String(decoding: bytes, as: UTF8.self)
        }
        for entry in job.contents.entries { text += "\(entry.level) \(entry.title)\n" }
        return try write(text, to: job.output, at: 0)
    }

    public func draw(_ job: SongJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        songs.append(job)
        await whileDrawing(job)
        let remarks = try remarks(job)
        let (song, view) = (job.sheet.song, job.sheet.view)
        let heading = "\(song.title) in \(view.key ?? song.key ?? "its key"), capo \(view.capo), \(view.writing?.rawValue ?? "as usual")"
        let text = "%PDF-1.7\n\(heading)\n\(song.text)\n%%EOF\n"
        var outcome = try write(text, to: job.output, at: 0)
        (outcome.warnings, outcome.key) = (remarks, view.key ?? song.key)
        return outcome
    }

    public func draw(_ job: PictureJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        pictures.append(job)
        if let failure = refusal(job) { throw failure }
        let bytes: [UInt8]
        do {
            bytes = try AtomicFile.read(job.picture, limit: 1 << 20)
        } catch {
            throw .cannotOpen("\(error)")
        }
        return try write("%PDF-1.7\npicture \(SHA256.digest(of: bytes).hex)\n%%EOF\n", to: job.output, at: 0)
    }

    private func write(_ text: String, to file: Int32, at start: Int) throws(RenderFailure) -> PDFOutcome {
        let bytes = Array(text.utf8)
        guard pwrite(file, bytes, bytes.count, start) == bytes.count else { throw .cannotWrite(errno) }
        return PDFOutcome(pages: 1, bytes: bytes.count)
    }
}
