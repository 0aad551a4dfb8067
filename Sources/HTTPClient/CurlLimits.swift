/// The limits that hold for every request of a transport; each request has a size and a time of its own beside them.
public struct CurlLimits: Sendable {
    /// How long a connection may take to be made, TLS included.
    public var connectTimeout: Duration = .seconds(10)
    /// Fewer bytes a second than this …
    public var slowestBytesPerSecond = 100
    /// … for so long end a transfer. Whole seconds.
    public var slowTime: Duration = .seconds(30)
    /// How many transfers run at once to one host; the others wait their turn, and their time begins with it.
    public var transfersPerHost = 6
    /// How many redirects in a row are followed.
    public var redirects = 5

    /// Makes the usual limits.
    public init() {}
}
