extension UnsafeRawBufferPointer {
    /// Whether the bytes of a name are valid text.
    var isText: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }

    /// The name as text, with every other byte spelled out.
    var printable: String {
        String(decoding: flatMap { $0 < 0x80 ? [$0] : Array("\\x\(String($0, radix: 16))".utf8) }, as: UTF8.self)
    }
}
