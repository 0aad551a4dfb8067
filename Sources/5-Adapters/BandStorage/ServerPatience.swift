public import Platform

/// How much silence from a server is tolerated in all requests together, while a person waits in front of a command.
///
/// Only silence counts. A prompt answer costs nothing, nor do bytes that move faster than a crawl: a slow network takes the time that it
/// needs. Once the patience is used up, no more requests are made.
@LoopActor
public final class ServerPatience {
    private var rest: Duration

    /// A request that is answered within this time, besides the time for its bytes, costs nothing.
    private nonisolated static let soon: Duration = .seconds(2)

    /// `whole` is also how long the first request may be silent.
    public nonisolated init(_ whole: Duration = .seconds(8)) { rest = whole - Self.soon }

    /// How long the next request may be silent; `nil` if no more may be made.
    var limit: Duration? { rest > .zero ? rest + Self.soon : nil }

    /// Notes an exchange and the bytes that it sent and received.
    func note(took: Duration, moving bytes: Int) {
        rest -= max(.zero, took - Self.soon - .seconds(1) * bytes / HTTPRequest.crawl)
    }
}
