/// Why a page could not be drawn.
public enum RasterFailure: Error, Hashable, Sendable {
    /// The PDF asks for a password.
    case encrypted
    /// It is not a PDF, or too broken to open.
    case unreadable(String)
    /// It opens, but contains no page.
    case noPages
    /// It has no page with this index, or the page cannot be read.
    case noSuchPage(Int)
    /// It has more pixels than we draw.
    case tooLarge(width: Int, height: Int)
    /// A file from which another one should be made is not as it was written.
    case damaged
    /// A library below failed.
    case drawing(String)
}
