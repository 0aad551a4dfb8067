public import LocalHTTP

/// Why the stand-in could not do something.
public enum DemoServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No server could be started.
    case cannotStart(LocalHTTPError)
    /// An edit refers to something that does not exist; the message says which ids there are.
    case unknown(String)
    /// An edit that makes no sense.
    case badEdit(String)

    public var description: String {
        switch self {
        case .cannotStart(let error): "cannot start the demo service: \(error)"
        case .unknown(let message), .badEdit(let message): message
        }
    }
}
