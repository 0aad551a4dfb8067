import Glibc
public import Model
import Platform

/// A complete copy of the catalogue as it was at one time.
public struct CatalogueBackup: Hashable, Sendable {
    /// Backups are counted: the highest number is the newest, whatever the clock said.
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
        // A clock may be wrong by any number of years; only times that can be read back fit into a name.
        let years = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: 200 * 365 * 86_400 * 1_000_000_000)
        let time = min(max(madeAt, years.lowerBound), years.upperBound)
        let whole = Timestamp(nanoseconds: time.nanoseconds / 1_000_000_000 * 1_000_000_000)
        let digits = String(number)
        let text = whole.description.replacing(":", with: "-")
        path = folder + "/catalogue-" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "-" + text + Self.ending
        (self.number, self.madeAt) = (number, whole)
    }

    private static let ending = ".sqlite"
    /// A number higher than any that can be reached is in another program's file; counting on from there would leave none.
    private static let numbers = 1...999_999_999
}

/// The copies of the catalogue that are kept next to it, from several times.
package struct CatalogueBackups {
    private let folder: String

    package init(of library: String) { folder = library + "/backups" }

    /// The time of day, for callers without a clock.
    package static var systemTime: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(sinceEpoch: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
    }

    /// All of them, oldest first.
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

    /// Returns whether a backup is fit to go back to. Throws if that cannot be found out for now.
    package func isWhole(_ backup: CatalogueBackup) throws(LibraryError) -> Bool {
        do throws(LibraryError) {
            return try CatalogueCondition.of(backup.path, thoroughly: true) == .intact
        } catch {
            guard case .newer = error else { throw error }
            return false
        }
    }

    /// Makes a backup of the present contents of `database`, with `change` applied. Older ones are removed only once the new one is on the
    /// disk and was found to be intact.
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

    /// The backups that need not be kept: what stays are the newest three, the last one of each of three days, and of each of three weeks.
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
    /// Publishes a complete copy of the database at `path`, which needs no file next to it.
    func writeCopy(as path: String, _ change: (Database) throws(LibraryError) -> Void) throws(LibraryError) {
        let file = try unpublishedCopy(inFolderOf: path, change)
        try LibraryError.ofSystem { () throws(SystemError) in try file.publish(as: path, durability: .synced) }
    }

    /// A complete copy of the database, to be published in the same folder as `path`; `change` is applied to it. It is on the disk, so
    /// that nothing but its name is left to write.
    func unpublishedCopy(
        inFolderOf path: String, _ change: (Database) throws(LibraryError) -> Void
    ) throws(LibraryError) -> TemporaryFile {
        let file = try LibraryError.ofSystem { () throws(SystemError) in try TemporaryFile.create(inFolderOf: path) }
        try copy(toFile: file.path, change)
        try LibraryError.ofSystem { () throws(SystemError) in try file.syncContent() }
        return file
    }

    private func copy(toFile path: String, _ change: (Database) throws(LibraryError) -> Void) throws(LibraryError) {
        let copy = try Database(path: path, access: .readWrite)
        defer { copy.close() }
        // Publishing flushes it to the disk; before that it may be lost.
        try copy.run("PRAGMA journal_mode = MEMORY")
        try copy.run("PRAGMA synchronous = OFF")
        try self.copy(into: copy)
        // The copy has taken over the setting for a write-ahead log.
        try copy.run("PRAGMA journal_mode = DELETE")
        try change(copy)
        guard try copy.isWhole(thoroughly: true) else { throw .damaged(path: self.path, message: "a copy of it is inconsistent") }
    }
}

/// How much of the catalogue is not in any backup yet.
package struct BackupState {
    /// How many rows had been changed, by the database's count, when the last backup was made.
    private var changesAtBackup = 0
    /// Changed rows that are not worth a backup, such as the time of the last poll.
    package var changesApart = 0
    private var isFirstLook = true

    package init() {}

    /// The least time between two backups.
    package static let interval: Duration = .seconds(6 * 3600)

    /// Returns whether a backup of the catalogue that `database` holds, in the library of `folder`, is due.
    package mutating func isDue(_ database: Database, in folder: String, at now: Timestamp) throws(LibraryError) -> Bool {
        // An empty backup would only push out those with contents.
        guard try database.has("SELECT 1 FROM plans LIMIT 1") else { return false }
        guard let last = try CatalogueBackups(of: folder).all.last else { return true }
        let age = now - last.madeAt
        // If the last one is from the future, the clock was wrong when it was made.
        guard age < .zero || age >= Self.interval else { return false }
        if database.totalChanges - changesApart > changesAtBackup { return true }
        // An earlier process may have changed something and ended before it made a backup.
        guard isFirstLook else { return false }
        let change = try database.row("SELECT max(at) FROM journal") { $0.time(0) } ?? nil
        // Until there is a backup of that change, every look counts as the first.
        isFirstLook = change.map { $0 > last.madeAt } ?? false
        return isFirstLook
    }

    /// Notes that a backup has these changes, `apart` of which were not worth one.
    package mutating func noteBackup(of changes: Int, apart: Int) {
        (changesAtBackup, changesApart, isFirstLook) = (changes, changesApart - apart, false)
    }
}
