import CatalogueShape

/// One step of the catalogue's shape. Once released it is never edited: what comes later is a step of its own.
package struct Migration {
    package let name: String
    package let sql: String

    /// Every step there is, in order: a file each in `CatalogueShape/migrations`, where `schema.sql` says what they lead to.
    package static let all = UnsafeBufferPointer(start: woodshed_catalogue_migrations(), count: catalogue_migrations_count).map { step in
        let file = String(decoding: UnsafeBufferPointer(start: step.bytes, count: step.length), as: UTF8.self)
        return Migration(name: String(cString: step.name), sql: statements(in: file))
    }

    /// What is done, without the words on top that say why: those may be bettered at any time.
    private static func statements(in file: String) -> String {
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.drop { $0.isEmpty || $0.hasPrefix("--") }.joined(separator: "\n").trimmingNewline
    }

    /// "WSHD": says that an SQLite file is a catalogue of ours.
    package static let applicationID = 0x5753_4844

    /// Brings `database` to the shape that `migrations` lead to, all the way or not at all: a program that is killed meanwhile
    /// leaves neither half a catalogue nor one that an older program seems to have made.
    package static func apply(_ migrations: [Migration], to database: Database) throws(LibraryError) {
        let isNew = try owner(of: database) != applicationID
        let applied = isNew ? [] : try applied(to: database, known: migrations)
        guard isNew || migrations.contains(where: { !applied.contains($0.name) }) else { return }
        try database.write { () throws(LibraryError) in
            if isNew {
                try database.run("CREATE TABLE migrations (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID")
                try database.run("PRAGMA application_id = \(applicationID)")
            }
            for migration in migrations where !applied.contains(migration.name) {
                try database.script(migration.sql)
                try database.run("INSERT INTO migrations (name) VALUES (?)", [.text(migration.name)])
            }
        }
    }

    /// Checks, without writing, that `database` has the shape that `migrations` lead to.
    package static func check(_ migrations: [Migration], of database: Database) throws(LibraryError) {
        guard try owner(of: database) == applicationID else { throw .missing(path: database.path) }
        let applied = try applied(to: database, known: migrations)
        guard migrations.allSatisfy({ applied.contains($0.name) }) else { throw .older(path: database.path) }
    }

    /// Throws where `database` has a step that is not among `migrations`.
    package static func checkKnown(_ migrations: [Migration], in database: Database) throws(LibraryError) {
        _ = try applied(to: database, known: migrations)
    }

    /// Whether there is anything that `apply` would do to a catalogue with something in it.
    package static func isDue(_ migrations: [Migration], in database: Database) throws(LibraryError) -> Bool {
        guard try owner(of: database) == applicationID else { return false }
        let applied = try applied(to: database, known: migrations)
        return !applied.isEmpty && migrations.contains { !applied.contains($0.name) }
    }

    private static func applied(to database: Database, known: [Migration]) throws(LibraryError) -> Set<String> {
        let names = try database.rows("SELECT name FROM migrations ORDER BY name") { $0.text(0) }
        if let unknown = names.first(where: { name in !known.contains { $0.name == name } }) {
            throw .newer(path: database.path, migration: unknown)
        }
        return Set(names)
    }

    /// The application that the file says it belongs to, ours or, when it is empty, nobody's.
    package static func owner(of database: Database) throws(LibraryError) -> Int {
        let owner = try database.row("PRAGMA application_id") { $0.integer(0) } ?? 0
        if owner == applicationID { return owner }
        let isEmpty = try database.row("SELECT count(*) = 0 FROM sqlite_schema") { $0.integer(0) != 0 } ?? true
        guard owner == 0, isEmpty else { throw .foreign(path: database.path) }
        return owner
    }
}

extension String {
    /// Without the newline at its end.
    fileprivate var trimmingNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
