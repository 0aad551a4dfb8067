import ChartFiles
import Glibc
import Model
import Platform

/// The state of the catalogue, and the backups that it could be restored from.
public struct CatalogueState: Hashable, Sendable {
    public let condition: CatalogueCondition
    /// `true` if a newer program made the catalogue, so this program cannot judge its contents.
    public let isNewer: Bool
    /// How many charts' files there are, and how many of them are not in the catalogue.
    public let charts: Int
    public let unknownCharts: Int
    /// The backups, and whether each is intact.
    public let backups: [CatalogueBackup: Bool]
    /// Catalogues that could not be used or were replaced with a backup.
    public let setAside: [String]
    /// A folder in place of the number file. Until the folder is removed, nothing distinguishes the catalogue from an older copy.
    public let obstacle: String?

    public var newestBackup: CatalogueBackup? { backups.filter(\.value).keys.max { $0.number < $1.number } }

    /// Makes a state from its parts.
    public init(
        condition: CatalogueCondition, isNewer: Bool = false, charts: Int = 0, unknownCharts: Int = 0,
        backups: [CatalogueBackup: Bool] = [:], setAside: [String] = [], obstacle: String? = nil
    ) {
        (self.condition, self.isNewer) = (condition, isNewer)
        self.charts = charts
        self.unknownCharts = unknownCharts
        self.backups = backups
        self.setAside = setAside
        self.obstacle = obstacle
    }

    /// Examines the library in `folder`, and changes nothing.
    public init(ofLibraryIn folder: String) throws(LibraryError) {
        let backups = CatalogueBackups(of: folder)
        do throws(LibraryError) {
            (condition, isNewer) = (try CatalogueRecovery(in: folder).condition(), false)
        } catch {
            guard case .newer = error else { throw error }
            (condition, isNewer) = (.intact, true)
        }
        let files = try LibraryError.ofSystem { () throws(SystemError) in try ChartFileName.charts(in: folder + "/charts") }
        charts = files.count
        let known = condition == .intact && !isNewer ? Set(try Self.knownCharts(in: folder)) : []
        unknownCharts = isNewer ? 0 : files.count { !known.contains($0.digest.hex) }
        self.backups = Dictionary(uniqueKeysWithValues: try backups.all.map { ($0, (try? backups.isWhole($0)) ?? false) })
        obstacle = CatalogueGeneration(of: folder).obstacle
        let names = (try? Folder.names(in: folder)) ?? []
        // A catalogue that was set aside may consist only of a write-ahead log.
        setAside = names.filter { name in
            name.hasPrefix(CatalogueRecovery.namesSetAside)
                && (name.hasSuffix(".sqlite") || name.hasSuffix("-wal") && !names.contains(String(name.dropLast(4))))
        }.map { folder + "/" + $0 }
    }

    private static func knownCharts(in folder: String) throws(LibraryError) -> [String] {
        let database = try Database(path: CatalogueFile.path(in: folder), access: .readOnly)
        defer { database.close() }
        return try database.rows("SELECT hash FROM charts") { $0.text(0) }
    }
}

/// The condition of the file under the catalogue's name.
public enum CatalogueCondition: Hashable, Sendable {
    case intact
    case missing
    /// The file has no contents.
    case empty
    /// The file is a catalogue, but has neither plans nor charts.
    case blank
    /// The file is another program's database.
    case foreign
    /// The file cannot be read completely or is inconsistent.
    case damaged(String)

    /// A phrase to follow "it" or the file's name.
    public var sentence: String { "is " + word }
    var sentenceOfThePast: String { "was " + word }

    private var word: String {
        switch self {
        case .intact: "whole"
        case .missing: "missing"
        case .empty: "empty"
        case .blank: "without any plan or chart"
        case .foreign: "another program's database"
        case .damaged(let message): "damaged (\(message))"
        }
    }

    /// Examines the file at `path`, and changes nothing. Throws `newer` if a newer program made the file, so its contents cannot be judged.
    package static func of(_ path: String, thoroughly: Bool = false) throws(LibraryError) -> CatalogueCondition {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw .system(SystemError("access", path: path)) }
            return .missing
        }
        try DatabaseFiles.refuseOthers(path)
        // An empty file is not even opened: SQLite would discard the file's log as void, and the log may hold everything.
        guard status.st_size > 0 else { return .empty }
        do throws(LibraryError) {
            let database = try Database(path: path, access: .readOnly)
            defer { database.close() }
            guard try Migration.owner(of: database) == Migration.applicationID else { return .empty }
            guard try database.isWhole(thoroughly: thoroughly) else { return .damaged("it is inconsistent") }
            try Migration.checkKnown(Migration.all, in: database)
            let tables = try database.row("SELECT count(*) FROM sqlite_schema WHERE name IN ('plans', 'charts')") { $0.integer(0) }
            guard tables == 2 else { return .blank }
            return try database.knowsSomething ? .intact : .blank
        } catch {
            switch error {
            case .foreign: return .foreign
            case .damaged(_, let message): return .damaged(message)
            case .database(_, let message, _) where error.isOfContents: return .damaged(message)
            // A disk error proves nothing about the catalogue on the disk.
            default: throw error
            }
        }
    }
}

extension Database {
    /// `true` if the database has a plan, a chart or an attachment.
    var knowsSomething: Bool {
        get throws(LibraryError) {
            try row("SELECT EXISTS (SELECT 1 FROM plans) OR EXISTS (SELECT 1 FROM charts) OR EXISTS (SELECT 1 FROM attachments)") {
                $0.integer(0) != 0
            } ?? false
        }
    }

    /// Returns whether the whole database can be read and is consistent; if `thoroughly`, indexes are compared with their tables too.
    package func isWhole(thoroughly: Bool) throws(LibraryError) -> Bool {
        try row(thoroughly ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)") { $0.text(0) } == "ok"
    }
}
