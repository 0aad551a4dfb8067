public import Catalogue
public import ChartFiles
import Glibc
public import Model
public import Platform

/// The error type of the library is that of its catalogue.
public typealias LibraryError = Catalogue.LibraryError

/// The base class of all stores; each store works on one kind of record in the open catalogue.
@LoopActor
public class Store {
    let catalogue: OpenCatalogue

    var database: Database { catalogue.database }

    init(_ catalogue: OpenCatalogue) { self.catalogue = catalogue }
}

/// All data that must survive: the plans, the charts' bytes and the layers of marks from the service.
///
/// The catalogue is an SQLite file; the bytes are next to it, in files named by their hash. Each kind of record has a store of its
/// own. All stores share one catalogue, which this class opens, watches and closes.
@LoopActor
public final class Library {
    public nonisolated let plans: PlanStore
    public nonisolated let songs: SongStore
    public nonisolated let journal: JournalStore
    public nonisolated let answers: StoredAnswers
    public nonisolated let service: ServiceRecord
    public nonisolated let notifications: NotificationStore
    public nonisolated let charts: ChartStore
    public nonisolated let images: ImageStore
    public nonisolated let links: LinkStore
    public nonisolated let matches: MatchStore
    public nonisolated let parts: PartStore
    public nonisolated let markFiles: MarkFileStore
    public nonisolated let layers: LayerStore
    public nonisolated let followed: FollowedMarkStore
    public nonisolated let drawings: DrawingStore
    public nonisolated let olderMarks: OlderMarkStore
    public nonisolated let band: BandStore
    public nonisolated let sets: SetStore

    let catalogue: OpenCatalogue
    /// `true` if the library was closed for good.
    var isEnded = false
    /// `true` if the catalogue was given up, and is only read until the library is closed.
    public internal(set) var isLeft = false
    /// When the service last answered this process completely, and the time stored on the disk, which may be earlier.
    var latestPoll: (time: Timestamp, written: Timestamp)?
    /// Set if the catalogue was not in the state in which it was left.
    public private(set) var newsAtOpening: CatalogueNews?
    /// The database's count of changes when the catalogue was opened, or last got a new generation number.
    var changesAtGeneration = 0
    /// `true` if the disk cannot be written to, so that all changes are lost when the process ends.
    public let isOnlyInMemory: Bool
    /// Why the catalogue is only read, if that is because its disk was full when it was opened.
    private var fullAtOpening: SystemError?
    /// A sentence for the user if the catalogue is only read because its disk is full, or if the last changes found no room there.
    public var fullDisk: String? { (fullAtOpening ?? database.fullDisk).map { Self.sentence(ofFullDisk: $0, folder) } }
    /// Counts the changes since the last backup, without those that do not justify one.
    var backupState = BackupState()
    /// `true` while a backup is being made.
    var isBackingUp = false

    private init(on catalogue: OpenCatalogue, isOnlyInMemory: Bool, news: CatalogueNews?) {
        self.catalogue = catalogue
        self.isOnlyInMemory = isOnlyInMemory
        newsAtOpening = news
        journal = JournalStore(catalogue)
        answers = StoredAnswers(catalogue)
        sets = SetStore(catalogue)
        service = ServiceRecord(catalogue)
        notifications = NotificationStore(catalogue)
        images = ImageStore(catalogue)
        links = LinkStore(catalogue)
        parts = PartStore(catalogue)
        followed = FollowedMarkStore(catalogue, parts: parts)
        charts = ChartStore(catalogue, journal: journal, followed: followed)
        matches = MatchStore(catalogue, charts: charts, links: links)
        songs = SongStore(catalogue)
        plans = PlanStore(catalogue, journal: journal, matches: matches, songs: songs)
        layers = LayerStore(catalogue, charts: charts, journal: journal, matches: matches, plans: plans)
        markFiles = MarkFileStore(catalogue, charts: charts, journal: journal, matches: matches, parts: parts, followed: followed)
        drawings = DrawingStore(
            catalogue, charts: charts, parts: parts, markFiles: markFiles, layers: layers, followed: followed)
        olderMarks = OlderMarkStore(catalogue, charts: charts, drawings: drawings, journal: journal, followed: followed)
        band = BandStore(catalogue, charts: charts, journal: journal, layers: layers, parts: parts, markFiles: markFiles)
    }

    /// Opens the library in `folder` for reading and writing, and creates any part of it that is missing. An unusable catalogue is
    /// set aside, and a new one is restored from the files next to it.
    ///
    /// Only one process may write at a time; the caller must hold the agent's lock.
    public convenience init(folder: String) throws(LibraryError) {
        do throws(SystemError) {
            try Folder.create(folder + "/charts")
            // SQLite would open a read-only file without an error, and fail only at the first change.
            guard access(folder, W_OK) == 0 else { throw SystemError("write in", path: folder) }
        } catch {
            throw .system(error)
        }
        let news = try CatalogueRecovery(in: folder).run()
        let database = try CatalogueFile.open(in: folder)
        self.init(on: OpenCatalogue(database, in: folder, isForReading: false), isOnlyInMemory: false, news: news)
        newsAtOpening = try judge(news)
        changesAtGeneration = database.totalChanges
        removeAbandoned()
    }

    /// Removes unfinished files that killed processes left behind. The caller must hold the agent's lock.
    public func removeAbandoned() {
        AtomicFile.removeAbandoned(in: catalogue.folder + "/charts")
        AtomicFile.removeAbandoned(in: catalogue.folder)
    }

    /// Opens the library in `folder` on a disk that cannot be written to. Changes stay in memory, and are lost with this object.
    /// `fullDisk` is the error if the disk is full.
    public convenience init(inMemoryFrom folder: String, because fullDisk: SystemError? = nil) throws(LibraryError) {
        let recovery = CatalogueRecovery(in: folder)
        let (path, news) = try recovery.whatToRead()
        let database = try Database(path: recovery.path, access: .inMemory)
        let stored = try Database(path: path, access: .readOnly)
        defer { stored.close() }
        try stored.copy(into: database)
        try database.run("PRAGMA foreign_keys = ON")
        try Migration.apply(Migration.all, to: database)
        self.init(on: OpenCatalogue(database, in: folder, isForReading: false), isOnlyInMemory: true, news: news)
        fullAtOpening = fullDisk ?? stored.fullDisk
    }

    /// Opens the library in `folder` for reading only, even while another process writes to it.
    public convenience init(readingFrom folder: String) throws(LibraryError) {
        let database = try CatalogueFile.openToRead(in: folder)
        self.init(on: OpenCatalogue(database, in: folder, isForReading: true), isOnlyInMemory: false, news: nil)
    }

    /// Makes one small change in the library of `folder`, completely or not at all, even while another process writes to it.
    ///
    /// Use it for changes whose order relative to the other process's changes does not matter. If there is no library, none is created.
    @discardableResult
    public static func change<Result>(
        in folder: String, _ body: (Library) throws(LibraryError) -> Result
    ) throws(LibraryError) -> Result {
        try Database.change(libraryAt: folder) { database throws(LibraryError) in
            try body(Library(on: OpenCatalogue(database, in: folder, isForReading: false), isOnlyInMemory: false, news: nil))
        }
    }

    private nonisolated static func sentence(ofFullDisk error: SystemError, _ folder: String) -> String {
        "the disk of \(folder) is full (\(String(cString: strerror(error.code)))): what is here is shown, "
            + "but no new chart, change or mark is kept; free some space"
    }

    /// The folder that holds the whole library.
    public nonisolated var folder: String { catalogue.folder }
    /// The path of the catalogue.
    public nonisolated var cataloguePath: String { CatalogueFile.path(in: folder) }

    package var database: Database { catalogue.database }
    var isForReading: Bool { catalogue.isForReading }

    /// Runs `body` so that all its queries see one state. Use it for many queries in a row, each of which would otherwise lock the
    /// file separately.
    public func asOneState<Result>(_ body: () throws(LibraryError) -> Result) throws(LibraryError) -> Result {
        try database.read(body)
    }

    public var isClosed: Bool { database.isClosed }

    /// Closes the library; every later call fails.
    public func close() {
        // If the number stayed the same, an older copy without the latest changes could be mistaken for this catalogue.
        if !isEnded, !database.isClosed, database.totalChanges > changesAtGeneration { try? renewGeneration() }
        let isAstray = !isForReading && !isOnlyInMemory && !isEnded && !isInPlace
        isEnded = true
        if isAstray { CatalogueRecovery(in: folder).close(database) } else { database.close() }
    }

    // MARK: - What several stores do together

    /// Accepts every open question about a plan: contents held back, a choice that leaves it without charts, marks left behind on a
    /// chart that the plan no longer shows, and others' marks that are older than before. Returns whether there was anything to accept.
    public func accept(plan: PlanID, at time: Timestamp) throws(LibraryError) -> Bool {
        try database.write { () throws(LibraryError) in
            var wasSomething = try plans.acceptHeldBack(of: plan, at: time)
            for chart in try plans.contents(of: plan)?.attachments ?? [] {
                if try layers.acceptPast(on: chart.id) { wasSomething = true }
            }
            let leftMarks = try drawings.acceptMarksLeftBehind(of: plan)
            return try plans.acceptChoice(of: plan) || wasSomething || leftMarks
        }
    }

    /// Accepts every open question about a chart: marks made on other bytes, marks that vanished, others' marks that are older
    /// than before, and content missing from its pages or from a newer version that was refused. Returns what was accepted.
    @discardableResult
    public func accept(chart attachment: AttachmentID) throws(LibraryError) -> AcceptedOfChart {
        try database.write { () throws(LibraryError) in
            var accepted: AcceptedOfChart = []
            if try olderMarks.acceptMarks(on: attachment) { accepted.insert(.marks) }
            if try images.acceptLostContent(of: attachment) { accepted.insert(.pages) }
            if try charts.acceptRefusedVersions(of: attachment) { accepted.insert(.newerVersion) }
            if try markFiles.acceptVanishedMarks(of: attachment) { accepted.insert(.vanishedMarks) }
            if try layers.acceptPast(on: attachment) { accepted.insert(.olderMarks) }
            return accepted
        }
    }

    /// Brings the links in `root`, the folder that people open, up to date for all charts of all stored plans.
    public func linkCharts(into root: String) throws(LibraryError) -> LinkOutcome {
        try links.link(try plans.all(), into: root, named: try matches.pathsNamedByLocalFiles())
    }

    /// The version of SQLite that the catalogue uses.
    public nonisolated static var databaseVersion: String { Database.version }
}

extension Library {
    /// How old the stored time of the last poll may get: polls without a change should not wake the disk.
    static var pollStampInterval: Duration { .seconds(3600) }

    /// Stores the time of a complete poll. The time is written to the disk at most once an hour, unless `now` is set, the time on
    /// the disk is in the future, or an incomplete poll has sent some plans.
    public func recordPoll(at time: Timestamp, now: Bool = false) throws(LibraryError) {
        let written = if let latestPoll { latestPoll.written } else { try storedPoll() }
        if let written, !now, try service.askedPlans.isEmpty {
            // A stored time in the future was written by a wrong clock, and is replaced.
            let age = time - written
            if age >= .zero && age < Self.pollStampInterval { return latestPoll = (time, written) }
        }
        try unchanged { () throws(LibraryError) in
            try database.set(.poll, to: time)
            try database.run("DELETE FROM asked_plans")
            // The service has now sent everything that is later than the backup in use.
            try database.endDoubt(at: time)
        }
        try renewGeneration()
        latestPoll = (time, time)
    }

    /// Stores for the next process when the service last answered completely, unless the stored time is up to date.
    public func keepLastPoll() throws(LibraryError) {
        guard let latestPoll, latestPoll.time > latestPoll.written else { return }
        try recordPoll(at: latestPoll.time, now: true)
    }

    /// When the service last answered completely; up to an hour too early if it answered another process.
    public var lastPoll: Timestamp? {
        get throws(LibraryError) { if let latestPoll { latestPoll.time } else { try storedPoll() } }
    }

    func storedPoll() throws(LibraryError) -> Timestamp? { try database.time(.poll) }
}
