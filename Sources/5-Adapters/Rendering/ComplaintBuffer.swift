/// What a worker writes to its standard error during one job, limited in size: a hostile PDF can make poppler write for ever.
struct ComplaintBuffer {
    private var bytes: [UInt8] = []

    private static let mostBytes = 16 << 10
    private static let mostLines = 20
    private static let longestLine = 300
    /// What the library of fonts says at its start inside of the sandbox, and has nothing to do with any page.
    private static let noise: Set = ["Fontconfig error: No writable cache directories"]

    mutating func append(_ more: some Collection<UInt8>) {
        bytes += more.prefix(Self.mostBytes - bytes.count)
    }

    /// Its lines, each once, without control characters that a terminal would obey.
    var lines: [String] {
        var seen: Set<String> = []
        let all = bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let text = String(decoding: line.prefix(Self.longestLine), as: UTF8.self)
            return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        }
        return Array(
            all.filter { !$0.allSatisfy(\.isWhitespace) && !Self.noise.contains($0) && seen.insert($0).inserted }.prefix(Self.mostLines))
    }
}
