/// What a file is, judging by its first bytes, as far as that helps to say why it is not a chart.
public enum FileKind: String, Hashable, Sendable, CustomStringConvertible {
    case pdf, empty, webPage, json, image, archive, other

    /// How far into a file a PDF may begin: PDF readers have always looked this far for its header.
    public static let headerLength = 1024

    /// Recognises the kind from the first `headerLength` bytes, or all there are.
    public init(header: [UInt8]) {
        let text = String(decoding: header, as: UTF8.self).lowercased()
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if Self.contains(header, Array("%PDF-".utf8)) {
            self = .pdf
        } else if header.isEmpty {
            self = .empty
        } else if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || text.contains("<head") || text.contains("<body") {
            self = .webPage
        } else if start.hasPrefix("{") || start.hasPrefix("[") {
            self = .json
        } else if header.starts(with: [0x89, 0x50, 0x4E, 0x47]) || header.starts(with: [0xFF, 0xD8, 0xFF]) || start.hasPrefix("gif8") {
            self = .image
        } else if start.hasPrefix("pk\u{3}\u{4}") {
            self = .archive
        } else {
            self = .other
        }
    }

    public var description: String {
        switch self {
        case .pdf: "a PDF"
        case .empty: "an empty file"
        case .webPage: "a web page (perhaps a log-in page: check the token with `\(woodshed("doctor"))`)"
        case .json: "a JSON answer"
        case .image: "a picture"
        case .archive: "a ZIP archive or an office document"
        case .other: "something else"
        }
    }

    private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        guard bytes.count >= word.count else { return false }
        return (0...(bytes.count - word.count)).contains { bytes[$0..<($0 + word.count)].elementsEqual(word) }
    }
}
