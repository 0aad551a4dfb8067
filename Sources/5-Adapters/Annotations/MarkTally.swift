import Model

/// Adds up the marks of one file, one by one, and stops when there are too many.
///
/// It counts marks as they are kept and drawn, which the file's own elements do not show: one stroke can become thousands of marks.
struct MarkTally {
    private let limits: MarkFileLimits
    private var marks = 0
    private var points = 0
    private var pagePoints: [PageIndex: Int] = [:]
    private var contentBytes = 0
    private var writtenBytes = 0

    init(limits: MarkFileLimits) {
        self.limits = limits
    }

    /// Counts one more mark, which is on `page`.
    mutating func add(_ mark: Mark, on page: PageIndex) throws(MarkFileFault) {
        marks += 1
        guard marks <= limits.marks else { throw .tooMany("marks", limit: limits.marks) }
        points += mark.points.count
        guard points <= limits.points else { throw .tooMany("points", limit: limits.points) }
        pagePoints[page, default: 0] += mark.points.count
        guard pagePoints[page, default: 0] <= limits.pagePoints else { throw .tooMany("points on one page", limit: limits.pagePoints) }
        let content = (mark.text?.utf8.count ?? 0) + (mark.image?.utf8.count ?? 0)
        contentBytes += content
        guard contentBytes <= limits.contentBytes else { throw .tooMany("bytes of texts and pictures", limit: limits.contentBytes) }
        writtenBytes += content + Self.bytes(of: mark)
        guard writtenBytes <= limits.writtenBytes else {
            throw MarkFileFault(.tooLarge, "has more marks than \(limits.writtenBytes >> 20) MiB")
        }
    }

    /// The approximate bytes of the mark as JSON, without its text and picture.
    private static func bytes(of mark: Mark) -> Int {
        // A coordinate takes some 20 digits with its comma.
        var bytes = 160 + mark.id.utf8.count + mark.kind.rawValue.utf8.count + (mark.font?.utf8.count ?? 0)
        bytes += 44 * mark.points.count + 20 * mark.dash.count
        if mark.points.first?.width != nil { bytes += 20 * mark.points.count }
        for (name, value) in mark.unknown { bytes += name.utf8.count + Self.bytes(of: value) }
        return bytes
    }

    private static func bytes(of value: JSONValue) -> Int {
        switch value {
        case .string(let text): text.utf8.count + 4
        case .array(let values): values.reduce(2) { $0 + bytes(of: $1) }
        case .object(let values): values.reduce(2) { $0 + $1.key.utf8.count + bytes(of: $1.value) }
        default: 20
        }
    }
}
