import LayerJoin
import Model

/// A simulated browser profile that follows the rules for devices which edit a layer. It numbers its edits and keeps those that are not
/// confirmed. After a start, it sends no edits before it has read the layer. If the layer has more of its edits than it ever sent, the
/// profile was restored from a copy, and it takes another name.
struct SimulatedDevice {
    struct Edit {
        let mark: MarkID
        let text: LayerValue.Text?
        /// The edits of the mark in the layer, without waiting ones.
        let base: EditCounts
        /// The edit's number in the whole history.
        let serial: Int
        var number: Int
    }

    private(set) var id: DeviceID
    private(set) var layer = JoinedLayer()
    private(set) var waiting: [Edit] = []
    private var last = 0
    /// The number of the last edit that others may have received.
    private var given = 0
    private var hasMet = false

    init(_ id: DeviceID) { self.id = id }

    /// The waiting edits, as values.
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

    /// The edits to send: none before the device has read the layer.
    mutating func give() -> [LayerValue] {
        guard hasMet else { return [] }
        given = last
        return values
    }

    /// Receives an answer, which is the whole present layer.
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

    /// Starts the device after a kill, or after its state was restored.
    mutating func start() { hasMet = false }
}
