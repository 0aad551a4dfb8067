import CatalogueShape

/// One step in the development of the catalogue's schema. A released step is never edited: every later change is a new step.
package struct Migration {
    package let name: String
    package let sql: String
    /// The table that the step adds, if it does nothing else. Such a step is recognised by its table and not recorded, so an older
    /// program without the step can still use the catalogue.
    package var adds: String?

    package init(name: String, sql: String, adds: String? = nil) { (self.name, self.sql, self.adds) = (name, sql, adds) }

    /// All steps, in order; the first is `CatalogueShape/schema.sql`.
    package static let all = UnsafeBufferPointer(start: woodshed_catalogue_steps(), count: catalogue_steps_count).map { step in
        Migration(
            name: String(cString: step.name),
            sql: String(decoding: UnsafeBufferPointer(start: step.bytes, count: step.length), as: UTF8.self),
            adds: step.adds.map { String(cString: $0) })
    }

    /// "WSHD": marks an SQLite file as a catalogue of this program.
    package static let applicationID = 0x5753_4844

    /// Brings `database` to the schema of `migrations`, completely or not at all: a program that is killed meanwhile leaves neither
    /// half a catalogue nor a catalogue that looks like an older program's.
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
                if migration.adds == nil { try database.run("INSERT INTO migrations (name) VALUES (?)", [.text(migration.name)]) }
            }
        }
    }

    /// Checks, without writing, that `database` has the schema of `migrations`.
    package static func check(_ migrations: [Migration], of database: Database) throws(LibraryError) {
        guard try owner(of: database) == applicationID else { throw .missing(path: database.path) }
        let applied = try applied(to: database, known: migrations)
        guard migrations.allSatisfy({ applied.contains($0.name) }) else { throw .older(path: database.path) }
    }

    /// Throws if `database` has a step that is not among `migrations`.
    package static func checkKnown(_ migrations: [Migration], in database: Database) throws(LibraryError) {
        _ = try applied(to: database, known: migrations)
    }

    /// Returns whether `apply` would change a catalogue that already has contents.
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
        let tables = Set(try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'") { $0.text(0) })
        return Set(names + known.filter { $0.adds.map(tables.contains) ?? false }.map(\.name))
    }

    /// The id of the application that owns the file: ours or, for an empty file, zero. Throws `foreign` for any other.
    package static func owner(of database: Database) throws(LibraryError) -> Int {
        let owner = try database.row("PRAGMA application_id") { $0.integer(0) } ?? 0
        if owner == applicationID { return owner }
        let isEmpty = try database.row("SELECT count(*) = 0 FROM sqlite_schema") { $0.integer(0) != 0 } ?? true
        guard owner == 0, isEmpty else { throw .foreign(path: database.path) }
        return owner
    }
}
