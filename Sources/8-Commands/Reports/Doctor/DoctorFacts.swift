package import Agent
package import Catalogue
import Library
package import Model
package import Platform

/// What the doctor found, gathered before anything is judged.
package struct DoctorFacts: Sendable {
    /// What this machine knows about the access token.
    package enum Token: Hashable, Sendable {
        case notConfigured
        /// The home of a demo, whose stand-in brings its own.
        case ofDemo
        case unreadable(String)
        case readable
        /// With a browser instead of with a token of one's own.
        case signedIn
        case signedOut(String)
        /// Only the agent's service has this credential; with what the agent says of its polls, if one runs.
        case ofService(String, AgentReport.Polls?)
    }

    /// What the service answered when asked who we are.
    package enum Service: Hashable, Sendable {
        case notAsked
        case unreachable(String)
        /// What answered is not the service, or does not prove to be.
        case notTheService(String)
        /// `ahead` is how far our clock is ahead of the service's, if the service gave its time.
        case answered(status: Int, ahead: Duration?)
    }

    /// One of our folders, or the nearest folder above it that exists.
    package struct FolderState: Hashable, Sendable {
        package var name: String
        package var path: String
        /// Equal to `path` if the folder exists.
        package var nearest: String
        var isOwn: Bool
        var isWritable: Bool
        /// Whether nobody can write there because the disk is read-only.
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

    /// What shows that a program keeps the data folder the same as another machine's.
    package struct SyncTools: Sendable {
        /// Copies that it made of the catalogue, because it was written in two places.
        package var copies: [String] = []
        /// The folder that it synchronises, and the name in it that shows that.
        package var folder: (path: String, mark: String)?
    }

    /// Whether the page renderer starts.
    package enum Renderer: Hashable, Sendable {
        /// `gaps` is what its sandbox lacks, a sentence each.
        case works(tag: String, gaps: [String])
        case fails(String)
    }

    /// Who is using the library.
    package enum Lock: Hashable, Sendable {
        case free
        case held(by: Int32?)
    }

    package var token = Token.notConfigured
    package var service = Service.notAsked
    /// Where the service has no marks of others, as a running agent found.
    package var noMarksAt: String?
    /// The proxy that the service is asked through, in words.
    package var proxy: String?
    package var folders: [FolderState] = []
    package var syncTools = SyncTools()
    package var disks: [Disk] = []
    /// By the name of the program or library.
    package var versions: [(name: String, version: String)] = []
    package var renderer = Renderer.fails("not checked")
    package var hasBaseFonts = false
    package var hasAsianFonts = false
    package var hasPopplerData = false
    /// The kernel's limits by their names in /proc/sys/fs/inotify, without those that cannot be read.
    package var inotify: [String: Int] = [:]
    /// Whether we are told when memory is short.
    package var memoryPressure = MemoryPressure.State.off(reason: "not checked")
    package var lock = Lock.free
    /// The state of the running agent's watching, if an agent runs and reports it.
    package var watching: AgentReport.Watching?
    /// What the user's programs saved over charts.
    package var saved = SavedCharts()
    /// The catalogue, or why it cannot be checked.
    package var catalogue: Result<CatalogueState, LibraryError> = .success(CatalogueState(condition: .missing))

    package init() {}
}
