package import Agent
package import Catalogue
package import Library
package import Model
package import Platform

/// What the doctor found, gathered before anything is judged.
package struct DoctorFacts: Sendable {
    /// The access token, as far as this machine knows it.
    package enum Token: Hashable, Sendable {
        case notConfigured
        case unreadable(String)
        case readable
    }

    /// What came of asking the service who we are.
    package enum Service: Hashable, Sendable {
        case notAsked
        case unreachable(String)
        /// `ahead` is how far our clock is ahead of the service's, where it told its time.
        case answered(status: Int, ahead: Duration?)
    }

    /// One of our folders, or the nearest one above it that is there.
    package struct FolderState: Hashable, Sendable {
        package var name: String
        package var path: String
        /// Equal to `path` when the folder is there.
        package var nearest: String
        var isOwn: Bool
        var isWritable: Bool
        /// Whether nobody can write there, since the disk cannot be written.
        var isOnReadOnlyDisk = false
        /// The permission bits.
        package var mode: UInt32

        package var isThere: Bool { nearest == path }
    }

    /// The file system that a folder is on.
    package struct Disk: Hashable, Sendable {
        package var name: String
        package var path: String
        package var free: ByteCount
    }

    /// Whether the page renderer starts.
    package enum Renderer: Hashable, Sendable {
        /// `gaps` is what is missing of the sandbox that it draws in, a sentence each.
        case works(tag: String, gaps: [String])
        case fails(String)
    }

    /// Who works on the library.
    package enum Lock: Hashable, Sendable {
        case free
        case held(by: Int32?)
    }

    package var token = Token.notConfigured
    package var service = Service.notAsked
    package var folders: [FolderState] = []
    package var disks: [Disk] = []
    /// By the name of the program or library.
    package var versions: [(name: String, version: String)] = []
    package var renderer = Renderer.fails("not checked")
    package var hasBaseFonts = false
    package var hasAsianFonts = false
    package var hasPopplerData = false
    /// Limits of the kernel by their names in /proc/sys/fs/inotify; what cannot be read is missing.
    package var inotify: [String: Int] = [:]
    /// Whether anybody tells when memory is short.
    package var memoryPressure = MemoryPressure.State.off(reason: "not checked")
    package var lock = Lock.free
    /// How the running agent's watching stands, if one runs and tells it.
    package var watching: AgentReport.Watching?
    /// What programs of the user's saved over charts.
    package var saved = SavedCharts()
    /// The catalogue; or why it cannot be looked at.
    package var catalogue: Result<CatalogueState, LibraryError> = .success(CatalogueState(condition: .missing))

    package init() {}
}
