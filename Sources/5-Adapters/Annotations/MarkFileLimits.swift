import JSON
import Model

/// How large a mark file may be, in every respect. A file that exceeds one of these limits is refused as a whole.
///
/// The defaults are far above what a musician writes by hand: an hour of constant writing is about 400,000 points. They are also
/// low enough that a malicious file costs only some seconds and, briefly, some hundred megabytes.
public struct MarkFileLimits: Hashable, Sendable {
    /// Bytes of the file on disk. Default 64 MiB.
    public var fileBytes = 64 << 20
    /// Bytes of the file after unpacking. Default 128 MiB.
    public var inflatedBytes = 128 << 20
    /// Entries of a ZIP archive. Default 1,000.
    public var archiveEntries = 1000
    /// How deep elements, lists or objects are nested. Always 40: Xournal++ uses 4, a native layer 5.
    public let depth = 40
    /// Values of any kind in a JSON text. Default 5,000,000: if points and marks are at their limits, the points take 1,600,000,
    /// the fields of the marks 500,000, and the names of a few dozen devices in each mark the rest.
    public var values = 5_000_000
    /// Pages. Default 5,000.
    public var pages = 5000
    /// Layers of all pages together. Default 20,000.
    public var layers = 20_000
    /// Marks. A stroke with gaps, where its width is zero, counts as several. Default 50,000: a thousand on each page of a long
    /// chart.
    public var marks = 50_000
    /// Points of one stroke. Default 100,000: a quarter of an hour without lifting the pen.
    public var strokePoints = 100_000
    /// Points of all marks together. Default 400,000.
    public var points = 400_000
    /// Points of all marks on one page. Always 200,000, because a page may take only 30 seconds of processor time to draw.
    public let pagePoints = 200_000
    /// Bytes of one text. Default 256 KiB.
    public var textBytes = 256 << 10
    /// Bytes of one picture's base64. Default 24 MiB.
    public var pictureBytes = 24 << 20
    /// Bytes of all texts and pictures together. Default 32 MiB.
    public var contentBytes = 32 << 20
    /// Approximate bytes of all marks when they are written again, with their dashes, fonts, names and all other fields. Always
    /// 96 MiB, which a file within the other limits reaches only with fields that marks do not have.
    public let writtenBytes = 96 << 20

    public init() {}
}

/// Counts the marks of one file while they are read, and throws when a limit is exceeded.
///
/// The marks are counted as they are kept and drawn, not as elements of the file: one stroke can become thousands of marks.
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
        // A coordinate with its comma takes about 20 bytes.
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

/// Collects notes on everything that was left out of a file or drawn differently. All cases of one kind share one sentence.
struct MarkFileNotes {
    private struct Note {
        let what: String
        let first: String
        var count: Int
    }

    /// One note for each kind of case that the readers know. No `what` contains text that a file can invent, such as names of
    /// tools: otherwise the file could cause any number of notes.
    private var notes: [Note] = []

    /// Adds one case, or `count` cases in one place. `what` is a plural, and is the same for all cases of a kind.
    mutating func add(_ what: String, count: Int = 1, at place: @autoclosure () -> String) {
        if let known = notes.firstIndex(where: { $0.what == what }) {
            notes[known].count += count
        } else {
            notes.append(Note(what: what, first: place(), count: count))
        }
    }

    /// One sentence for each kind of case, with the number of cases and the position of the first one.
    var sentences: [String] {
        notes.map { "\($0.what): \($0.count) (\($0.count > 1 ? "first on " : "")\($0.first))" }
    }
}
