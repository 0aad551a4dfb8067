/// What one server gives to those who connect.
public struct WebLimits: Sendable {
    /// Connections open at once. When one more comes, the one that has had nothing to ask for longest goes. Default 64.
    public var connections: Int
    /// Bytes for one connection's head and buffers; a longer head is answered 431 or 414. Default 64 KiB.
    public var connectionMemory: Int
    /// Bytes of one request's body; more is answered 413. Default 8 MiB.
    public var body: Int
    /// A connection on which nothing moves for this long is closed; whole seconds. Default 30 s.
    public var idle: Duration
    /// How long one request may take to arrive, however steadily it trickles; then its connection is cut. Default 20 s.
    public var arrival: Duration
    /// Streams of events open at once; one more is answered 503. Default 16.
    public var eventStreams: Int

    /// Makes limits.
    public init(
        connections: Int = 64, connectionMemory: Int = 64 << 10, body: Int = 8 << 20, idle: Duration = .seconds(30),
        arrival: Duration = .seconds(20), eventStreams: Int = 16
    ) {
        self.connections = connections
        self.connectionMemory = connectionMemory
        self.body = body
        self.idle = idle
        self.arrival = arrival
        self.eventStreams = eventStreams
    }
}
