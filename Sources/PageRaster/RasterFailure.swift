/// Why a page could not be drawn.
public enum RasterFailure: Error, Hashable, Sendable {
    /// The PDF asks for a password.
    case encrypted
    /// It is no PDF, or too broken to open.
    case unreadable(String)
    /// It opens, but holds no page.
    case noPages
    /// It has no page of this index, or none that can be read.
    case noSuchPage(Int)
    /// More pixels than we draw.
    case tooLarge(width: Int, height: Int)
    /// A file to make another one from is not as it was written.
    case damaged
    /// A library below failed.
    case drawing(String)
}
