import Model

/// What is remembered of images, even those that are gone, as far as it is needed at hand or is not in the library yet.
struct ImageMemory {
    /// How large each variant of a page was when its image was last there.
    private var sizes: [ImageSlot: ByteCount] = [:]
    /// What is not in the library yet, in order.
    private(set) var pending: [ImageRecord] = []
    var tally = CacheTally()

    /// Loads what the library remembers. What happened since then takes precedence.
    mutating func recall(_ records: [ImageRecord]) {
        let known = Dictionary(records.map { ($0.name.slot, $0.size) }) { _, last in last }
        sizes.merge(known.filter { $0.value.bytes > 0 }) { newer, _ in newer }
    }

    func size(of name: ImageName) -> ByteCount? { sizes[name.slot] }

    mutating func note(_ record: ImageRecord) {
        if record.fate == .made, record.size.bytes > 0 { sizes[record.name.slot] = record.size }
        pending.append(record)
    }

    /// Hands over what is to be saved in the library.
    mutating func takePending() -> (records: [ImageRecord], tally: CacheTally) {
        defer {
            pending = []
            tally = CacheTally()
        }
        return (pending, tally)
    }
}
