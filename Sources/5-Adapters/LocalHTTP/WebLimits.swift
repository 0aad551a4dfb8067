/// What a server allows its clients.
public struct WebLimits: Sendable {
    /// Connections open at once. If another one comes, the one idle for longest is closed. Default 64.
    public var connections: Int
    /// Bytes for one connection's head and buffers; a longer head is answered with 431 or 414. Default 64 KiB.
    public var connectionMemory: Int
    /// Bytes of one request's body; anything larger is answered with 413. Default 8 MiB.
    public var body: Int
    /// A connection without any traffic for this long is closed; whole seconds. Default 30 s.
    public var idle: Duration
    /// How long a request may take to arrive, however steadily it trickles in, before its connection is cut. Default 20 s.
    public var arrival: Duration
    /// Event streams open at once; another one is answered with 503. Default 16.
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
