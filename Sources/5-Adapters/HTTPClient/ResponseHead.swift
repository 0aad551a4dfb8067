import Platform

/// The status and headers of an answer, read line by line.
struct ResponseHead {
    private(set) var status = 0
    private(set) var fields: [String: String] = [:]
    private var bytes = 0

    /// The most bytes in all heads of one exchange together, trailers included: far more than any server sends.
    static let mostBytes = 256 << 10

    /// Takes one line as it arrived, with its line break; `false` if there have been too many bytes.
    ///
    /// Lines may also follow a body in chunks (trailers). They count, but are ignored: what came before the body is valid.
    mutating func take(_ line: UnsafeRawBufferPointer, behindBody: Bool) -> Bool {
        bytes += line.count
        guard bytes <= Self.mostBytes else { return false }
        if !behindBody { take(line) }
        return true
    }

    private mutating func take(_ bytes: UnsafeRawBufferPointer) {
        let line = String(decoding: bytes, as: UTF8.self)
        // Each status line starts a new head: the one before was a 1xx or a proxy's.
        if line.hasPrefix("HTTP/") {
            fields = [:]
            status = line.split(separator: " ").dropFirst().first.flatMap { OutsideNumber(leading: $0.prefix(3)) }?.whole(in: 0...999) ?? 0
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
