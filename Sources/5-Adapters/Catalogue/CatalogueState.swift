import ChartLinks
import Glibc
import Model
import Platform

/// The state of the catalogue, and the backups that it could be restored from.
public struct CatalogueState: Hashable, Sendable {
    public let condition: CatalogueCondition
    /// Whether a newer program made it, so that nobody here knows what is in it.
    public let isNewer: Bool
    /// How many charts' files there are, and how many of them the catalogue does not know.
    public let charts: Int
    public let unknownCharts: Int
    /// The backups, and whether each is intact.
    public let backups: [CatalogueBackup: Bool]
    /// Catalogues that could not be used, or that somebody replaced with a backup.
    public let setAside: [String]

    public var newestBackup: CatalogueBackup? { backups.filter(\.value).keys.max { $0.number < $1.number } }

    /// Makes a state from its parts.
    public init(
        condition: CatalogueCondition, isNewer: Bool = false, charts: Int = 0, unknownCharts: Int = 0,
        backups: [CatalogueBackup: Bool] = [:], setAside: [String] = []
    ) {
        (self.condition, self.isNewer) = (condition, isNewer)
        self.charts = charts
        self.unknownCharts = unknownCharts
        self.backups = backups
        self.setAside = setAside
    }

    /// Looks at the library in `folder`, and changes nothing.
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
        let names = (try? Folder.names(in: folder)) ?? []
        // For some of them only the write-ahead log was there.
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
