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

/// A library, a cache and a folder with files of marks, and the agents that are started on them.
@LoopActor
struct WatchedHome {
    let folder: String
    let clock = SystemClock()

    /// Where the files of marks are.
    nonisolated var music: String { folder + "/music" }

    nonisolated init(folder: String) {
        self.folder = folder
    }

    /// An agent as the program has it, but for the folder of its charts; with marks only if it has something that tells of them.
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

    /// A watcher of what an agent watches.
    func events() -> TimedEvents {
        TimedEvents(FolderWatcher([.pageCache(folder + "/cache"), .marks(music, MarkRoots([music]))], clock: clock))
    }
}
