/// A value in a JSON text. It stores only the value's position, and reads the contents on request.
///
/// Therefore, parts that a program does not understand cost almost nothing and can be written back unchanged, and a fault can be
/// reported with its position.
public struct JSONPart: Sendable {
    /// The position of a value or of a member's name. The node of a member's value follows the node of its name.
    struct Node: Sendable {
        let start: UInt32
        var end: UInt32 = 0
        /// The index of the first later node that is not inside this one.
        var next: UInt32 = 0
    }

    /// The text that was read. Its nodes are sorted by their starts.
    final class Text: Sendable {
        let bytes: [UInt8]
        let nodes: [Node]

        init(bytes: [UInt8], nodes: [Node]) { (self.bytes, self.nodes) = (bytes, nodes) }
    }

    private let text: Text
    private let index: Int

    init(_ text: Text, _ index: Int) { (self.text, self.index) = (text, index) }

    private var node: Node { text.nodes[index] }
    private var first: UInt8 { text.bytes[start] }

    /// The offset of the value's first byte.
    public var start: Int { Int(node.start) }
    /// The value as written.
    public var bytes: ArraySlice<UInt8> { text.bytes[start..<Int(node.end)] }
    /// The position where the value begins. Line and column are counted from 1, the column in bytes.
    public var place: (line: Int, column: Int) { Self.place(start, in: text.bytes) }

    static func place(_ offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes[..<offset]
        return (before.count { $0 == 0x0a } + 1, offset - (before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0) + 1)
    }

    // MARK: - Parts

    var isList: Bool { first == UInt8(ascii: "[") }
    var firstInside: JSONPart? { node.next > index + 1 ? JSONPart(text, index + 1) : nil }

    /// The next value or name within `whole`; `nil` if none follows.
    func next(in whole: JSONPart) -> JSONPart? { node.next < whole.node.next ? JSONPart(text, Int(node.next)) : nil }

    /// The members of an object in the order of the text; `nil` for any other value.
    public var members: [(name: String, value: JSONPart)]? {
        guard first == UInt8(ascii: "{") else { return nil }
        var members: [(name: String, value: JSONPart)] = []
        var name = firstInside
        while let found = name {
            let value = JSONPart(text, found.index + 1)
            members.append((found.string ?? "", value))
            name = value.next(in: self)
        }
        return members
    }

    /// The value of the member with this name; the last one if there are several. `nil` if there is no such member, or if this value is
    /// not an object.
    public subscript(name: String) -> JSONPart? { members?.last { $0.name == name }?.value }

    /// The elements of a list; `nil` for any other value.
    public var elements: [JSONPart]? {
        isList ? firstInside.map { Array(sequence(first: $0) { $0.next(in: self) }) } ?? [] : nil
    }

    // MARK: - Contents

    public var isNull: Bool { first == UInt8(ascii: "n") }
    var bool: Bool? { first == UInt8(ascii: "t") ? true : first == UInt8(ascii: "f") ? false : nil }

    /// The text without quotes and escapes; `nil` for any other value.
    public var string: String? {
        guard first == UInt8(ascii: "\"") else { return nil }
        let inside = bytes.dropFirst().dropLast()
        let isPlain = !inside.contains(UInt8(ascii: "\\"))
        return String(decoding: isPlain ? inside : JSONReader.text(in: text.bytes, from: start)[...], as: UTF8.self)
    }

    /// The value as written, for a number.
    var digits: String { String(decoding: bytes, as: UTF8.self) }

    /// The number as a `number` or `integer`; `nil` for any other value.
    var number: JSONValue? {
        let bytes = bytes
        guard let last = bytes.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) else { return nil }
        let text = digits
        let isWhole = bytes.allSatisfy { $0 != UInt8(ascii: ".") && $0 | 0x20 != UInt8(ascii: "e") }
        if isWhole, let whole = Int(text) { return whole == 0 ? .number(Double(text) ?? 0) : .whole(whole) }
        // A number beyond the range of `Double` becomes the nearest end of that range.
        let largest = Double.greatestFiniteMagnitude
        let number = min(max(Double(text) ?? 0, -largest), largest)
        if let whole = Int(exactly: number), whole.magnitude > JSONValue.largestExactWhole { return .integer(whole) }
        return .number(number)
    }

    public var value: JSONValue {
        if let members { return .object(Dictionary(members.map { ($0.name, $0.value.value) }) { _, last in last }) }
        if let elements { return .array(elements.map(\.value)) }
        return string.map { .string($0) } ?? bool.map { .bool($0) } ?? number ?? .null
    }
}
