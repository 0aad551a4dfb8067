/// How the body of an answer is sent.
///
/// All but the first imitate failures of a server or a network, to test how a client copes with them.
public enum Delivery: Sendable, Hashable {
    /// All of it, as fast as the client takes it.
    case whole
    /// This many bytes at a time, with a pause after each piece.
    case trickle(bytes: Int, every: Duration)
    /// The connection breaks off after this many bytes of the body.
    case brokenOff(after: Int)
    /// `Content-Length` says this. A longer body is cut off there; after a shorter one, the connection breaks off.
    case announced(length: Int)
    /// Nothing at all is sent, not even a status; the connection stays open until the server stops.
    case never
}
