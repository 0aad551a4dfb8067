/// Numbers and texts as bytes, for the way to a worker and back: both ends are from the same build, on the same machine.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Double) {
        withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ number: Int) {
        withUnsafeBytes(of: Int64(number)) { bytes.append(contentsOf: $0) }
    }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// A missing text has the length -1, which no text has.
    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ more: [UInt8]) {
        add(more.count)
        bytes.append(contentsOf: more)
    }
}
