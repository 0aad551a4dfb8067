import Glibc
public import Model
import Platform

/// A complete copy of the catalogue as it was at one time.
public struct CatalogueBackup: Hashable, Sendable {
    /// Backups are numbered: the highest number is the newest, whatever time the clock showed.
    public let number: Int
    public let madeAt: Timestamp
    public let path: String

    /// Reads a name like `catalogue-0007-2026-11-22T10-04-17Z.sqlite`; `nil` for anything else.
    package init?(named name: String, in folder: String) {
        let parts = name.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "catalogue", let number = Int(parts[1]), Self.numbers.contains(number),
            parts[2].hasSuffix(Self.ending)
        else {
            return nil
        }
        let time = parts[2].dropLast(Self.ending.count).split(separator: "T")
        guard time.count == 2, let madeAt = Timestamp("\(time[0])T\(time[1].replacing("-", with: ":"))") else { return nil }
        (self.number, self.madeAt, path) = (number, madeAt, folder + "/" + name)
    }

    package init(number: Int, madeAt: Timestamp, in folder: String) {
        // The clock may be off by any number of years; only times that can be read back are used in a name.
        let years = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: 200 * 365 * 86_400 * 1_000_000_000)
        let time = min(max(madeAt, years.lowerBound), years.upperBound)
        let whole = Timestamp(nanoseconds: time.nanoseconds / 1_000_000_000 * 1_000_000_000)
        let digits = String(number)
        let text = whole.description.replacing(":", with: "-")
        path = folder + "/catalogue-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "-" + text + Self.ending
        (self.number, self.madeAt) = (number, whole)
    }

    private static let ending = ".sqlite"
    /// A file with a higher number is another program's: counting on from that number could exhaust the numbers.
    private static let numbers = 1...999_999_999
}

/// The copies of the catalogue from several times, kept in a folder next to it.
package struct CatalogueBackups {
    private let folder: String

    package init(of library: String) { folder = library + "/backups" }

    /// The system's time, for callers without a clock.
    package static var systemTime: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(sinceEpoch: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    /// All backups, oldest first.
    package var all: [CatalogueBackup] {
        get throws(LibraryError) {
            let names: [String]
            do throws(SystemError) {
                names = try Folder.namesIfThere(in: folder)
            } catch {
                throw .system(error)
            }
            return names.compactMap { CatalogueBackup(named: $0, in: folder) }.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
        }
    }

    /// The newest backup that is intact and that this program can read.
    package var newestWhole: CatalogueBackup? {
        get throws(LibraryError) {
            for backup in try all.reversed() where try isWhole(backup) { return backup }
            return nil
        }
    }

    /// Returns whether a backup can be restored. Throws if the backup cannot be checked for now.
    package func isWhole(_ backup: CatalogueBackup) throws(LibraryError) -> Bool {
        do throws(LibraryError) {
            return try CatalogueCondition.of(backup.path, thoroughly: true) == .intact
        } catch {
            guard case .newer = error else { throw error }
            return false
        }
    }

    /// Makes a backup of the present contents of `database`, with `change` applied. Older backups are removed only after the new
    /// one is on the disk and has passed its check.
    @discardableResult
    package func make(
        of database: Database, at time: Timestamp, _ change: (Database) throws(LibraryError) -> Void = { _ in }
    ) throws(LibraryError) -> CatalogueBackup {
        do throws(SystemError) {
            try Folder.create(folder)
        } catch {
            throw .system(error)
        }
        AtomicFile.removeAbandoned(in: folder)
        let backup = CatalogueBackup(number: (try all.last?.number ?? 0) + 1, madeAt: time, in: folder)
        try database.writeCopy(as: backup.path, change)
        for old in Self.superfluous(try all) { unlink(old.path) }
        return backup
    }

    /// The backups that need not be kept. The newest three must be kept, and the last backup of each of the three latest days, and
    /// of each of the three latest weeks, that have any backups.
    package static func superfluous(_ all: [CatalogueBackup]) -> [CatalogueBackup] {
        let newestFirst = all.sorted { $0.number > $1.number }
        var kept = Set(newestFirst.prefix(3))
        for seconds in [86_400, 7 * 86_400] as [Int64] {
            var periods: Set<Int64> = []
            for backup in newestFirst where periods.insert(backup.madeAt.nanoseconds / (seconds * 1_000_000_000)).inserted {
                kept.insert(backup)
                if periods.count == 3 { break }
            }
        }
        return all.filter { !kept.contains($0) }
    }
}

extension Database {
    /// Publishes a complete copy of the database at `path`; the copy is a single file without a log.
    func writeCopy(as path: String, _ change: (Database) throws(LibraryError) -> Void) throws(LibraryError) {
        let file = try unpublishedCopy(inFolderOf: path, change)
        try LibraryError.ofSystem { () throws(SystemError) in try file.publish(as: path, durability: .synced) }
    }

    /// A complete copy of the database with `change` applied, to be published in the folder of `path`. The contents are synced to
    /// the disk, so only the name is still missing.
    func unpublishedCopy(
        inFolderOf path: String, _ change: (Database) throws(LibraryError) -> Void
    ) throws(LibraryError) -> TemporaryFile {
        let file = try LibraryError.ofSystem { () throws(SystemError) in try TemporaryFile.create(inFolderOf: path) }
        do throws(LibraryError) {
            try copy(toFile: file.path, change)
        } catch {
            // The copy's temporary name means nothing to anybody.
            guard case .system(let reason) = error, reason.path == file.path else { throw error }
            throw .system(SystemError(reason.operation, path: path, code: reason.code))
        }
        try LibraryError.ofSystem { () throws(SystemError) in try file.syncContent() }
        return file
    }

    private func copy(toFile path: String, _ change: (Database) throws(LibraryError) -> Void) throws(LibraryError) {
        let copy = try Database(path: path, access: .readWrite)
        defer { copy.close() }
        // The file is synced to the disk once the copy is complete. Until then, its loss would do no harm.
        try copy.run("PRAGMA journal_mode = MEMORY")
        try copy.run("PRAGMA synchronous = OFF")
        try self.copy(into: copy)
        // The copied header turns on the write-ahead log. Turn it off, so that the copy is a single file.
        try copy.run("PRAGMA journal_mode = DELETE")
        try change(copy)
        guard try copy.isWhole(thoroughly: true) else { throw .damaged(path: self.path, message: "a copy of it is inconsistent") }
    }
}

/// Tracks how much of the catalogue is not in any backup yet.
package struct BackupState {
    /// How many rows had changed when the last backup was made, by the database's own count.
    private var changesAtBackup = 0
    /// The number of changed rows that do not justify a backup, such as the time of the last poll.
    package var changesApart = 0
    private var isFirstLook = true

    package init() {}

    /// The least time between two backups.
    package static let interval: Duration = .seconds(6 * 3600)

    /// Returns whether it is time for a backup of `database`, the catalogue of the library in `folder`.
    package mutating func isDue(_ database: Database, in folder: String, at now: Timestamp) throws(LibraryError) -> Bool {
        // A backup of an empty catalogue would only displace backups with contents.
        guard try database.has("SELECT 1 FROM plans LIMIT 1") else { return false }
        guard let last = try CatalogueBackups(of: folder).all.last else { return true }
        let age = now - last.madeAt
        // A backup that is dated in the future was made with a wrong clock, so its age does not count.
        guard age < .zero || age >= Self.interval else { return false }
        if database.totalChanges - changesApart > changesAtBackup { return true }
        // An earlier process may have changed something and ended before it could make a backup.
        guard isFirstLook else { return false }
        let change = try database.row("SELECT max(at) FROM journal") { $0.time(0) } ?? nil
        // Until a backup contains that change, each check counts as the first.
        isFirstLook = change.map { $0 > last.madeAt } ?? false
        return isFirstLook
    }

    /// Notes that a backup contains `changes` changed rows, of which `apart` did not justify a backup.
    package mutating func noteBackup(of changes: Int, apart: Int) {
        (changesAtBackup, changesApart, isFirstLook) = (changes, changesApart - apart, false)
    }
}
