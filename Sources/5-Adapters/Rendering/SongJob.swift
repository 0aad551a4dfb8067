public import Model
public import Platform

/// Draws songs as PDFs; tests use a simulated one.
@LoopActor
public protocol SongDrawer: AnyObject {
    /// Draws a song from its words and chords. The warnings name the parts that were not understood or could not be drawn.
    func draw(_ job: SongJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome
}

/// A job to draw a song.
public struct SongJob: Sendable {
    public var sheet: SongSheet
    /// The file that the PDF is written to.
    public var output: Int32

    public init(_ sheet: SongSheet, output: Int32) { (self.sheet, self.output) = (sheet, output) }

    /// The most bytes of a sheet as JSON: more than the longest readable song takes.
    package static let mostBytes = 2 << 20
}
