import Agent
import DemoService
import HTTPClient
import Library
import Marks
import PageCache
import PlanningCenter
import Platform
import Rendering
import Watching

/// A library, a cache and a folder of mark files, and the agents that are started on them.
@LoopActor
struct WatchedHome {
    let folder: String
    let clock = SystemClock()

    /// The folder of the mark files.
    nonisolated var music: String { folder + "/music" }

    nonisolated init(folder: String) {
        self.folder = folder
    }

    /// An agent like the program's, except for the folder of charts; it reads marks only if it has `events`.
    func agent(
        renderer: any PageRenderer, events: TimedEvents? = nil, service: (api: String, annotations: String)? = nil
    ) throws -> Agent {
        let library = try Library(folder: folder + "/data")
        let cache = try PageCache(folder: folder + "/cache")
        let account = Account(
            apiURL: service?.api ?? "http://127.0.0.1:9", annotationsURL: service?.annotations ?? "http://127.0.0.1:9",
            credentials: DemoService.token, userAgent: "woodshed-bench")
        let transport = CurlTransport(userAgent: "woodshed-bench", allowsInsecureLoopback: true, time: clock)
        return Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: renderer,
                service: PlanningCenterClient(account: account, transport: transport, time: clock, log: .silent), time: clock,
                log: .silent, fileEvents: events),
            settings: AgentSettings(marks: events == nil ? MarkSettings() : MarkSettings(roots: MarkRoots([music]))))
    }

    /// A watcher for everything that an agent watches.
    func events() -> TimedEvents {
        TimedEvents(FolderWatcher([.pageCache(folder + "/cache"), .marks(music, MarkRoots([music]))], clock: clock))
    }
}
