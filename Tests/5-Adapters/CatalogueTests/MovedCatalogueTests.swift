import Platform
import TestSupport
import Testing

@testable import Catalogue

/// What of a catalogue belongs to the folders and the disks in which its home was.
struct MovedCatalogueTests {
    private let home = TemporaryFolder()

    /// A catalogue with these rows, after it came from `/home/anna` to `/home/ben`.
    private func moved(_ rows: [String]) throws -> Database {
        let (former, path) = (home.path("former.sqlite"), home.path("catalogue.sqlite"))
        let database = try Database(path: former, access: .readWrite)
        try Migration.apply(Migration.all, to: database)
        for row in rows { try database.run("INSERT INTO \(row)") }
        database.close()
        let file = try TemporaryFile.create(inFolderOf: path)
        try AtomicFile.read(former, limit: 1 << 26).withUnsafeBytes { try file.write($0) }
        try MovedCatalogue.settle(file, folders: [("/home/anna", "/home/ben")])
        guard try file.publishWhereFree(as: path) else { throw SystemError("write", path: path) }
        return try Database(path: path, access: .readOnly)
    }

    /// A table that is not listed would keep the paths of the home of before.
    @Test func everyColumnWithPathsIsMoved() throws {
        let database = try Database(path: home.path("catalogue.sqlite"), access: .readWrite)
        try Migration.apply(Migration.all, to: database)
        let columns = try database.rows(
            """
            SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table' AND (columns.name LIKE '%path%' OR columns.name LIKE '%folder%' OR columns.name = 'target')
            """
        ) { $0.text(0) }
        let listed = Set(MovedCatalogue.paths.map { "\($0.0).\($0.1)" })
        #expect(columns.contains("sets.path"))
        #expect(Set(columns).subtracting(listed) == ["set_devices.path"], "its rows are removed, and nothing else is forgotten")
    }

    @Test func setsAreKnownByTheirNewPathsAndByNoNumberOfTheFormerDisk() throws {
        let database = try moved([
            "sets VALUES ('/home/anna/Sets/2026-11-29', 'set/2026-11-22', 7)",
            "set_devices VALUES ('/home/anna/Sets/2026-11-29', 3)", "sets VALUES ('/media/stick/2026-12-06', 'set/2026-12-06', 8)",
            "set_files VALUES ('/home/anna/Sets/2026-11-29/Grace.pdf', 3, 9, 10, 0, 0, 'ab')",
        ])
        #expect(
            try database.rows("SELECT path || ' ' || plan_id FROM sets ORDER BY path") { $0.text(0) } == [
                "/home/ben/Sets/2026-11-29 set/2026-11-22", "/media/stick/2026-12-06 set/2026-12-06",
            ])
        #expect(try database.rows("SELECT path FROM set_files") { $0.text(0) } == ["/home/ben/Sets/2026-11-29/Grace.pdf"])
        #expect(try database.rows("SELECT path FROM set_devices") { $0.text(0) } == [])
    }
}
