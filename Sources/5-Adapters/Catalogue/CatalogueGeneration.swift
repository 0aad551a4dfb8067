import Glibc
public import Model
import Platform

/// Distinguishes a catalogue from its older copies and from other libraries' catalogues. A number is stored both in the catalogue
/// and in a file next to it, and changes after each piece of work.
package struct CatalogueGeneration {
    private let path: String

    package init(of folder: String) { path = folder + "/catalogue.generation" }

    /// The folder that has the number file's name, so that no number can be written; `nil` if there is none.
    var obstacle: String? { FileIdentity(ofFolder: path) == nil ? nil : path }

    /// Returns whether `database` is the last state that its library left, as far as can be checked.
    ///
    /// The catalogue stores its last two numbers: if a process is killed after it wrote a new number to the catalogue, the file
    /// next to it still has the previous one.
    package func isLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return true }
        return try numbers(in: database).contains(beside)
    }

    /// Returns whether the file's number proves that `database` is the last state that its library left.
    func isKnownToBeLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return false }
        return try numbers(in: database).contains(beside)
    }

    /// Gives `database` a new number. If the file next to the catalogue cannot be written, the only harm is that a copy with the
    /// previous number passes as current.
    package func renew(in database: Database) throws(LibraryError) { try expect(try renumber(database)) }

    /// Gives `database` a new number and returns it; the caller has to pass it to `expect`.
    func renumber(_ database: Database) throws(LibraryError) -> Int {
        let former = try numbers(in: database).first ?? 0
        let next = Int(Int64.random(in: 1 ... .max))
        try database.write { () throws(LibraryError) in
            try database.set(.generation, to: next)
            try database.set(.formerGeneration, to: former)
            // The number is also in the header, where it can be compared without reading the whole file.
            try database.script("PRAGMA user_version = \(Int32(truncatingIfNeeded: next))")
        }
        return next
    }

    /// Gives `backup` a new number, which marks the backup as complete for as long as the library expects that number.
    func renumber(asComplete backup: Database) throws(LibraryError) -> Int {
        let number = try renumber(backup)
        try backup.set(.complete, to: number)
        return number
    }

    /// Returns whether the library still expects the number of `backup`, so that nothing was changed after the backup was made.
    func isComplete(_ backup: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return false }
        return try backup.number(.complete) == beside
    }

    /// Makes any catalogue now in place count as an older copy.
    func expectAnother() throws(LibraryError) { try expect(Int(Int64.random(in: 1 ... .max))) }

    /// Writes the catalogue's number to the file next to the catalogue.
    func expect(_ number: Int) throws(LibraryError) {
        try LibraryError.ofSystem { () throws(SystemError) in try AtomicFile.write("\(number)\n", to: path) }
    }

    /// The number in the file next to the catalogue; `nil` if the file is missing or has no valid number.
    private var numberBeside: Int? {
        get throws(LibraryError) {
            do throws(SystemError) {
                let bytes = try AtomicFile.read(path, limit: 100)
                return Int(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
            } catch {
                // A file that cannot be read for now proves nothing; anything else is overwritten when the next number is written.
                guard [ENOENT, ENOTDIR, EFBIG, EISDIR, EINVAL].contains(error.code) else { throw .system(error) }
                return nil
            }
        }
    }

    /// The catalogue's numbers, newest first.
    private func numbers(in database: Database) throws(LibraryError) -> [Int] {
        [try database.number(.generation), try database.number(.formerGeneration)].compactMap(\.self)
    }
}

/// The reason why the catalogue may be incomplete; only the next sync can show whether it is.
public enum CatalogueDoubt: Hashable, Sendable {
    /// Restored to its state at an earlier time; `nil` if that time is not known.
    case restored(from: Timestamp?)
    /// Created next to this many charts, without a backup to restore.
    case begunAnew(charts: Int)
}

extension CatalogueDoubt {
    /// Returns `nil` for times before the year 2000: no working clock shows such a time, and the epoch stands for an unknown time.
    package static func plausible(_ time: Timestamp?) -> Timestamp? { time.flatMap { $0.nanoseconds > 946_684_800_000_000_000 ? $0 : nil } }
}

extension Database {
    package var doubt: CatalogueDoubt? {
        get throws(LibraryError) {
            if let charts = try number(.begunAnew) { return .begunAnew(charts: charts) }
            guard let time = try time(.restored) else { return nil }
            return .restored(from: CatalogueDoubt.plausible(time))
        }
    }

    package func noteRestored(from time: Timestamp?) throws(LibraryError) {
        try write { () throws(LibraryError) in
            try letNothingGo()
            try set(.poll, to: nil)
            try set(.restored, to: time ?? Timestamp(nanoseconds: 0))
            // Content may have been found missing from pages since that time, but the restored catalogue has no record of it. So
            // look through the images of all charts again.
            try run("UPDATE charts SET looked_through = 0")
            // The next poll brings changes that were reported to the user when they happened. Without these numbers, they are not
            // reported again.
            try run("UPDATE told_plans SET journal_number = NULL")
        }
    }

    /// Cancels the removal of every dropped chart: the chart may have been needed again since this catalogue's last change.
    package func letNothingGo() throws(LibraryError) { try run("DELETE FROM let_go_charts") }

    package func noteBegunAnew(charts: Int) throws(LibraryError) {
        try letNothingGo()
        try set(.begunAnew, to: charts)
    }

    /// Notes that the service has sent everything. If the catalogue was restored from a backup, any plan may have changed since
    /// the backup was made, so every plan's time of change is set to `time`.
    package func endDoubt(at time: Timestamp) throws(LibraryError) {
        try write { () throws(LibraryError) in
            if try number(.restored) != nil { try run("UPDATE plans SET changed_at = ?", [.time(time)]) }
            try set(.restored, to: nil)
            try set(.begunAnew, to: nil)
        }
    }
}
