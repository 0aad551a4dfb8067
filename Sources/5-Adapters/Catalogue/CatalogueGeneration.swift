import Glibc
public import Model
import Platform

/// Distinguishes a catalogue from an older copy of itself, and from another library's: by a number that is both in the catalogue and in
/// a file next to it, and changes after each piece of work.
package struct CatalogueGeneration {
    private let path: String

    package init(of folder: String) { path = folder + "/catalogue.generation" }

    /// The folder that has taken the file's name, where no number can be written; `nil` if there is none.
    var obstacle: String? { FileIdentity(ofFolder: path) == nil ? nil : path }

    /// Returns whether `database` is as its library left it, as far as can be seen.
    ///
    /// The catalogue knows its last two numbers: a process that is killed between writing the two leaves the file one step behind.
    package func isLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return true }
        return try numbers(in: database).contains(beside)
    }

    /// Returns whether it is proven that `database` is as its library left it.
    func isKnownToBeLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return false }
        return try numbers(in: database).contains(beside)
    }

    /// Gives `database` a new number. If the disk fails in between, the only harm is that a copy with the previous number is not doubted.
    package func renew(in database: Database) throws(LibraryError) { try expect(try renumber(database)) }

    /// Gives `database` a new number, which the library expects from now on.
    func renumber(_ database: Database) throws(LibraryError) -> Int {
        let former = try numbers(in: database).first ?? 0
        let next = Int(Int64.random(in: 1 ... .max))
        try database.write { () throws(LibraryError) in
            try database.set(.generation, to: next)
            try database.set(.formerGeneration, to: former)
            // In the header as well, where it can be seen without reading the file.
            try database.script("PRAGMA user_version = \(Int32(truncatingIfNeeded: next))")
        }
        return next
    }

    /// Gives `backup` a new number, which shows that it has all that its library had, for as long as that number is expected.
    func renumber(asComplete backup: Database) throws(LibraryError) -> Int {
        let number = try renumber(backup)
        try backup.set(.complete, to: number)
        return number
    }

    /// Returns whether nothing was changed after `backup` was made.
    func isComplete(_ backup: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return false }
        return try backup.number(.complete) == beside
    }

    /// Makes any catalogue that is in its place by now count as an older copy.
    func expectAnother() throws(LibraryError) { try expect(Int(Int64.random(in: 1 ... .max))) }

    /// Notes the number that the catalogue has.
    func expect(_ number: Int) throws(LibraryError) {
        try LibraryError.ofSystem { () throws(SystemError) in try AtomicFile.write("\(number)\n", to: path) }
    }

    /// `nil` if there is none.
    private var numberBeside: Int? {
        get throws(LibraryError) {
            do throws(SystemError) {
                let bytes = try AtomicFile.read(path, limit: 100)
                return Int(String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
            } catch {
                // A file that cannot be read for now proves nothing, but anything other than a file is replaced by the next number.
                guard [ENOENT, ENOTDIR, EFBIG, EISDIR, EINVAL].contains(error.code) else { throw .system(error) }
                return nil
            }
        }
    }

    /// The numbers, newest first.
    private func numbers(in database: Database) throws(LibraryError) -> [Int] {
        [try database.number(.generation), try database.number(.formerGeneration)].compactMap(\.self)
    }
}

/// Why the catalogue may be incomplete; only the next sync can tell.
public enum CatalogueDoubt: Hashable, Sendable {
    /// Restored to its state at an earlier time; `nil` if that time is not known.
    case restored(from: Timestamp?)
    /// Begun anew next to this many charts, without a backup to go back to.
    case begunAnew(charts: Int)
}

extension CatalogueDoubt {
    /// No working clock shows a time before the year 2000; such a time stands for an unknown one.
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
            // It lacks what was found since then while images were drawn.
            try run("UPDATE charts SET looked_through = 0")
            // Later changes come with the next poll, but were reported when they happened.
            try run("UPDATE told_plans SET journal_number = NULL")
        }
    }

    /// Cancels the removal of every dropped chart: it may have been wanted again later than this catalogue knows.
    package func letNothingGo() throws(LibraryError) { try run("DELETE FROM let_go_charts") }

    package func noteBegunAnew(charts: Int) throws(LibraryError) {
        try letNothingGo()
        try set(.begunAnew, to: charts)
    }

    /// Notes that the service has sent everything. A plan in a backup may have changed since the backup was made, so its time of change
    /// starts again.
    package func endDoubt(at time: Timestamp) throws(LibraryError) {
        try write { () throws(LibraryError) in
            if try number(.restored) != nil { try run("UPDATE plans SET changed_at = ?", [.time(time)]) }
            try set(.restored, to: nil)
            try set(.begunAnew, to: nil)
        }
    }
}
