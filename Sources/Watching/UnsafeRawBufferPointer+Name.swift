extension UnsafeRawBufferPointer {
    /// Whether the bytes of a name are text.
    var isText: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }

    /// As a text in which every byte that is none can be told.
    var printable: String {
        String(decoding: flatMap { $0 < 0x80 ? [$0] : Array("\\x\(String($0, radix: 16))".utf8) }, as: UTF8.self)
    }
}
