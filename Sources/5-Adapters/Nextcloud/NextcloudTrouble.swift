/// Why nobody could log in at a Nextcloud with a browser, for people.
public enum NextcloudTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The given address is not a server's.
    case noAddress
    /// The server at that address does not offer this log-in; most likely it is no Nextcloud. The second text is its answer.
    case noSuchFlow(server: String, String)
    /// Nothing answers for now, or the server has a fault of its own.
    case unavailable(server: String, String)
    /// The server names another address as its own. Secrets go only to the address that the musician gave.
    case namesAnother(server: String, other: String, wasGranted: Bool)
    /// The server's answer is not what it should be.
    case notUnderstood(server: String, String)
    /// Nobody logged in within the time allowed; with the last thing that went wrong while asking, if any.
    case ranOut(server: String, String?)
    case cancelled

    public var description: String {
        switch self {
        case .noAddress:
            "that is no server's address; it looks like https://cloud.example, without a user name, and only with ASCII characters"
        case .noSuchFlow(let server, let how):
            "\(server) lets nobody log in with a browser as a Nextcloud does (\(how)): if it is a Nextcloud, check its address; if not, "
                + "give the user name and password that it wants"
        case .unavailable(let server, let why): "\(server) cannot be asked for now (\(why)); try again later"
        case .namesAnother(let server, let other, let wasGranted): Self.namesAnother(server, other, wasGranted)
        case .notUnderstood(let server, let why):
            "what \(server) answered to the log-in cannot be used (\(why)); try again, and if that continues, tell whoever runs that server"
        case .ranOut(let server, let trouble):
            "nobody has logged in at \(server) within 20 minutes\(trouble.map { " (when it was asked: \($0))" } ?? ""); try again. "
                + "If the browser said that all is done, remove this program there from the list of devices first"
        case .cancelled: "cancelled"
        }
    }

    private static func namesAnother(_ server: String, _ other: String, _ wasGranted: Bool) -> String {
        let isInsecure = server.hasPrefix("https:") && other == server.replacing("https:", with: "http:", maxReplacements: 1)
        let remedy =
            isInsecure
            ? "whoever runs it has to set 'overwriteprotocol' to 'https' there"
            : "if that is the same server, use that address; if not, somebody is between you and your server"
        let rest = wasGranted ? ". Remove this program there from the list of devices, since it has not kept the password" : ""
        return "\(server) calls itself \(other), and a password is sent nowhere but where you said: \(remedy)\(rest)"
    }
}
