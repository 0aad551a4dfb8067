public import JSON
import Model

/// Which state of each of its parts a layer is made of: how often the part's file was written, by a name that does not tell where it is.
public struct PartStates: Hashable, Sendable {
    private let revisions: [String: Int]

    public init(_ parts: some Sequence<(path: String, revision: Int)> = []) {
        revisions = Dictionary(parts.map { (SHA256.digest(of: $0.path).shortHex, $0.revision) }) { max($0, $1) }
    }

    public var json: JSONText { .object(revisions.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }) }
}

/// One part of a layer: what one home wrote of it in a file, as far as all that was ever read of that file tells.
///
/// An older state of the file adds nothing to what is known of a newer one, so it takes nothing away. Only two things do: a deletion,
/// which is a value like any other, and a hand that takes a mark out of the file.
public struct LayerPart: Hashable, Sendable {
    /// How often the file was written.
    public private(set) var revision: Int
    public private(set) var layer: JoinedLayer
    /// The sums of the values that a hand took out of the file: the file says that it was written with them, and does not have them. What
    /// stands in another part, too, stays.
    public private(set) var takenOut: Set<String>

    public init(revision: Int = 0, layer: JoinedLayer = JoinedLayer(), takenOut: Set<String> = []) {
        (self.revision, self.layer, self.takenOut) = (revision, layer, takenOut)
    }

    /// Takes in what the file says now, whichever of its states that is.
    public mutating func join(_ state: LayerPart) {
        layer.join(state.layer)
        // What a hand did to an older state does not count.
        guard state.revision >= revision else { return }
        (revision, takenOut) = (state.revision, state.takenOut)
    }

    /// What it adds to the layer.
    private var standing: JoinedLayer {
        takenOut.isEmpty ? layer : layer.without { $0.mark != nil && takenOut.contains(LayerValue.sum(of: $0.written)) }
    }

    /// What it adds to the layer and a state of its file does not say.
    public func missing(from state: JoinedLayer) -> [LayerValue] {
        state.joined(with: standing).changes(since: state).values.joined().filter { !state.has($0) }
    }

    /// Puts parts together to one layer.
    public static func joined(_ parts: some Collection<LayerPart>) -> JoinedLayer {
        parts.reduce(into: JoinedLayer()) { $0.join($1.standing) }
    }

    /// What each part has to draw, so that together they draw the layer, every mark of it once: it is the first one that has it.
    public static func shares(of parts: [LayerPart]) -> (joined: JoinedLayer, shares: [[LayerValue]]) {
        let standing = parts.map(\.standing)
        let joined = standing.reduce(into: JoinedLayer()) { $0.join($1) }
        var shares: [[LayerValue]] = Array(repeating: [], count: parts.count)
        for value in joined.marks {
            if let place = standing.firstIndex(where: { $0.has(value) }) { shares[place].append(value) }
        }
        return (joined, shares)
    }
}
