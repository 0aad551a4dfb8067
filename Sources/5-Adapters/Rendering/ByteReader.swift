/// Reads what `ByteWriter` wrote; `nil` wherever the bytes end too early or make no sense.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }
    /// How many bytes are left.
    var rest: Int { bytes.count - place }

    mutating func integer() -> Int? {
        guard rest >= 8 else { return nil }
        defer { place += 8 }
        return Int(bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
    }

    mutating func double() -> Double? {
        integer().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) }
    }

    mutating func flag() -> Bool? {
        guard rest > 0, bytes[place] < 2 else { return nil }
        defer { place += 1 }
        return bytes[place] == 1
    }

    /// How many of something follow; each of them takes at least a byte.
    mutating func count() -> Int? {
        integer().flatMap { (0...rest).contains($0) ? $0 : nil }
    }

    /// A text or its absence; the outer `nil` means that neither can be read.
    mutating func optionalText() -> String?? {
        guard let length = integer() else { return nil }
        guard length >= 0 else { return .some(nil) }
        guard length <= rest else { return nil }
        defer { place += length }
        return .some(String(decoding: bytes[place..<place + length], as: UTF8.self))
    }

    mutating func text() -> String? { optionalText() ?? nil }

    mutating func numbers(_ count: Int) -> [Double]? {
        guard count <= rest / 8 else { return nil }
        return (0..<count).compactMap { _ in double() }
    }

    mutating func block() -> [UInt8]? {
        guard let count = count() else { return nil }
        defer { place += count }
        return Array(bytes[place..<place + count])
    }
}
