import Glibc
import Model
import Platform

/// Distinguishes a catalogue from an older copy of itself, and from another library's: by a number that is both in the catalogue and in
/// a file next to it, and changes after each piece of work.
package struct CatalogueGeneration {
    private let path: String

    package init(of folder: String) { path = folder + "/catalogue.generation" }

    /// Whether `database` is as its library left it, as far as can be told.
    ///
    /// The catalogue knows its last two numbers: a process that is killed between writing the two leaves the file one step behind.
    package func isLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return true }
        return try numbers(in: database).contains(beside)
    }

    /// Whether it is proven that `database` is as its library left it.
    func isKnownToBeLast(_ database: Database) throws(LibraryError) -> Bool {
        guard let beside = try numberBeside else { return false }
        return try numbers(in: database).contains(beside)
    }

    /// Gives `database` a new number. If the disk fails in between, all it costs is that a copy with the previous number is not doubted.
    package func renew(in database: Database) throws(LibraryError) {
        try expect(try renumber(database))
    }

    /// Gives `database` a new number, which is to be expected of it from now on.
    func renumber(_ database: Database) throws(LibraryError) -> Int {
        let former = try numbers(in: database).first ?? 0
        let next = Int(Int64.random(in: 1 ... .max))
        try database.write { () throws(LibraryError) in
            for (name, number) in [("generation", next), ("former generation", former)] {
                try database.run(
                    "INSERT INTO stamps (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at",
                    [.text(name), .integer(number)])
            }
        }
        return next
    }

    /// Notes which number the catalogue has.
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
                // A file that cannot be read for now proves nothing.
                guard [ENOENT, ENOTDIR, EFBIG, EISDIR].contains(error.code) else { throw .system(error) }
                return nil
            }
        }
    }

    /// The numbers, newest first.
    private func numbers(in database: Database) throws(LibraryError) -> [Int] {
        try database.rows("SELECT at FROM stamps WHERE name IN ('generation', 'former generation') ORDER BY name DESC") { $0.integer(0) }
    }
}
