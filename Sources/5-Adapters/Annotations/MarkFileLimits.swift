import JSON
import Model

/// How large a mark file may be in each of its dimensions; anything larger is refused as a whole.
///
/// The defaults are far above what a musician writes by hand: an hour of constant writing is some 400,000 points. And they are low enough
/// that a malicious file costs seconds and briefly some hundred megabytes, not the machine.
public struct MarkFileLimits: Hashable, Sendable {
    /// Bytes of the file on the disk. Default 64 MiB.
    public var fileBytes = 64 << 20
    /// Bytes of what the file unpacks to. Default 128 MiB.
    public var inflatedBytes = 128 << 20
    /// Entries of a ZIP archive. Default 1,000.
    public var archiveEntries = 1000
    /// Elements, lists or objects nested in one another. Default 40; Xournal++ uses 4, a native layer 5.
    public let depth = 40
    /// Values of a JSON text, of any kind. Default 5,000,000: the largest number of points takes 1,600,000, the fields of the largest number
    /// of marks 500,000, and the names of a few dozen devices in each of these marks the rest.
    public var values = 5_000_000
    /// Pages. Default 5,000.
    public var pages = 5000
    /// Layers of all pages together. Default 20,000.
    public var layers = 20_000
    /// Marks; a stroke that alternates between a width and none counts as several. Default 50,000: a thousand on each page of a long
    /// chart.
    public var marks = 50_000
    /// Points of one stroke: a quarter of an hour without lifting the pen. Default 100,000.
    public var strokePoints = 100_000
    /// Points of all marks together. Default 400,000.
    public var points = 400_000
    /// Points of all marks on one page. Default 200,000: drawing takes processor time, of which a page gets 30 seconds.
    public let pagePoints = 200_000
    /// Bytes of one text. Default 256 KiB.
    public var textBytes = 256 << 10
    /// Bytes of one picture's base64. Default 24 MiB.
    public var pictureBytes = 24 << 20
    /// Bytes of all texts and pictures together. Default 32 MiB.
    public var contentBytes = 32 << 20
    /// Approximate bytes that all marks take when they are written out again: with their dashes, fonts, names and everything else in them.
    /// Default 96 MiB, which a file within the other limits cannot reach unless it has more fields than marks have.
    public let writtenBytes = 96 << 20

    public init() {}
}

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

    init(limits: MarkFileLimits) { self.limits = limits }

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
        var bytes = 160 + mark.id.utf8.count + mark.kind.rawValue.utf8.count + (mark.setting.font?.utf8.count ?? 0)
        bytes += mark.key?.utf8.count ?? 0
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

/// Collects what was left out of a file, with one sentence for a thousand equal cases.
struct MarkFileNotes {
    private struct Note {
        let what: String
        let first: String
        var count: Int
    }

    /// At most as many kinds as the readers know: nothing that a file can invent, like names of tools, is part of a note.
    private var notes: [Note] = []

    /// Notes one case, or several in one place; `what` is in the plural and the same for all cases of a kind.
    mutating func add(_ what: String, count: Int = 1, at place: @autoclosure () -> String) {
        if let known = notes.firstIndex(where: { $0.what == what }) {
            notes[known].count += count
        } else {
            notes.append(Note(what: what, first: place(), count: count))
        }
    }

    /// One sentence for each kind.
    var sentences: [String] {
        notes.map { "\($0.what): \($0.count) (\($0.count > 1 ? "first on " : "")\($0.first))" }
    }
}
