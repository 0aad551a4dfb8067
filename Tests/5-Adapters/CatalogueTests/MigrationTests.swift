import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue

@Suite(.onLoop)
struct MigrationTests {
    private let home = TemporaryFolder()
    private let steps = [
        Migration(name: "1 songs", sql: "CREATE TABLE songs (name TEXT) STRICT; INSERT INTO songs VALUES ('Amazing Grace');"),
        Migration(name: "2 keys", sql: "ALTER TABLE songs ADD COLUMN key TEXT NOT NULL DEFAULT 'C';"),
        Migration(name: "3 low keys", sql: "UPDATE songs SET key = 'Bb';"),
    ]

    private func open(_ name: String) throws -> Database {
        try Database(path: home.path(name), access: .readWrite)
    }

    private func shape(_ database: Database) throws -> [String] {
        try database.rows("SELECT name || coalesce(sql, '') FROM sqlite_schema ORDER BY name") { $0.text(0) }
    }

    @Test(arguments: 0...3) func everyEarlierStateLeadsToTheSame(applied: Int) throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply(Array(steps.prefix(applied)), to: database)
        try Migration.apply(steps, to: database)
        let songs = try database.rows("SELECT name, key FROM songs") { $0.text(0) + " in " + $0.text(1) }
        #expect(songs == ["Amazing Grace in Bb"])
        try Migration.check(steps, of: database)
    }

    /// If a step were changed under the same name, two different schemas would have one name.
    @Test func eachStepHasANameOfItsOwnForItsContents() {
        let known = [
            "schema 2": "199e7283a9f3dce17ebaee7e5b88be06", "parts of layers": "dba6eb4cde1b5addb4bd62a810264f24",
            "plans asked for alone": "cb55f9e957cd6364bf97a96f5b6fa511", "the band": "b331772c2cc316512fd7507cdd7a9d11",
            "words and chords": "8a4fb53105f235b66cd803319f1a0616", "keys of charts": "6740c3f0bddba31315ac84b11b96b8b9",
            "devices of the band": "0eb74ed1adefb6072375096d9f5c64cd", "facts of songs": "eb0a173cb0b299bdfe3c5b389f2ce8d6",
            "sets of one's own": "da9666653d74f6ae61378ecf0bb2353b", "sets in the band": "8db9df683ec7532f776c253d95df31b8",
            "disks of sets": "e3ad3006cee28554dd1dd2e2517a4263", "tonight's sets": "bcadd8b368e7e0d87d96e62972ca0fd8",
            "places in charts": "6f68b93c4221417a875e8987407295d7", "capos of items": "36118c2d5edbd52873a8c1c65ea6dcfb",
            "marks that followed": "92cb9d14771a3b1b5aaaf555dcd3a5b4",
        ]
        for step in Migration.all { #expect(known[step.name] == SHA256.digest(of: step.sql).shortHex, "\(step.name)") }
        #expect(Set(Migration.all.map(\.name)).count == Migration.all.count)
    }

    @Test func aNewCatalogueIsAsInTheSchema() throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply(Migration.all, to: database)
        let tables = try database.rows(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT IN ('migrations', 'sqlite_sequence')"
        ) { $0.text(0) + ";" }
        let names = [
            "schema", "parts", "asked", "band", "songs", "chart-keys", "band-devices", "song-facts", "sets", "band-sets", "set-devices",
            "tonight", "chart-places", "item-capos", "followed",
        ]
        let lines = try names.flatMap {
            try Repository.text("Sources/1-Embedded/CatalogueShape/\($0).sql").split(separator: "\n")
        }
        let written = lines.filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        #expect(Set(tables) == Set(written.statements))
        #expect(try !Migration.isDue(Migration.all, in: database))
        try Migration.check(Migration.all, of: database)
    }

    /// A catalogue from before the first release is not mistaken for a current one, and is not changed.
    @Test @LoopActor func aCatalogueOfBeforeTheFirstReleaseIsRefused() throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply([Migration(name: "1 plans, charts and layers", sql: "CREATE TABLE plans (id TEXT);")], to: database)
        database.close()
        let expected = LibraryError.newer(path: home.path("catalogue.sqlite"), migration: "1 plans, charts and layers")
        #expect(throws: expected) { try CatalogueFile.open(in: home.path) }
        #expect(throws: expected) { try CatalogueFile.openToRead(in: home.path) }
        #expect(expected.description.contains("before the first release"))
    }

    @Test func aNewerCatalogueIsRefusedAndNotTouched() throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply(steps, to: database)
        let changes = database.totalChanges
        let older = Array(steps.prefix(2))
        let expected = LibraryError.newer(path: database.path, migration: "3 low keys")
        #expect(throws: expected) { try Migration.apply(older, to: database) }
        #expect(throws: expected) { try Migration.check(older, of: database) }
        #expect(database.totalChanges == changes)
        #expect(expected.description.contains("newer woodshed"))
    }

    @Test func anOlderCatalogueIsNotReadOnly() throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply(Array(steps.prefix(2)), to: database)
        #expect(throws: LibraryError.older(path: database.path)) { try Migration.check(steps, of: database) }
    }

    @Test func aStepThatFailsLeavesEverythingAsItWas() throws {
        let database = try open("catalogue.sqlite")
        let broken = Migration(name: "2 broken", sql: "CREATE TABLE half (a TEXT); INSERT INTO nowhere VALUES (1);")
        #expect(throws: LibraryError.self) { try Migration.apply([steps[0], broken], to: database) }
        #expect(try shape(database) == [])
        try Migration.apply([steps[0]], to: database)
        #expect(throws: LibraryError.self) { try Migration.apply([steps[0], steps[1], broken], to: database) }
        #expect(try database.rows("SELECT name FROM migrations") { $0.text(0) } == ["1 songs"])
        try Migration.apply(steps, to: database)
    }

    @Test @LoopActor func aLibraryOfANewerProgramIsRefused() throws {
        let database = try open("catalogue.sqlite")
        let later = Migration(name: "999 holograms", sql: "CREATE TABLE holograms (a TEXT);")
        try Migration.apply(Migration.all + [later], to: database)
        database.close()
        let expected = LibraryError.newer(path: home.path("catalogue.sqlite"), migration: "999 holograms")
        #expect(throws: expected) { try CatalogueFile.open(in: home.path) }
        #expect(throws: expected) { try CatalogueFile.openToRead(in: home.path) }
    }
}

extension String {
    /// Splits SQL into statements, each with its final semicolon.
    fileprivate var statements: [String] {
        split(separator: "\n").reduce(into: [""]) { parts, line in
            parts[parts.count - 1] += (parts[parts.count - 1].isEmpty ? "" : "\n") + line
            if line.hasSuffix(";") { parts.append("") }
        }.filter { !$0.isEmpty }
    }
}
