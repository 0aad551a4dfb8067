import Model
public import Platform

/// What must survive: plans, the charts' bytes and the layers of marks that the service holds.
///
/// The catalogue is an SQLite file; the bytes lie beside it, in files named by their hash.
@LoopActor
public final class Library {
    /// Where everything of it is.
    public nonisolated let folder: String
    let database: Database
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

    nonisolated var chartsFolder: String { folder + "/charts" }

    /// Opens the library in `folder` for reading and writing, and makes what is missing of it.
    ///
    /// One process at a time writes; who that is, is the caller's lock to say.
    public init(folder: String) throws(LibraryError) {
        self.folder = folder
        isForReading = false
        do throws(SystemError) {
            try Folder.create(folder + "/charts")
        } catch {
            throw .system(error)
        }
        database = try Database(path: Self.cataloguePath(in: folder), access: .readWrite)
        // Deletions of what is still in use are refused from the first statement on.
        try database.run("PRAGMA foreign_keys = ON")
        // FULL: a commit is on the disk when it returns, power cut or not. It costs one fsync a commit, and there are
        // commits only when something changed, beside downloads that are synced anyway.
        try database.run("PRAGMA synchronous = FULL")
        try database.run("PRAGMA trusted_schema = OFF")
        try Migration.apply(Migration.all, to: database)
        // Readers beside us neither wait nor make us wait. It stays in the file, so it comes after the check that the file is ours.
        try database.run("PRAGMA journal_mode = WAL")
        AtomicFile.removeAbandoned(in: folder + "/charts")
    }

    /// Opens the library in `folder` for reading only, also beside the process that writes it.
    public init(readingFrom folder: String) throws(LibraryError) {
        self.folder = folder
        isForReading = true
        let path = Self.cataloguePath(in: folder)
        try Self.checkIsThere(path)
        database = try Database(path: path, access: .readOnly)
        try Migration.check(Migration.all, of: database)
    }

    /// Runs `body` so that all it asks is answered from one state. Whoever asks much asks so: each answer by itself would lock the
    /// file.
    public func asOneState<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        try database.read(body)
    }

    /// Ends the use of the library; every later call fails.
    public func close() {
        database.close()
    }

    nonisolated static func cataloguePath(in folder: String) -> String { folder + "/catalogue.sqlite" }
}
