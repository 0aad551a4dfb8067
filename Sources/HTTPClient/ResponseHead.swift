/// The status and headers of an answer, read line by line.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields: [String: String] = [:]

    /// Takes one line as it came, with its end.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        // Every status line begins anew: the one before was a 1xx's or a proxy's.
        if line.hasPrefix("HTTP/") {
            fields = [:]
            status = line.split(separator: " ").dropFirst().first.flatMap { Int($0.prefix(3)) } ?? 0
        } else if let colon = line.firstIndex(of: ":") {
            fields[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
