/// Lets one browser in, once, within a minute.
public struct Invitation: Sendable {
    /// The address for that browser to open.
    public let address: String
    private let secret: String
    private let sessions: Sessions

    init(address: String, secret: String, sessions: Sessions) {
        self.address = address
        self.secret = secret
        self.sessions = sessions
    }

    /// Calls `body` once it was used or has expired, on any thread; at once if that is so already.
    public func whenOver(_ body: @escaping @Sendable () -> Void) { sessions.whenOver(secret, body) }
}
