/// Those on the network who cannot sign in at present, since their token is away.
public enum ClosedDoor: Hashable, Sendable {
    case none
    /// Those who only look; they have a token of their own.
    case guests
    case all

    /// Returns whether this is about those who may change something, or may not.
    func includes(mayChange: Bool) -> Bool {
        switch self {
        case .none: false
        case .guests: !mayChange
        case .all: true
        }
    }
}
