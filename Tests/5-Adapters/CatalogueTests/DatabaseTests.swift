import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Catalogue

@Suite(.timeLimit(.minutes(5)))
struct DatabaseTests {
    private let home = TemporaryFolder()

    private func open() throws -> Database {
        let database = try Database(path: home.path("a.sqlite"), access: .readWrite)
        try database.script("CREATE TABLE IF NOT EXISTS t (a ANY, b ANY) STRICT")
        return database
    }

    @Test(arguments: ["", "plain", "a\0b", "né 🎵", "'; DROP TABLE t; --"])
    func textComesBackAsItWent(text: String) throws {
        let database = try open()
        try database.run("INSERT INTO t VALUES (?, ?)", [.text(text), .null])
        #expect(try database.rows("SELECT a, b FROM t") { $0.text(0) } == [text])
        #expect(try database.rows("SELECT b FROM t") { $0.optionalText(0) } == [nil])
        // An empty text is not NULL.
        #expect(try database.rows("SELECT a FROM t") { $0.isNull(0) } == [false])
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max]) func numbersComeBackAsTheyWent(number: Int) throws {
        let database = try open()
        try database.run("INSERT INTO t VALUES (?, ?)", [.integer(number), .time(Timestamp(nanoseconds: Int64(number)))])
        #expect(try database.rows("SELECT a, b FROM t") { $0.integer(0) } == [number])
        #expect(try database.rows("SELECT b FROM t") { $0.time(0) } == [Timestamp(nanoseconds: Int64(number))])
    }

    /// SQLite would wait forever for a pipe to be opened.
    @Test(arguments: ["", "-wal", "-journal", "-shm"]) func aPipeInPlaceOfOneOfItsFilesIsReportedAndNotWaitedFor(ending: String) throws {
        try open().close()
        let pipe = home.path("a.sqlite" + ending)
        unlink(pipe)
        #expect(mkfifo(pipe, 0o600) == 0)
        let ends = try Descriptor.open(pipe, O_RDWR)
        for access in [Database.Access.readOnly, .readWrite] {
            let error = #expect(throws: LibraryError.self) { try Database(path: home.path("a.sqlite"), access: access) }
            #expect(error?.description == "cannot read \(pipe): it is a pipe, not a file; move it away")
        }
        if ending.isEmpty { #expect(throws: LibraryError.self) { try CatalogueCondition.of(pipe) } }
        _ = ends
    }

    @Test func errorsCarryThePathAndSQLitesMessage() throws {
        let error = #expect(throws: LibraryError.self) { try open().run("SELECT * FROM nowhere") }
        #expect(error?.description.contains("no such table: nowhere") == true)
        #expect(error?.description.contains(home.path("a.sqlite")) == true)
    }

    @Test func aTransactionThatThrowsLeavesNothing() throws {
        let database = try open()
        #expect(throws: LibraryError.closed) {
            try database.write { () throws(LibraryError) in
                try database.run("INSERT INTO t VALUES (1, 2)")
                throw LibraryError.closed
            }
        }
        #expect(try database.rows("SELECT a FROM t") { $0.integer(0) } == [])
        try database.write { () throws(LibraryError) in try database.run("INSERT INTO t VALUES (3, 4)") }
        #expect(try database.rows("SELECT a FROM t") { $0.integer(0) } == [3])
    }

    @Test func aSecondWriterGetsAnErrorThatTheCatalogueIsBusy() throws {
        let first = try open()
        let second = try open()
        #expect(throws: LibraryError.busy(path: home.path("a.sqlite"))) {
            try first.write { () throws(LibraryError) in
                try second.run("PRAGMA busy_timeout = 0")
                try second.run("INSERT INTO t VALUES (1, 2)")
            }
        }
    }

    @Test func aFullDatabaseIsReportedAsAFullDisk() throws {
        let database = try open()
        try database.run("PRAGMA max_page_count = 3")
        let error = #expect(throws: LibraryError.self) {
            try database.run("INSERT INTO t VALUES (?, 0)", [.text(String(repeating: "x", count: 100_000))])
        }
        guard case .system(let system) = error else { Issue.record("\(String(describing: error))"); return }
        #expect(system.isDiskFull)
        #expect(error?.description.contains("free some space") == true)
    }

    @Test func aFullDiskIsKnownUntilSomethingIsWritten() throws {
        let database = try open()
        func write(_ bytes: Int) throws(LibraryError) {
            try database.write { () throws(LibraryError) in
                try database.run("INSERT INTO t VALUES (?, 0)", [.text(String(repeating: "x", count: bytes))])
            }
        }
        try database.run("PRAGMA max_page_count = 3")
        #expect(throws: LibraryError.self) { try write(100_000) }
        #expect(database.fullDisk?.isDiskFull == true)
        try database.write { () throws(LibraryError) in }
        #expect(database.fullDisk != nil, "nothing was to be written")
        try database.run("PRAGMA max_page_count = 1000")
        try write(100_000)
        #expect(database.fullDisk == nil)
    }

    @Test func aFolderThatCannotBeWrittenIsNamed() throws {
        let error = #expect(throws: LibraryError.self) {
            try Database(path: home.path("nowhere/a.sqlite"), access: .readWrite)
        }
        #expect(error?.description.contains(home.path("nowhere/a.sqlite")) == true)
    }
}
