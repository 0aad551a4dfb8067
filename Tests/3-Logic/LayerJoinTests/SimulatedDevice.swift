import LayerJoin
import Model

/// A browser's profile according to the contract: it numbers its edits, keeps the unconfirmed ones, and sends them only after it has read
/// the layer since its start. If the layer knows more of its edits than it ever sent, it was restored from a copy, and goes on under
/// another name.
struct SimulatedDevice {
    struct Edit {
        let mark: MarkID
        let text: LayerValue.Text?
        /// The known edits of the mark, without those that wait.
        let base: EditCounts
        /// The edit's number in the whole history.
        let serial: Int
        var number: Int
    }

    private(set) var id: DeviceID
    private(set) var layer = JoinedLayer()
    private(set) var waiting: [Edit] = []
    private var last = 0
    /// The last of its edits that may be known elsewhere.
    private var given = 0
    private var hasMet = false

    init(_ id: DeviceID) { self.id = id }

    /// The edits that wait, as values.
    var values: [LayerValue] {
        waiting.indices.map { place in
            let edit = waiting[place]
            let earlier = waiting[..<place].filter { $0.mark == edit.mark }
            let edits = earlier.reduce(edit.base) { $0.including($1.number, of: id).joined(with: $1.base) }
            return LayerValue(edit.mark, edits.including(edit.number, of: id), edit.text)
        }
    }

    mutating func edit(_ mark: MarkID, to text: LayerValue.Text?, serial: Int) {
        last += 1
        waiting.append(Edit(mark: mark, text: text, base: layer.edits(of: mark), serial: serial, number: last))
    }

    /// The edits that it sends; none before it has read the layer.
    mutating func give() -> [LayerValue] {
        guard hasMet else { return [] }
        given = last
        return values
    }

    /// Takes an answer: the present layer.
    mutating func meet(_ other: JoinedLayer, freshName: () -> DeviceID) {
        if other.ids.contains(where: { other.edits(of: $0)[id] > given }) {
            id = freshName()
            for place in waiting.indices { waiting[place].number = place + 1 }
            (last, given) = (waiting.count, 0)
        }
        hasMet = true
        layer = other
        let answered = Set(values.filter { other.edits(of: $0.id).includes($0.edits) }.map(\.edits))
        let isWaiting = values.map { !answered.contains($0.edits) }
        waiting = zip(waiting, isWaiting).filter(\.1).map(\.0)
    }

    /// It was killed, or restored to its present state, and starts.
    mutating func start() { hasMet = false }
}
