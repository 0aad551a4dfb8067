public import Platform

/// How long a server may be silent, in all requests together, while a person waits for a command.
///
/// Only silence counts. A prompt answer costs nothing, and neither do bytes that move faster than a crawl, so a slow network gets
/// the time that it needs. Once the patience is used up, no more requests are made.
@LoopActor
public final class ServerPatience {
    private var rest: Duration

    /// An answer within this time, plus the time for its bytes at a crawl, costs nothing.
    private nonisolated static let soon: Duration = .seconds(2)

    /// `whole` is also how long the first request may be silent.
    public nonisolated init(_ whole: Duration = .seconds(8)) { rest = whole - Self.soon }

    /// How long the next request may be silent; `nil` if no more may be made.
    var limit: Duration? { rest > .zero ? rest + Self.soon : nil }

    /// Subtracts the silence of an exchange that took this long and moved this many bytes, in both directions together.
    func note(took: Duration, moving bytes: Int) {
        rest -= max(.zero, took - Self.soon - .seconds(1) * bytes / HTTPRequest.crawl)
    }
}
