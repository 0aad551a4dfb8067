/// The limits that apply to every request of a transport, in addition to each request's own limits of size and time.
public struct CurlLimits: Sendable {
    /// How long connecting may take, including TLS.
    public var connectTimeout: Duration = .seconds(10)
    /// A transfer that sends fewer bytes per second than this …
    public var slowestBytesPerSecond = 100
    /// … for this long is ended. Whole seconds.
    public var slowTime: Duration = .seconds(30)
    /// How many transfers to one host may run at once; the others wait for their turn, and only then does their time begin.
    public var transfersPerHost = 6
    /// How many redirects in a row are followed.
    public var redirects = 5

    /// Makes the usual limits.
    public init() {}
}
