import CSQLite
import Glibc
public import Model
public import Platform

/// A failure of the library, described so that a musician can see what to do.
public enum LibraryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The library does not exist yet, and the caller only reads.
    case missing(path: String)
    /// The catalogue has a migration that this program lacks: from a newer program, or from one before the first release.
    case newer(path: String, migration: String)
    /// An older program made the catalogue, and the caller only reads.
    case older(path: String)
    /// The file under the catalogue's name is another program's database.
    case foreign(path: String)
    /// The catalogue's file is damaged.
    case damaged(path: String, message: String)
    /// The library has charts or backups, but no usable catalogue.
    case lost(path: String, CatalogueCondition, charts: Int, backup: Timestamp?)
    /// The catalogue's files were replaced or changed while they were in use.
    case replaced(path: String)
    /// The library's folder is gone, or another woodshed has begun to use it.
    case takenAway(folder: String)
    /// Another process keeps the catalogue locked for longer than any write by woodshed takes.
    case busy(path: String)
    /// The library was closed.
    case closed
    /// SQLite reports an error that has no case of its own.
    case database(path: String, message: String, code: Int32)
    /// A file cannot be read, created or written.
    case system(SystemError)
    /// The download is not a PDF but a file of the kind `found`.
    case notAPDF(AttachmentID, found: FileKind)
    /// The download is shorter or longer than the service reported.
    case wrongSize(AttachmentID, expected: Int, found: Int)
    /// The library has no such attachment.
    case unknownAttachment(AttachmentID)
    /// The library has no such plan.
    case unknownPlan(PlanID)
    /// The library has no such chart.
    case unknownChart(ChartHash)
    /// A chart's file no longer contains what was downloaded.
    case changedChart(path: String)
    /// A chart's file is no longer where the library stored it.
    case missingChart(path: String)
    /// The marks cannot be written as JSON, or read back.
    case unreadableMarks(LayerID, String)

    /// `true` if the contents of the database are wrong, rather than unavailable for now.
    var isOfContents: Bool {
        switch self {
        case .damaged, .foreign: true
        // The tables are not the expected ones, or the file ends too early.
        case .database(_, _, let code): [SQLITE_ERROR, woodshed_sqlite3_short_read].contains(code)
        default: false
        }
    }

    /// `true` if the error concerns the library as a whole, so that nothing else can be stored now either.
    public var isOfLibrary: Bool {
        switch self {
        case .missing, .newer, .older, .foreign, .damaged, .lost, .replaced, .takenAway, .busy, .closed, .system: true
        default: false
        }
    }

    /// `true` if a chart's file was changed: the file is kept, and the chart is downloaded again.
    public var isOfChangedChart: Bool { if case .changedChart = self { true } else { false } }

    public var description: String {
        switch self {
        case .missing: "nothing has been fetched yet: run '\(woodshed("sync"))'"
        case .newer(let path, let migration):
            "\(path) was made by a newer woodshed, or by one from before the first release (it has \"\(migration)\"): install that version again, or use another --home"
        case .older: "Woodshed was updated: run '\(woodshed("sync"))' once; no network is needed"
        case .foreign(let path): "\(path) is not a Woodshed catalogue: move it away, or use another --home"
        case .damaged(let path, let message):
            "\(path) is damaged (\(message)): run '\(woodshed("sync"))' or start the agent; either keeps the file under another name and restores the newest backup, if there is one; the charts beside it are not touched"
        case .lost(let path, let condition, let charts, let backup):
            "the catalogue \(path) \(condition.sentence), and \(charts == 1 ? "1 chart is" : "\(charts) charts are") beside it: '\(woodshed("sync"))' or the agent "
                + (backup.map { "restores the backup of \(Self.minute($0))" } ?? "starts a new one and fetches everything from the service")
                + "; charts are not touched"
        case .replaced(let path):
            "\(path) or a file beside it was removed, replaced or damaged while it was in use, so nothing more is written to it: run '\(woodshed("sync"))' again; a running agent starts again by itself"
        case .takenAway(let folder):
            "\(folder) was removed, moved or taken over by another woodshed: this one is stopping; start it again to work with what is there now"
        case .busy(let path): "another program is using \(path): check whether a second woodshed is running"
        case .closed: "the library is closed"
        case .database(let path, let message, let code):
            "the library at \(path) cannot be used right now: \(message) (SQLite \(code)); it is left as it is: try again, and check the disk if this continues"
        case .system(let error) where error.isDiskFull:
            "\(error): free some space and try again; if you need room at once, delete page images in the cache folder: they can be drawn again"
        case .system(let error) where error.isOfReadOnlyDisk: error.onReadOnlyDisk
        case .system(let error) where error.code == EACCES || error.code == EPERM:
            "\(error): you need permission to read and write the file and its folder"
        case .system(let error): error.description
        case .notAPDF(let id, let found): "attachment \(id) is not a PDF but \(found), and does not replace a chart"
        case .wrongSize(let id, let expected, let found):
            "attachment \(id) arrived with \(found) bytes, but the service says that it has \(expected): it was cut off, or the service is "
                + "wrong about it; it is not used and will be tried again"
        case .unknownAttachment(let id): "the library has no attachment \(id)"
        case .unknownPlan(let id): "there is no plan '\(id)' here; '\(woodshed("plans --all"))' lists them"
        case .unknownChart(let hash): "the library has no chart \(hash)"
        case .changedChart(let path):
            "\(path) was changed after it was downloaded; the next sync fetches the chart again and keeps the changed file beside it"
        case .missingChart(let path): "there is no file \(path) any more; the next sync fetches the chart again"
        case .unreadableMarks(let id, let message): "the marks of layer \(id) cannot be kept: \(message)"
        }
    }

    private static func minute(_ time: Timestamp) -> String { LocalTime.minute(nanosecondsSinceEpoch: time.nanoseconds) }
}

extension LibraryError {
    /// Runs `body`, which can only fail with a system error, and turns that error into a library error.
    package static func ofSystem<Result>(_ body: () throws(SystemError) -> Result) throws(LibraryError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}
