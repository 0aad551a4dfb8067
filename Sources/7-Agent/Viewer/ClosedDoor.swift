/// The people on the network who cannot sign in at present, since their token is missing.
public enum ClosedDoor: Hashable, Sendable {
    case none
    /// Guests, who may only look, and have their own token.
    case guests
    case all

    /// Whether people with these rights cannot sign in.
    func includes(mayChange: Bool) -> Bool {
        switch self {
        case .none: false
        case .guests: !mayChange
        case .all: true
        }
    }
}
