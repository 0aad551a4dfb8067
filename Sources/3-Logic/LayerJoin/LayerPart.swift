public import JSON
import Model

/// The states of the parts that make up a layer: for each part, how often its file was written. A part is named by a digest of its path,
/// so that the path itself is not revealed.
public struct PartStates: Hashable, Sendable {
    private let revisions: [String: Int]

    public init(_ parts: some Sequence<(path: String, revision: Int)> = []) {
        revisions = Dictionary(parts.map { (SHA256.digest(of: $0.path).shortHex, $0.revision) }) { max($0, $1) }
    }

    public var json: JSONText { .object(revisions.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }) }
}

/// One part of a layer: the values that one home has written to a file, joined from all states of the file that were read.
///
/// An older state of the file removes nothing from a newer state. A mark disappears only through a deletion, which is a value like
/// any other, or if a person removes the mark from the file by hand.
public struct LayerPart: Hashable, Sendable {
    /// How often the file was written.
    public private(set) var revision: Int
    public private(set) var layer: JoinedLayer
    /// The sums of the values that somebody removed from the file by hand: the file still lists the sums, but no longer has the
    /// values. If another part has such a value, too, it stays in the layer.
    public private(set) var takenOut: Set<String>

    public init(revision: Int = 0, layer: JoinedLayer = JoinedLayer(), takenOut: Set<String> = []) {
        (self.revision, self.layer, self.takenOut) = (revision, layer, takenOut)
    }

    /// Joins the file's present state, which may be older than a state that was read before.
    public mutating func join(_ state: LayerPart) {
        layer.join(state.layer)
        // An older state does not decide which marks count as removed by hand.
        guard state.revision >= revision else { return }
        (revision, takenOut) = (state.revision, state.takenOut)
    }

    /// The values that the part adds to the layer: all except marks that were removed by hand.
    private var standing: JoinedLayer {
        takenOut.isEmpty ? layer : layer.without { $0.mark != nil && takenOut.contains(LayerValue.sum(of: $0.written)) }
    }

    /// The values that the part adds to the layer, except those that a state of its file has or replaces.
    public func missing(from state: JoinedLayer) -> [LayerValue] {
        state.joined(with: standing).changes(since: state).values.joined().filter { !state.has($0) }
    }

    /// Joins parts into one layer.
    public static func joined(_ parts: some Collection<LayerPart>) -> JoinedLayer {
        parts.reduce(into: JoinedLayer()) { $0.join($1.standing) }
    }

    /// Divides the layer's marks among the parts so that each mark is drawn once, by the first part that adds it.
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
