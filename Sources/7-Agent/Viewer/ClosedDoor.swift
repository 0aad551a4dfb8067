/// The people on the network who cannot sign in at present, since their token is missing.
public enum ClosedDoor: Hashable, Sendable {
    case none
    /// Guests, who may only look, and have their own token.
    case guests
    case all

    /// Whether this includes the people who may change something, or those who may not.
    func includes(mayChange: Bool) -> Bool {
        switch self {
        case .none: false
        case .guests: !mayChange
        case .all: true
        }
    }
}
