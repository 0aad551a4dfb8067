/// What one server gives to those who connect.
public struct WebLimits: Sendable {
    /// Connections open at once; more wait in the system's queue. Default 64.
    public var connections: Int
    /// Bytes for one connection's head and buffers; a longer head is answered 431 or 414. Default 64 KiB.
    public var connectionMemory: Int
    /// Bytes of one request's body; more is answered 413. Default 8 MiB.
    public var body: Int
    /// A connection on which nothing moves for this long is closed; whole seconds. Default 30 s.
    public var idle: Duration

    /// Makes limits.
    public init(connections: Int = 64, connectionMemory: Int = 64 << 10, body: Int = 8 << 20, idle: Duration = .seconds(30)) {
        self.connections = connections
        self.connectionMemory = connectionMemory
        self.body = body
        self.idle = idle
    }
}
