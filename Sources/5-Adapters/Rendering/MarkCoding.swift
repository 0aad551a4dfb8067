package import Model

/// Encodes marks as bytes for a worker: a page of strokes has thousands of points, and writing them as text would take longer than
/// drawing them. Only the properties that are drawn are sent.
package enum MarkCoding {
    package static func encode(_ marks: [Mark]) -> [UInt8] {
        var writer = ByteWriter()
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
            writer.add(mark.setting.size ?? .nan)
            writer.add(mark.setting.font)
            writer.add(mark.setting.point ?? .nan)
            writer.add(mark.setting.wrap ?? .nan)
            writer.add(mark.setting.alignment.rawValue)
            writer.add(mark.setting.isJustified)
            writer.add(mark.image)
            writer.add(mark.leads)
            writer.add(mark.pass ?? 0)
        }
        return writer.bytes
    }

    /// Returns `nil` unless all marks can be read and no bytes are left over.
    package static func decode(_ bytes: [UInt8]) -> [Mark]? {
        bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            guard let count = reader.count() else { return nil }
            var marks: [Mark] = []
            for _ in 0..<count {
                guard let mark = reader.mark() else { return nil }
                marks.append(mark)
            }
            return reader.isAtEnd ? marks : nil
        }
    }
}

extension ByteReader {
    fileprivate mutating func mark() -> Mark? {
        guard let id = text(), let page = integer(), let kind = text(), let color = text().flatMap({ Color($0) }),
            let width = double(), let points = count().flatMap({ $0 <= rest / 24 ? numbers(3 * $0) : nil }),
            let fill = double(), let dash = count().flatMap({ numbers($0) }), let cap = text().flatMap({ Mark.Cap(rawValue: $0) }),
            let words = optionalText(), let setting = setting(), let image = optionalText(), let leads = optionalText(),
            let pass = integer()
        else { return nil }
        var mark = Mark(
            id: id, page: PageIndex(page), kind: Mark.Kind(rawValue: kind), color: color, width: width,
            points: stride(from: 0, to: points.count, by: 3).map {
                Mark.Point(x: points[$0], y: points[$0 + 1], width: points[$0 + 2].isNaN ? nil : points[$0 + 2])
            },
            fill: fill.isNaN ? nil : fill, dash: dash, cap: cap, text: words, setting: setting, image: image)
        (mark.leads, mark.pass) = (leads, Mark.passes.contains(pass) ? pass : nil)
        return mark
    }

    private mutating func setting() -> Mark.Setting? {
        guard let size = double(), let font = optionalText(), let point = double(), let wrap = double(),
            let alignment = text().flatMap({ Mark.Alignment(rawValue: $0) }),
            let isJustified = flag()
        else { return nil }
        var setting = Mark.Setting(size: size.isNaN ? nil : size, font: font)
        setting.point = point.isNaN ? nil : point
        setting.wrap = wrap.isNaN ? nil : wrap
        setting.alignment = alignment
        setting.isJustified = isJustified
        return setting
    }
}

/// Writes numbers and texts as bytes for a worker; both processes are from the same build and on the same machine.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Double) { withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) } }

    mutating func add(_ number: Int) { withUnsafeBytes(of: Int64(number)) { bytes.append(contentsOf: $0) } }

    mutating func add(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    /// A missing text is written as the length -1.
    mutating func add(_ text: String?) {
        guard let text else { return add(-1) }
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads the output of `ByteWriter`. Each function returns `nil` if the bytes end too early or are invalid.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }
    var rest: Int { bytes.count - place }

    mutating func integer() -> Int? {
        guard rest >= 8 else { return nil }
        defer { place += 8 }
        return Int(bytes.loadUnaligned(fromByteOffset: place, as: Int64.self))
    }

    mutating func double() -> Double? { integer().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) } }

    mutating func flag() -> Bool? {
        guard rest > 0, bytes[place] < 2 else { return nil }
        defer { place += 1 }
        return bytes[place] == 1
    }

    /// The number of elements that follow; `nil` if fewer bytes are left, since each element takes at least one.
    mutating func count() -> Int? { integer().flatMap { (0...rest).contains($0) ? $0 : nil } }

    /// A text, or the inner `nil` for a missing text. The outer `nil` means that the bytes are invalid.
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
}
