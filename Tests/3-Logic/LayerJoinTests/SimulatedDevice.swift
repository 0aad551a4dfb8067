import LayerJoin
import Model

/// A browser's profile as the contract wants it: numbers its edits, keeps those that were not answered, and gives them away only after it
/// has met the layer since it was started. If that knows of more of its edits than it ever gave away, it was set back, and goes on
/// under another name.
struct SimulatedDevice {
    struct Edit {
        let mark: MarkID
        let text: LayerValue.Text?
        /// What was known of the mark, but for the edits that wait.
        let base: EditCounts
        /// Which edit of the whole history it is.
        let serial: Int
        var number: Int
    }

    private(set) var id: DeviceID
    private(set) var layer = JoinedLayer()
    private(set) var waiting: [Edit] = []
    private var last = 0
    /// The last of its edits that may be in other hands.
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

    /// What it gives away; nothing before it has met the layer.
    mutating func give() -> [LayerValue] {
        guard hasMet else { return [] }
        given = last
        return values
    }

    /// Takes an answer: the layer as it is.
    mutating func meet(_ other: JoinedLayer, freshName: () -> DeviceID) {
        if other.lastEdit(of: id) > given {
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

    /// It was killed, or set back to what it is now, and is started.
    mutating func start() { hasMet = false }
}
