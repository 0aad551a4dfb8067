/// What lets one browser in, once, within a minute.
public struct Invitation: Sendable {
    /// Where that browser is to go.
    public let address: String
    private let secret: String
    private let sessions: Sessions

    init(address: String, secret: String, sessions: Sessions) {
        self.address = address
        self.secret = secret
        self.sessions = sessions
    }

    /// Calls `body` once it was used or is good no more, on any thread; at once if that is so already.
    public func whenOver(_ body: @escaping @Sendable () -> Void) { sessions.whenOver(secret, body) }
}
