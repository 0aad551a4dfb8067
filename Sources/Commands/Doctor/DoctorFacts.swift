import Catalogue
import Agent
import Library
import Model
import Platform

/// What the doctor looked at, gathered before anything is judged.
struct DoctorFacts: Sendable {
    /// The access token, as far as this machine knows it.
    enum Token: Hashable, Sendable {
        case notConfigured
        case unreadable(String)
        case readable
    }

    /// What came of asking the service who we are.
    enum Service: Hashable, Sendable {
        case notAsked
        case unreachable(String)
        /// `ahead` is how far our clock is ahead of the service's, where it told its time.
        case answered(status: Int, ahead: Duration?)
    }

    /// One of our folders, or the nearest one above it that is there.
    struct FolderState: Hashable, Sendable {
        var name: String
        var path: String
        /// Equal to `path` when the folder is there.
        var nearest: String
        var isOwn: Bool
        var isWritable: Bool
        /// Whether nobody can write there, since the disk cannot be written.
        var isOnReadOnlyDisk = false
        /// The permission bits.
        var mode: UInt32

        var isThere: Bool { nearest == path }
    }

    /// The file system that a folder is on.
    struct Disk: Hashable, Sendable {
        var name: String
        var path: String
        var free: ByteCount
    }

    /// Whether the page renderer starts.
    enum Renderer: Hashable, Sendable {
        /// `gaps` is what is missing of the sandbox that it draws in, a sentence each.
        case works(tag: String, gaps: [String])
        case fails(String)
    }

    /// Who works on the library.
    enum Lock: Hashable, Sendable {
        case free
        case held(by: Int32?)
    }

    var token = Token.notConfigured
    var service = Service.notAsked
    var folders: [FolderState] = []
    var disks: [Disk] = []
    /// By the name of the program or library.
    var versions: [(name: String, version: String)] = []
    var renderer = Renderer.fails("not looked at")
    var hasBaseFonts = false
    var hasAsianFonts = false
    var hasPopplerData = false
    /// Limits of the kernel by their names in /proc/sys/fs/inotify; what cannot be read is missing.
    var inotify: [String: Int] = [:]
    /// Whether anybody tells when memory is short.
    var memoryPressure = MemoryPressure.State.off(reason: "not looked at")
    var lock = Lock.free
    /// How the running agent's watching stands, if one runs and tells it.
    var watching: AgentReport.Watching?
    /// What programs of the user's saved over charts.
    var saved = SavedCharts()
    /// The catalogue; or why it cannot be looked at.
    var catalogue: Result<CatalogueState, LibraryError> = .success(CatalogueState(condition: .missing))
}
