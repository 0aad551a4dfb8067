/// Why the service did not deliver what was requested, sorted by what can be done about it.
public enum ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The token is wrong or was withdrawn, or the person who signed in with a browser has to do so again; asking again is pointless.
    case notAuthorised(String, isSignIn: Bool = false)
    /// The token is valid, but not for this.
    case forbidden(String)
    /// The account's requests are used up for now, even after waiting.
    case rateLimited(retryAfter: Duration)
    /// The service cannot be reached, or the connection broke off.
    case offline(String)
    /// The service itself has a problem.
    case serverError(status: Int, String)
    /// What was asked for does not exist.
    case missing(String)
    /// The answer is not what it should be: `what` was asked for, and `why` it is unusable.
    case notUnderstood(what: String, why: String)
    /// The answer would have come from elsewhere than the service; the text says where it points.
    case ledAway(String)
    /// Not done for safety reasons, such as following an address to another host.
    case refused(String)
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .notAuthorised(let message, isSignIn: true):
            "you are no longer signed in at the service (\(message)); sign in again with 'woodshed sign-in'"
        case .notAuthorised(let message, isSignIn: false):
            "the service does not accept the access token (\(message)); create a new one in your account there and put it in the configuration"
        case .forbidden(let message):
            "the service denies access (\(message)); ask the administrator of your account there for permission"
        case .rateLimited(let wait):
            "the service asks us to wait: too many requests for this account; try again in \(wait.components.seconds) s"
        case .offline(let message): "the service cannot be reached (\(message)); what is already here stays usable"
        case .serverError(let status, let message):
            "the service has a fault of its own (\(status)\(message.isEmpty || message == "{}" ? "" : ": \(message)")); what is already here stays usable, try again later"
        case .missing(let what): "\(what) is no longer at the service; check that the ids in the configuration are right"
        case .notUnderstood(let what, let why):
            "\(what) could not be understood: \(why); nothing was changed"
        case .ledAway(let message):
            """
            not an answer from the service: \(message); it is ignored and nothing was changed. If this network requires a \
            log-in, log in with a web browser; if the service has moved, put its new address in the configuration
            """
        case .refused(let message): "not done for safety: \(message); if this continues, tell whoever runs the service"
        case .cancelled: "cancelled"
        }
    }
}
