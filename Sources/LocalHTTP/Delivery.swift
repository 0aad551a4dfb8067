/// How the body of an answer goes out.
///
/// All but the first are the ways in which a server or a network fails, for those who test how a client bears it.
public enum Delivery: Sendable, Hashable {
    /// All of it, as fast as the client takes it.
    case whole
    /// So many bytes at a time, with a pause after each.
    case trickle(bytes: Int, every: Duration)
    /// The connection breaks off after so many bytes of the body.
    case brokenOff(after: Int)
    /// `Content-Length` says this. Of a longer body only so much is sent; after a shorter one the connection breaks off.
    case announced(length: Int)
    /// Nothing at all is sent, not even a status; the connection stays open until the server stops.
    case never
}
