public import Model
public import Platform

/// Makes PDFs of songs and pictures; tests use a simulated one.
@LoopActor
public protocol SongDrawer: AnyObject {
    /// Draws a song from its words and chords. The warnings name the parts that were not understood or could not be drawn.
    func draw(_ job: SongJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome

    /// Makes a PDF of one page of a picture.
    func draw(_ job: PictureJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome
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

/// A job to make a PDF of a photograph or another picture.
public struct PictureJob: Sendable {
    /// The path of the JPEG or PNG.
    public var picture: String
    /// The file that the PDF is written to.
    public var output: Int32

    public init(_ picture: String, output: Int32) { (self.picture, self.output) = (picture, output) }

    /// The most bytes of a picture, and of the PDF that is made of it.
    package static let mostBytes = 64 << 20
}
