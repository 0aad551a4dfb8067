package import Agent
import Catalogue
import ChartLinks
package import CommandLine
package import Configuration
package import Freshness
import Glibc
package import HTTPClient
package import Keeping
package import Library
import Marks
package import Model
package import PageCache
package import PlanningCenter
package import Platform
package import Rendering
package import Sync
import Watching

/// An agent with everything it works with, built from the configuration; it holds the locks of its library and its cache.
@LoopActor
package final class AgentAssembly {
    package let agent: Agent
    package let library: Library
    package let cache: PageCache
    private var libraryLock: AgentLock?
    private var cacheLock: AgentLock?
    private let transport: CurlTransport
    package let clock: any TimeKeeper
    package let log: Log
    private let keptAfter: Duration
    private let historyAge: Duration
    private let music: String
    private let watcher: FolderWatcher
    /// Folders that are watched for other reasons than marks.
    private let ownFolders: [String]
    /// The user's configuration, and the machine's.
    private let configurationWatches: [PathWatch]
    /// `nil` if the token is not in a file.
    private let tokenWatch: PathWatch?
    private let credentials: (any CredentialSource)?
    private let controlWatch: PathWatch
    /// The last warning about the control socket, until it can be opened; so that it is logged only once.
    private var controlTrouble: String?
    /// The warnings already logged about the user's files that are in the way of links, or were saved over charts.
    private var toldOfFiles: Set<String> = []
    private let pressure: MemoryPressure
    let telling: Telling
    package let runtime: String
    package let data: String
    /// Where other commands reach this agent once `beginControl` was called; routes may be added at any time.
    package let control: ControlDesk

    /// Takes the lock and opens everything; the service is not asked yet.
    ///
    /// If the library's disk cannot be written, an agent that only shows what is here may run all the same. `keepsAll` rules that out.
    package init(
        _ configuration: Configuration, account: Account, scope: SyncScope = .all, keepsAll: Bool = true, context: CommandContext,
        log: Log
    ) throws(CommandFailure) {
        let paths = configuration.paths
        clock = context.clock
        self.log = log
        keptAfter = configuration.options.plans.keptAfter
        historyAge = configuration.options.annotations.historyAge
        music = paths.music
        runtime = paths.runtime
        data = paths.data
        control = ControlDesk(log: log, time: context.clock)
        let stores = try Self.open(paths, keepsAll: keepsAll)
        (library, libraryLock, cache, cacheLock) = (stores.library, stores.libraryLock, stores.cache, stores.cacheLock)
        if let music = paths.chosenMusic, !library.isOnlyInMemory { Self.keep(music, log) }
        let marks = configuration.markSettings
        // Made before watching begins: a folder that appears later would count as news. If one cannot be made, the watcher says so.
        for folder in [paths.music, paths.data + "/annotations"] { try? Folder.create(folder) }
        credentials = account.credentialSource
        let tokenFile = SecretSource(configuration.options.account)?.file(configuration)
        let writtenFolders = Set([paths.configuration, paths.machine, tokenFile].compactMap { $0 }.map(Folder.parent(of:)))
        ownFolders = writtenFolders + [paths.runtime]
        watcher = FolderWatcher(
            [.pageCache(paths.cache)] + marks.roots.folders.map { .marks($0, marks.roots) }
                + writtenFolders.sorted().map { WatchedRoot($0, news: [.removals, .writes], depth: 0) }
                + [
                    WatchedRoot(paths.runtime, news: .removals, depth: 0),
                    WatchedRoot(paths.data, news: [.removals, .writes], depth: 0),
                ], clock: context.clock)
        let events = FileEventHub(watcher)
        configurationWatches = [paths.configuration, paths.machine].compactMap(\.self).map {
            PathWatch($0, for: .changes, in: events, clock: context.clock)
        }
        tokenWatch = tokenFile.map { PathWatch($0, for: .changes, in: events, clock: context.clock) }
        let socket = ControlDesk.socket(in: paths.runtime, library: paths.data)
        controlWatch = PathWatch(socket, for: .loss, in: events, clock: context.clock)
        pressure = MemoryPressure(
            watch: context.environment["MEMORY_PRESSURE_WATCH"], write: context.environment["MEMORY_PRESSURE_WRITE"])
        let options = configuration.options
        transport = options.transport(clock: context.clock)
        let client = PlanningCenterClient(
            account: account, choice: options.chartChoice, transport: transport, time: context.clock, log: log,
            answers: LibraryAnswers(library, log: log))
        agent = Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: WorkerPool(options.workers, clock: context.clock), service: client,
                time: context.clock, log: log, fileEvents: events),
            settings: AgentSettings(
                render: options.renderSettings, ahead: options.plans.ahead, scope: scope, marks: marks,
                cache: options.cacheSettings, memory: options.cache.memory, rhythm: options.rhythm, asked: options.asked))
        telling = Telling(agent, library, options.notifications, environment: context.environment, clock: context.clock, log: log)
        agent.askForLock { [weak self] in self?.holdsLock() ?? false }
        agent.noteOpening()
        if library.isOnlyInMemory {
            log.warning(library.fullDisk ?? "\(data) is read-only: what is here is shown, but nothing new is kept")
        }
    }

    private static func keep(_ music: MusicFolder, _ log: Log) {
        do {
            guard try music.keep() else { return }
            log.info("links to the charts are made in \(music.path), from now on; to have them elsewhere, set folders.music")
        } catch {
            log.warning("links to the charts are in \(music.path), and may be made elsewhere next time: \(error)")
        }
    }

    /// The library and the cache, with the locks that make this agent the only one to use them.
    private struct Stores {
        var library: Library
        var libraryLock: AgentLock?
        var cache: PageCache
        var cacheLock: AgentLock?
    }

    /// Opens library and cache; read-only if the disk cannot be written and `keepsAll` is false.
    private static func open(_ paths: Paths, keepsAll: Bool) throws(CommandFailure) -> Stores {
        do {
            let (library, libraryLock) = try openLibrary(paths, keepsAll: keepsAll)
            if !keepsAll, Folder.isOnReadOnlyDisk(paths.cache) {
                return Stores(library: library, libraryLock: libraryLock, cache: try PageCache(readingFrom: paths.cache))
            }
            try Folder.create(paths.cache)
            let cacheLock = try AgentLock.take(besideCache: paths.cache)
            let cache = try openCache(paths, keepsAll: keepsAll)
            return Stores(library: library, libraryLock: libraryLock, cache: cache, cacheLock: cacheLock)
        } catch let failure as AgentLock.Failure {
            guard case .system(let error) = failure else { throw CommandFailure(.locked, "\(failure)") }
            throw Self.failure(LibraryError.system(error), paths)
        } catch {
            throw Self.failure(error, paths)
        }
    }

    /// Opens the cache and clears it of what killed processes left.
    ///
    /// Only with the lock: a writer locks its file, but another process may have made one this moment and not locked it yet.
    private static func openCache(_ paths: Paths, keepsAll: Bool) throws(PageCacheError) -> PageCache {
        do throws(PageCacheError) {
            let cache = try PageCache(folder: paths.cache)
            try cache.removeAbandoned()
            return cache
        } catch {
            guard !keepsAll, case .system(let reason) = error, reason.isDiskFull else { throw error }
            return try PageCache(readingFrom: paths.cache)
        }
    }

    private static func openLibrary(_ paths: Paths, keepsAll: Bool) throws -> (Library, AgentLock?) {
        if !keepsAll, Folder.isOnReadOnlyDisk(paths.data) {
            let lock = try lockThatIsThere(paths.data)
            return (try Library(inMemoryFrom: paths.data), lock)
        }
        try Folder.create(paths.data)
        let lock = try AgentLock.take(in: paths.data)
        do throws(LibraryError) {
            return (try Library(folder: paths.data), lock)
        } catch {
            // If nothing is here to be shown, the full disk is what to say.
            guard !keepsAll, case .system(let reason) = error, reason.isDiskFull,
                let library = try? Library(inMemoryFrom: paths.data, because: reason)
            else { throw error }
            return (library, lock)
        }
    }

    /// How a command fails that needed to fetch and keep things. On a disk that cannot be written there may still be charts to play from.
    private static func failure(_ error: any Error, _ paths: Paths) -> CommandFailure {
        let isDiskFull = if case LibraryError.system(let error) = error { error.isDiskFull } else { false }
        guard isDiskFull || [paths.data, paths.cache].contains(where: Folder.isOnReadOnlyDisk),
            let library = try? Library(readingFrom: paths.data)
        else {
            return CommandFailure(.failed, "\(error)")
        }
        defer { library.close() }
        return CommandFailure((try? library.charts.count) ?? 0 > 0 ? .notReady : .failed, "\(error)")
    }

    /// The lock of a library whose folder cannot be written; `nil` if it has none.
    private static func lockThatIsThere(_ folder: String) throws(AgentLock.Failure) -> AgentLock? {
        do throws(AgentLock.Failure) {
            return try AgentLock.take(in: folder)
        } catch {
            guard case .system = error else { throw error }
            return nil
        }
    }

    /// An agent started in place of this one could keep what this one could not.
    var couldKeepMore: Bool { library.isOnlyInMemory && Folder.hasRoom(for: Self.roomToWrite, in: data) }

    /// More than opening a catalogue takes, so that the new agent does not end as the former one did.
    private static let roomToWrite = 16 << 20

    /// Returns whether the library is still ours. If the lock was removed, it is taken again, unless another agent was quicker.
    private func holdsLock() -> Bool {
        if library.isOnlyInMemory || libraryLock?.isAt(AgentLock.path(in: data)) == true { return true }
        guard let lock = try? AgentLock.take(in: data) else { return false }
        libraryLock = lock
        noteControl()
        return true
    }

    /// For an agent that keeps running: notices what others do to the cache, and frees memory when the machine is short of it.
    /// `onConfiguration` is called whenever the configuration file was written.
    package func beginUpkeep(onConfiguration: (@LoopActor () -> Void)? = nil) {
        // Made before it is watched: if it appeared later, that would be news, and all folders would be looked at again.
        try? Folder.create(runtime)
        let report = WatchReport(log: log)
        watcher.hear { report.tell($0) }
        agent.beginUpkeep()
        for watch in configurationWatches {
            watch.follow {
                onConfiguration?()
                return true
            }
        }
        tokenWatch?.follow { [agent, credentials] in
            if credentials?.hasNews ?? true { agent.takeNewToken() }
            return true
        }
        // The watcher's first state is reported only here.
        report.tell(watcher.state)
        pressure.start { [agent, log] in
            log.info("the system is short of memory: caches in memory are released")
            agent.easeMemory()
        }
        log.debug("memory: \(pressure.state)")
    }

    /// Lets this user's other commands reach this agent. If that fails, the agent works all the same.
    package func beginControl(complaints: @escaping @LoopActor () -> [String] = { [] }) {
        control.serve(agent, version: Release.version, complaints: complaints) { [watcher, ownFolders] in
            // A folder without a configuration file must not be reported as a missing folder of marks.
            AgentReport.Watching(watcher.state, without: ownFolders)
        }
        do {
            try control.open(in: runtime, library: data)
            noteControl()
        } catch {
            log.warning("\(error); other commands cannot reach this agent and read its files instead")
        }
        controlWatch.follow { [weak self] in self?.keepControl() ?? true }
    }

    /// Keeps the control socket open for as long as the agent runs. Returns whether that is settled for now.
    @discardableResult
    func keepControl() -> Bool {
        do {
            switch try control.keepOpen() {
            case .there: break
            case .openedAnew:
                log.info("the control socket was removed and has been opened again")
                noteControl()
            case .busy: return false
            }
            controlTrouble = nil
        } catch {
            let trouble = "\(error); other commands cannot reach this agent"
            if controlTrouble != trouble { log.warning(trouble) }
            controlTrouble = trouble
        }
        return true
    }

    /// Notes the socket in the lock, so that a command that gets no answer there still learns that an agent runs.
    private func noteControl() { libraryLock?.note(socket: ControlDesk.socket(in: runtime, library: data)) }

    /// Removes plans that are long past, and updates the folder of links for people. A failure here does the library no harm, so
    /// it is logged and tried again next time. `outcome` is that of the last poll.
    package func tidy(after outcome: PollOutcome) {
        // The catalogue on the disk would know nothing of links that are made now, or of files that are removed.
        guard !library.isOnlyInMemory else { return }
        do {
            _ = try library.prune(
                now: clock.timestamp, keptAfter: keptAfter, historyAge: historyAge, isTrusted: outcome.isTrusted)
            let links = try library.linkCharts(into: music)
            if !links.made.isEmpty || !links.retargeted.isEmpty { agent.noteLinks() }
            for failure in Set(links.failures.map { LibraryError.system($0).description }).sorted() { log.warning(failure) }
            tell(ofFiles: links.inTheWay, try library.charts.savedCharts())
            for path in links.kept { log.info("\(path) stays because a file of yours is beside it; its plan has moved or is over") }
        } catch {
            log.warning("\(error)")
        }
    }

    /// Warns of the user's files where links to charts belong, and of PDFs saved over charts; once each, as long as that lasts.
    private func tell(ofFiles inTheWay: [String], _ saved: SavedCharts) {
        let warnings =
            inTheWay.filter { !saved.inPlaceOfLinks.contains($0) }.map {
                "\($0) is a file of yours; the chart of that name gets no link until you move it"
            } + saved.news.map { "\($0.found); \($0.remedy)" }
        for warning in warnings where !toldOfFiles.contains(warning) { log.warning(warning) }
        toldOfFiles = Set(warnings)
    }

    /// Ends everything in order: cancels what runs, and leaves nothing half-done.
    package func stop() async {
        telling.end()
        control.close()
        transport.close()
        pressure.stop()
        await agent.stop()
        // A renderer of a process killed just before we began may have outlived it by a moment, with its file still locked.
        try? cache.removeAbandoned()
        // From here on another agent may take over.
        (libraryLock, cacheLock) = (nil, nil)
    }
}

extension Options {
    /// How pages look.
    package var renderSettings: RenderSettings {
        RenderSettings(fullSize: render.fullSize, thumbnailSize: render.thumbnailSize, paper: render.paper)
    }

    /// How often the service is asked.
    package var rhythm: PollRhythm { PollRhythm(near: polling.near, soon: polling.soon, far: polling.far) }

    /// How the renderer's processes run.
    package var workers: WorkerOptions {
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        return WorkerOptions(program: Self.programs.renderer, width: render.workers > 0 ? render.workers : max(cores, 1))
    }

    /// The network, as far as the configuration allows its use.
    @LoopActor
    package func transport(clock: any TimeKeeper) -> CurlTransport {
        CurlTransport(userAgent: Release.userAgent, allowsInsecureLoopback: account.allowHTTPLoopback, time: clock)
    }

    /// Our own program, and the renderer: in the same folder, or where packages put programs that are not typed.
    package static var programs: (program: String, renderer: String) {
        let own = ownProgram
        let beside = Folder.parent(of: own) + "/woodshed-render"
        let packaged = Folder.parent(of: Folder.parent(of: own)) + "/libexec/woodshed/woodshed-render"
        return (own, access(packaged, X_OK) == 0 ? packaged : beside)
    }

    private static var ownProgram: String {
        let path = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { text in
                count = text.baseAddress.map { max(readlink("/proc/self/exe", $0, text.count), 0) } ?? 0
            }
        }
        return String(decoding: path, as: UTF8.self)
    }
}

extension Account {
    /// The account of the configuration, with its token fetched from where it is kept.
    @LoopActor
    package init(_ configuration: Configuration, context: CommandContext) async throws(CommandFailure) {
        let options = configuration.options.account
        guard let source = SecretSource(options) else {
            throw CommandFailure(
                .configuration,
                """
                no access token is configured; to get one, \(SecretSource.steps) in \(configuration.paths.configuration)
                ('\(woodshed("config init"))' writes a configuration with every option explained; 'woodshed demo' works without an account)
                """)
        }
        let credentials = source.credentials(configuration, context)
        do {
            self.init(
                apiURL: options.apiURL, annotationsURL: options.annotationsURL, credentials: try await credentials.first(),
                personID: options.person, serviceTypes: options.serviceTypes.map { ServiceTypeID($0) }, userAgent: Release.userAgent)
            if source == .signIn { signInID = try SignIn(configuration, context: context).publicID() }
        } catch {
            throw CommandFailure(error as? SecretError ?? SecretError("no token: \(error)"))
        }
        credentialSource = credentials
    }
}
