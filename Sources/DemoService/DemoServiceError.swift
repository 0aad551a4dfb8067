public import LocalHTTP

/// What the stand-in cannot do.
public enum DemoServiceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No server could be started.
    case cannotStart(LocalHTTPError)
    /// An edit names something that is not there; the message says what ids are.
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
