import Glibc
import Model
public import Platform

/// What must survive: plans, the charts' bytes and the layers of marks that the service holds.
///
/// The catalogue is an SQLite file; the bytes lie beside it, in files named by their hash.
@LoopActor
public final class Library {
    /// Where everything of it is.
    public nonisolated let folder: String
    var database: Database
    /// Whether it was closed for good.
    var isEnded = false
    /// The last poll that this process made, which may be newer than the one on disk.
    var latestPoll: PollStamp?
    /// Which chart a file of marks is for, kept from save to save: it is made from every link and chart there is. Whatever
    /// changes attachments, their charts or links lets it go; only this process does, unless it only reads.
    var keptMarkFileIndex: MarkFileIndex?
    /// Whether another process may change what is here.
    let isForReading: Bool
    /// The end of the journal, kept from question to question.
    var journalTail = JournalTail()

    /// What is drawn on charts, as far as it was asked for and is not different since.
    var drawn: [AttachmentID: DrawnPages] = [:]
    /// The pages that layers have marks on, of those that were made on a former chart.
    var markedPages: [LayerID: (version: String, pages: Set<PageIndex>)] = [:]

    /// The sums of the marks that files draw, of those that share a chart.
    var knownSums: [String: (version: String, sums: [UInt64])] = [:]

    nonisolated var chartsFolder: String { folder + "/charts" }

    /// What became of the catalogue when it was opened, if it was not as it had been left.
    public private(set) var newsAtOpening: CatalogueNews?
    /// How much the database had changed when the catalogue was last numbered.
    var changesAtGeneration = 0
    /// Whether nothing that is written here is kept: the disk cannot be written.
    public let isOnlyInMemory: Bool
    /// What is known of a catalogue that was in use and is not in its place, while that cannot be mended.
    var displaced: DisplacedCatalogue?
    /// What was changed since the last backup, beside the time of polls; counted by the database.
    var backupState = BackupState()

    /// Opens the library in `folder` for reading and writing, and makes what is missing of it. A catalogue that cannot be used is set
    /// aside, and brought back from what lies beside it.
    ///
    /// One process at a time writes; who that is, is the caller's lock to say.
    public init(folder: String) throws(LibraryError) {
        self.folder = folder
        isForReading = false
        isOnlyInMemory = false
        do throws(SystemError) {
            try Folder.create(folder + "/charts")
            // SQLite would open the file all the same, and refuse the first change only.
            guard access(folder, W_OK) == 0 else { throw SystemError("write in", path: folder) }
        } catch {
            throw .system(error)
        }
        newsAtOpening = try CatalogueRecovery(in: folder).run()
        database = try Self.open(in: folder)
        if case .begunAnew(_, let charts, _) = newsAtOpening {
            try noteBegunAnew(charts: charts)
            try renewGeneration()
        } else if try judgeGeneration() {
            newsAtOpening = newsAtOpening ?? .replaced(backup: nil)
        }
        changesAtGeneration = database.totalChanges
        AtomicFile.removeAbandoned(in: folder + "/charts")
        AtomicFile.removeAbandoned(in: folder)
    }

    /// Opens the library in `folder` on a disk that cannot be written. What is written stays in memory, and is gone with this object.
    public init(inMemoryFrom folder: String) throws(LibraryError) {
        self.folder = folder
        isForReading = false
        isOnlyInMemory = true
        let recovery = CatalogueRecovery(in: folder)
        let (path, news) = try recovery.whatToRead()
        newsAtOpening = news
        database = try Database(path: recovery.path, access: .inMemory)
        let stored = try Database(path: path, access: .readOnly)
        defer { stored.close() }
        try stored.copy(into: database)
        try database.run("PRAGMA foreign_keys = ON")
        try Migration.apply(Migration.all, to: database)
    }

    /// Opens the library in `folder` for reading only, also beside the process that writes it.
    public init(readingFrom folder: String) throws(LibraryError) {
        self.folder = folder
        isForReading = true
        isOnlyInMemory = false
        newsAtOpening = nil
        database = try Self.openToRead(in: folder)
    }

    /// Opens the catalogue, which is whole or missing, for writing.
    nonisolated static func open(in folder: String) throws(LibraryError) -> Database {
        let database = try Database(path: cataloguePath(in: folder), access: .readWrite)
        // Deletions of what is still in use are refused from the first statement on.
        try database.run("PRAGMA foreign_keys = ON")
        // FULL: a commit is on the disk when it returns, power cut or not. It costs one fsync a commit, and there are
        // commits only when something changed, beside downloads that are synced anyway.
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA trusted_schema = OFF")
        if try Migration.isDue(Migration.all, in: database) {
            // Should that fail, the steps themselves are all done or not at all.
            _ = try? CatalogueBackups(of: folder).make(of: database, at: CatalogueBackups.systemTime)
        }
        try Migration.apply(Migration.all, to: database)
        // Readers beside us neither wait nor make us wait. It stays in the file, so it comes after the check that the file is ours.
        try database.run("PRAGMA journal_mode = WAL")
        try database.noteFiles()
        return database
    }

    nonisolated static func openToRead(in folder: String) throws(LibraryError) -> Database {
        let path = cataloguePath(in: folder)
        do throws(LibraryError) {
            try checkIsThere(path)
            let database = try Database(path: path, access: .readOnly)
            try Migration.check(Migration.all, of: database)
            try database.noteFiles()
            return database
        } catch {
            // That there is none is one thing where nothing was ever here, and another beside charts.
            switch error {
            case .missing, .foreign, .damaged: throw try CatalogueRecovery(in: folder).loss() ?? error
            default: throw error
            }
        }
    }

    /// Runs `body` so that all it asks is answered from one state. Whoever asks much asks so: each answer by itself would lock the
    /// file.
    public func asOneState<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        try database.read(body)
    }

    /// Ends the use of the library; every later call fails.
    public func close() {
        // Without it, only an older copy of what was just done would pass for it.
        if !isEnded, !database.isClosed, database.totalChanges > changesAtGeneration { try? renewGeneration() }
        isEnded = true
        database.close()
    }

    /// Where its catalogue is.
    public nonisolated var cataloguePath: String { Self.cataloguePath(in: folder) }

    nonisolated static func cataloguePath(in folder: String) -> String { folder + "/catalogue.sqlite" }
}
