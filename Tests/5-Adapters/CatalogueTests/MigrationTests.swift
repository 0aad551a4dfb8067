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

    @Test func everyEarlierStateOfTheCatalogueLeadsToItsPresentShape() throws {
        let fresh = try open("fresh.sqlite")
        try Migration.apply(Migration.all, to: fresh)
        for count in Migration.all.indices {
            let database = try open("from-\(count).sqlite")
            try Migration.apply(Array(Migration.all.prefix(count)), to: database)
            try Migration.apply(Migration.all, to: database)
            #expect(try shape(database) == shape(fresh))
        }
        #expect(Set(Migration.all.map(\.name)).count == Migration.all.count)
    }

    /// A released step that changes would leave two shapes under one name; a new shape is a new step.
    @Test func releasedStepsAreNotEdited() {
        let released = [
            "1 plans, charts and layers": "334ca4c39059e50c057115199a2bc1a2",
            "2 changes, guards and links": "18afdde3b15db576d28cbcdc304e0bf0",
            "4 former charts and marked links": "b7d73fe8b229a76a7ad0461c27a91b40",
            "3 page orders": "276d980e077a19da6ff7f6a45533f2e0",
            "5 fonts and render faults": "ff9206cc054a32c63a43fb321d90e3c7",
            "6 image records, cache tally and pins": "61e72b02b89316ca23d9cad63070ad2a",
            "7 local files, hidden layers and older marks": "ba64dc2a7b70b4897df0aedff830dd3a",
            "8 page comparisons": "e8c5fcb02db4b14fcd34823045463b63",
            "9 origins of images": "8939e76ca0af685fce6c182ba2b5472a",
            "10 versions of marks and drawn pages": "28e7b837a9fc9fc97247fd983a362bc1",
            "11 former files with all that is known of them": "cc5dfe8009a073131b026cb3aea242d5",
            "12 plans seen and details of items": "4453356011c62a4023318d769b6c6650",
            "13 last pages of marks": "37f97a69849363aa7ed6ee585e513ab1",
            "14 charts let go": "427309896f9e9fb2cf5a25c449a00caa",
            "15 changes of marked files": "6adce0a2f17fe2bbf8b42e4d55590254",
            "16 answers of the service": "e845e53cd764f9e17adefd130e1f684b",
            "17 charts by their use": "b37691d55f7ab589c85ee169e839998a",
            "18 doubts about plans": "ee50bf48d728796e9bd5e9baec645845",
            "19 doubts about layers": "93ffc7f8456e364b8364d3908745e97e",
            "20 sheets of marks": "55cbf6bc70accc7bc240abc20e18b483",
            "21 readings of charts": "091f3e1eebd5da42e55ee50f5ad7f814",
            "22 service times": "8c4216df45c06968609c75e06e5a4c7f",
            "23 copies of marked files": "9c5bcc8e30cd2a3452e680ea9f48c466",
            "24 download faults": "b60e31da124b9c844e31d06fdc5319b5",
            "25 choices of charts": "b208ff5e8ae9294d8d4748b5d41ffacd",
            "26 marked files that are away": "72ed4500cf160e4d2e349fcd93ed119c",
            "27 times of download faults": "bdb4fc678614bb57262e699abf4de3f8",
            "28 settings the service was asked with": "0fab1f73be3b6924efcae77315ba74df",
            "29 lost content of pages": "dbda13ba496b8e53c006535d60d451ca",
            "30 looks through charts": "10f4bfc69818c961113f45a14ddb2a1f",
            "31 refused versions of charts": "7507e784653925e73803e61e2cce0331",
            "32 marks left behind": "dd2cbac0a8c652285580812ec63c5e70",
            "33 plans that could not be read": "b15b5a3d34a614dae773c0af4027bbc7",
            "34 former marks of files": "5d74966cd6307e6fa9d1e255fcbd5652",
            "35 saves of marked files": "5cda5d64af7fdfa42780d5d0ee85ab02",
            "36 marked files that went back": "cd6634de41702f5c68920ce34cc4b229",
            "37 polls that failed": "aed56ea5b37db25fe0670f4c2693e069",
            "38 accepted doubts about layers": "cd94822eba5152adf6699af5d398942c",
            "39 the account": "7c96b9459d758aa5b66c83c0caf320f6",
            "40 ages that are sure": "728fef6d278a7614946db0c510f56186",
            "41 what was told": "061ddeaad540e232ccd3286050594f21",
        ]
        for migration in Migration.all {
            #expect(released[migration.name] == SHA256.digest(of: migration.sql).shortHex)
        }
    }

    /// Nobody has to go through every step to know how the catalogue is by now.
    @Test func theSchemaIsWhatTheStepsLeadTo() throws {
        let database = try open("catalogue.sqlite")
        try Migration.apply(Migration.all, to: database)
        let statements = try database.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name") {
            $0.text(0) + ";\n"
        }
        let made = statements.joined(separator: "\n")
        let written = try Repository.text("Sources/1-Embedded/CatalogueShape/schema.sql")
        let isSame = written.hasSuffix("\n\n" + made)
        if !isSame { Testing.Attachment.record(made, named: "schema.sql") }
        #expect(isSame, "write what the attachment has into schema.sql, below its first lines")
    }

    @Test func aNewCatalogueIsAsIfItHadGoneThroughEveryStep() throws {
        let (new, grown) = (try open("new.sqlite"), try open("grown.sqlite"))
        try Migration.applyAll(to: new)
        try Migration.apply(Migration.all, to: grown)
        #expect(try shape(new) == shape(grown))
        #expect(try rows(in: new) == rows(in: grown))
        #expect(try !Migration.isDue(Migration.all, in: new))
        try Migration.check(Migration.all, of: new)
    }

    /// How many rows each table has.
    private func rows(in database: Database) throws -> [String] {
        try database.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.text(0) }.map { table in
            "\(table): \(try database.row("SELECT count(*) FROM \"\(table)\"") { $0.integer(0) } ?? -1)"
        }
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
