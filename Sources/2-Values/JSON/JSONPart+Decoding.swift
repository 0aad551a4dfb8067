extension JSONPart {
    /// Reads a `type` from this value. Throws a `DecodingError` if the value has another form.
    ///
    /// A `JSONValue` is returned without decoding its parts one by one. Therefore, unknown parts are cheap, however deeply they are nested.
    public func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONTree(part: self, path: nil).decoded(type)
    }
}

/// A value with the path to it.
private struct JSONTree: Decoder, SingleValueDecodingContainer {
    /// The path to a value, beginning with the last step. It is written out only for errors.
    indirect enum Path {
        case step(any CodingKey, after: Path?)
    }

    let part: JSONPart
    let path: Path?

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var rest = path
        while case .step(let key, let before) = rest {
            keys.append(key)
            rest = before
        }
        return keys.reversed()
    }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == JSONValue.self, let value = part.value as? Value { return value }
        return try Value(from: self)
    }

    func mismatch(_ wanted: Any.Type) -> DecodingError {
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: "the value has the wrong type")
        return part.isNull ? .valueNotFound(wanted, context) : .typeMismatch(wanted, context)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = part.members else { throw mismatch([String: JSONValue].self) }
        // If a name occurs twice, the last one counts.
        return KeyedDecodingContainer(JSONMembers(members: Dictionary(members) { _, last in last }, tree: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard part.isList else { throw mismatch([JSONValue].self) }
        return JSONElements(tree: self, next: part.firstInside)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { part.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        if let flag = part.bool { return flag }
        throw mismatch(type)
    }

    func decode(_ type: String.Type) throws -> String {
        if let text = part.string { return text }
        throw mismatch(type)
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch part.number {
        case .number(let number): return number
        case .integer(let number): return Double(number)
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        let number: Number? =
            switch part.number {
            // Read the digits: most values in the upper half of `UInt64` neither fit into an `Int` nor can a `Double` hold them exactly.
            case .number(let number): Number(part.digits) ?? Number(exactly: number)
            case .integer(let number): Number(exactly: number)
            default: throw mismatch(type)
            }
        if let number { return number }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: codingPath, debugDescription: "a number is out of range here"))
    }

    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoded(type) }
}

private struct JSONMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: JSONPart]
    let tree: JSONTree

    var codingPath: [any CodingKey] { tree.codingPath }
    var allKeys: [Key] { members.keys.compactMap { Key(stringValue: $0) } }

    private func child(_ key: any CodingKey) throws -> JSONTree {
        guard let part = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "there is no value with this name"))
        }
        return JSONTree(part: part, path: .step(key, after: tree.path))
    }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try child(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try child(key).decoded(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try child(key).unkeyedContainer() }
    // The protocol requires these functions, but nobody calls them, since none of our types has a superclass.
    func superDecoder() throws -> any Decoder { tree }
    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }
}

private struct JSONElements: UnkeyedDecodingContainer {
    private struct Index: CodingKey {
        let number: Int
        var stringValue: String { "\(number)" }
        var intValue: Int? { number }
        init(_ number: Int) { self.number = number }
        init?(intValue: Int) { number = intValue }
        init?(stringValue: String) { nil }
    }

    let tree: JSONTree
    /// The next element; `nil` at the end.
    private var next: JSONPart?
    private(set) var currentIndex = 0

    init(tree: JSONTree, next: JSONPart?) { (self.tree, self.next) = (tree, next) }

    var codingPath: [any CodingKey] { tree.codingPath }
    // No caller needs the count, and counting would take time.
    var count: Int? { nil }
    var isAtEnd: Bool { next == nil }

    private func child() throws -> JSONTree {
        guard let next else {
            throw DecodingError.valueNotFound(
                JSONValue.self, DecodingError.Context(codingPath: codingPath, debugDescription: "the list ends here"))
        }
        return JSONTree(part: next, path: .step(Index(currentIndex), after: tree.path))
    }

    /// Moves on to the next element only if `read` succeeds.
    private mutating func advance<Value>(_ read: (JSONTree) throws -> Value) throws -> Value {
        let value = try read(child())
        moveOn()
        return value
    }

    private mutating func moveOn() { (next, currentIndex) = (next?.next(in: tree.part), currentIndex + 1) }

    mutating func decodeNil() throws -> Bool {
        guard try child().decodeNil() else { return false }
        moveOn()
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try advance { try $0.decoded(type) } }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        try advance { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try advance { try $0.unkeyedContainer() } }
    mutating func superDecoder() throws -> any Decoder { try advance { $0 } }
}
