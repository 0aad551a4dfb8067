/// Those on the network who cannot sign in at present, since their token is missing.
public enum ClosedDoor: Hashable, Sendable {
    case none
    /// Those who may only look; they have a token of their own.
    case guests
    case all

    /// Returns whether it includes those who may change something, or those who may not.
    func includes(mayChange: Bool) -> Bool {
        switch self {
        case .none: false
        case .guests: !mayChange
        case .all: true
        }
    }
}
