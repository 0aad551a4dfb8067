import Model

/// What is remembered of images beyond those that are there, as far as it is needed at hand or not in the library yet.
struct ImageMemory {
    /// What each variant of a page took when its image was last there.
    private var sizes: [ImageSlot: ByteCount] = [:]
    /// What is not in the library yet, in order.
    private(set) var pending: [ImageRecord] = []
    var tally = CacheTally()

    /// Takes over what the library remembers. What happened since is known better.
    mutating func recall(_ records: [ImageRecord]) {
        let known = Dictionary(records.map { ($0.name.slot, $0.size) }) { _, last in last }
        sizes.merge(known.filter { $0.value.bytes > 0 }) { newer, _ in newer }
    }

    func size(of name: ImageName) -> ByteCount? { sizes[name.slot] }

    mutating func note(_ record: ImageRecord) {
        if record.fate == .made, record.size.bytes > 0 { sizes[record.name.slot] = record.size }
        pending.append(record)
    }

    /// Hands over what the library is to be told.
    mutating func takePending() -> (records: [ImageRecord], tally: CacheTally) {
        defer {
            pending = []
            tally = CacheTally()
        }
        return (pending, tally)
    }
}
