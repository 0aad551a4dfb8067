package import Model

/// Marks as bytes, for the way to a worker: a page of strokes has thousands of points, which would take longer to spell
/// than to draw. Only what is drawn travels.
package enum MarkCoding {
    /// The bytes of marks, in their order.
    package static func encode(_ marks: [Mark]) -> [UInt8] {
        var writer = Writer()
        writer.add(marks.count)
        for mark in marks {
            writer.add(mark.id)
            writer.add(mark.page.value)
            writer.add(mark.kind.rawValue)
            writer.add(mark.color.description)
            writer.add(mark.width)
            writer.add(mark.points.count)
            for point in mark.points {
                writer.add(point.x)
                writer.add(point.y)
                writer.add(point.width ?? .nan)
            }
            writer.add(mark.fill ?? .nan)
            writer.add(mark.dash.count)
            for length in mark.dash { writer.add(length) }
            writer.add(mark.cap.rawValue)
            writer.add(mark.text)
            writer.add(mark.size ?? .nan)
            writer.add(mark.font)
            writer.add(mark.image)
        }
        return writer.bytes
    }

    /// The marks in some bytes; `nil` if they are not all of them.
    package static func decode(_ bytes: [UInt8]) -> [Mark]? {
        bytes.withUnsafeBytes { bytes in
            var reader = Reader(bytes: bytes)
            guard let count = reader.count() else { return nil }
            var marks: [Mark] = []
            for _ in 0..<count {
                guard let mark = reader.mark() else { return nil }
                marks.append(mark)
            }
            return reader.isAtEnd ? marks : nil
        }
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func add(_ number: Double) {
            withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) }
        }

        mutating func add(_ number: Int) {
            withUnsafeBytes(of: Int64(number)) { bytes.append(contentsOf: $0) }
        }

        /// No text has a length below zero.
        mutating func add(_ text: String?) {
            guard let text else { return add(-1) }
            add(text.utf8.count)
            bytes.append(contentsOf: text.utf8)
        }
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var place = 0

        var isAtEnd: Bool { place == bytes.count }

        mutating func integer() -> Int? {
            guard bytes.count - place >= 8 else { return nil }
            defer { place += 8 }
            return Int(bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
        }

        mutating func double() -> Double? {
            integer().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) }
        }

        /// How many of something follow; each takes at least a byte.
        mutating func count() -> Int? {
            integer().flatMap { (0...bytes.count - place).contains($0) ? $0 : nil }
        }

        /// A text, or its absence.
        mutating func optionalText() -> String?? {
            guard let length = integer() else { return nil }
            guard length >= 0 else { return .some(nil) }
            guard length <= bytes.count - place else { return nil }
            defer { place += length }
            return .some(String(decoding: bytes[place..<place + length], as: UTF8.self))
        }

        mutating func word() -> String? { optionalText() ?? nil }

        mutating func numbers(_ count: Int) -> [Double]? {
            guard count <= (bytes.count - place) / 8 else { return nil }
            return (0..<count).compactMap { _ in double() }
        }

        mutating func mark() -> Mark? {
            guard let id = word(), let page = integer(), let kind = word(), let color = word().flatMap({ Color($0) }),
                let width = double(), let points = count().flatMap({ $0 <= (bytes.count - place) / 24 ? numbers(3 * $0) : nil }),
                let fill = double(), let dash = count().flatMap({ numbers($0) }), let cap = word().flatMap({ Mark.Cap(rawValue: $0) }),
                let text = optionalText(), let size = double(), let font = optionalText(), let image = optionalText()
            else { return nil }
            return Mark(
                id: id, page: PageIndex(page), kind: Mark.Kind(rawValue: kind), color: color, width: width,
                points: stride(from: 0, to: points.count, by: 3).map {
                    Mark.Point(x: points[$0], y: points[$0 + 1], width: points[$0 + 2].isNaN ? nil : points[$0 + 2])
                },
                fill: fill.isNaN ? nil : fill, dash: dash, cap: cap, text: text, size: size.isNaN ? nil : size, font: font, image: image)
        }
    }
}
