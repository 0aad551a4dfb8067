/// Why the service did not give what was asked for, told by what can be done about it.
public enum ServiceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The token is wrong or was withdrawn; asking again is of no use.
    case notAuthorised(String)
    /// The token is good, but not for this.
    case forbidden(String)
    /// The account's requests are used up for now, also after waiting.
    case rateLimited(retryAfter: Duration)
    /// The service cannot be reached, or the connection broke off.
    case offline(String)
    /// The service has trouble of its own.
    case serverError(status: Int, String)
    /// What was asked for is not there.
    case missing(String)
    /// An answer came that cannot be what it should be: `what` was asked for, `why` it is unusable.
    case notUnderstood(what: String, why: String)
    /// The answer would have come from somewhere else than from the service; the text says where it points.
    case ledAway(String)
    /// Something that is not done for safety's sake, such as following an address to another host.
    case refused(String)
    /// The task was cancelled.
    case cancelled

    public var description: String {
        switch self {
        case .notAuthorised(let message):
            "the service does not accept the access token (\(message)); make a new one in your account there and put it in the configuration"
        case .forbidden(let message):
            "the service denies access (\(message)); ask whoever administers your account there for permission"
        case .rateLimited(let wait):
            "the service asks for patience: too many requests for this account; try again in \(wait.components.seconds) s"
        case .offline(let message): "the service cannot be reached (\(message)); what is already here stays usable"
        case .serverError(let status, let message):
            "the service has trouble (\(status): \(message)); what is already here stays usable, try again later"
        case .missing(let what): "\(what) is not at the service any more; see whether the configuration still names the right ids"
        case .notUnderstood(let what, let why):
            "\(what) came in a form that is not understood: \(why); nothing was changed"
        case .ledAway(let message):
            """
            no answer of the service: \(message), and what comes from there is not believed; nothing was changed. If this network wants a \
            log-in, do that in a web browser; if the service has moved, put its new address into the configuration
            """
        case .refused(let message): "not done for safety's sake: \(message); tell whoever runs the service, if it goes on"
        case .cancelled: "cancelled"
        }
    }
}
