package import Agent
import BandStorage
package import Catalogue
import ChartFiles
package import CommandLine
package import Configuration
import Glibc
import HTTPClient
package import ImageKeeping
package import Library
import Marks
import Model
package import PageCache
package import PlanningCenter
package import Platform
import Rendering
import Sync
import Watching

/// An agent and all its parts, built from the configuration. It holds the locks of its library and its cache.
@LoopActor
package final class AgentAssembly {
    package let agent: Agent
    package let library: Library
    package let cache: PageCache
    private var stores: Stores
    private let transport: CurlTransport
    package let clock: any TimeKeeper
    package let log: Log
    private let watcher: FolderWatcher
    /// The folders of the configuration, the tokens, the control socket and the sets. They are watched, too, but have no marks.
    private let ownFolders: [String]
    /// Watches the configuration files of the user and the machine, and the files with tokens for browsers.
    private let configurationWatches: [PathWatch]
    /// Nil if the token does not come from a file.
    private let tokenWatch: PathWatch?
    private let credentials: (any CredentialSource)?
    private let controlWatch: PathWatch
    /// The last warning about the control socket; nil once the socket can be opened. A repeated warning is logged only once.
    private var controlTrouble: String?
    private let pressure: MemoryPressure
    let notifying: Notifying
    /// Whether and how the agent has ended. Once set, this does not change.
    private var end = End.none
    private enum End {
        case none, done
        /// Another agent may take over, although part of this one has not ended.
        case left
    }
    package let runtime: String
    package let data: String
    /// The layers that the musician draws in browsers.
    let ownLayers: OwnLayers
    /// Receives the requests of other commands once `beginControl` was called. Routes may be added at any time.
    package let control: ControlDesk

    /// Takes the locks and opens everything, without contacting the service.
    ///
    /// If the library's disk cannot be written, the agent only shows the existing charts. With `keepsAll`, this is an error instead.
    package init(
        _ configuration: Configuration, account: Account?, scope: SyncScope = .all, keepsAll: Bool = true, context: CommandContext,
        log: Log
    ) throws(CommandFailure) {
        let paths = configuration.paths
        clock = context.clock
        self.log = log
        onLeft = { error in log.error("\(error)") }
        runtime = paths.runtime
        data = paths.data
        control = ControlDesk(log: log, time: context.clock)
        do {
            stores = try Stores(paths, keepsAll: keepsAll)
        } catch {
            throw CommandFailure(opening: paths, error)
        }
        (library, cache) = (stores.library, stores.cache)
        if !library.isOnlyInMemory {
            if let music = paths.chosenMusic { Self.keep(music, log) }
            Self.keep(configuration, log)
        }
        let roots = configuration.markSettings.roots
        ownLayers = configuration.ownLayers
        // Create these folders before watching begins, since a folder that appears later counts as a change. The watcher reports failures.
        for folder in [paths.music, paths.data + "/annotations"] where !roots.isSilent(folder) { try? Folder.create(folder) }
        credentials = account?.credentialSource
        let tokenFile = SecretSource(configuration.options.account)?.file(configuration)
        let viewer = configuration.options.viewer
        let written = [paths.configuration, paths.machine, viewer.tokenFile, viewer.guestTokenFile].compactMap(\.self)
        let writtenFolders = Set((written + [tokenFile].compactMap(\.self)).map(Folder.parent(of:)))
        ownFolders = writtenFolders + [paths.runtime] + configuration.options.plans.folders
        let bandFolders = [configuration.options.band.place].compactMap(\.self).filter { !StorageAddress.isOne($0) }
        watcher = FolderWatcher(
            [.pageCache(paths.cache)]
                // Before the same folders as those of marks: of two roots, the later one keeps the listing.
                + configuration.options.plans.folders.map { WatchedRoot($0, news: [.removals, .writes, .links], depth: 8) }
                + roots.folders.map { .marks($0, roots) }
                + writtenFolders.sorted().map { WatchedRoot($0, news: [.removals, .writes], depth: 0) }
                + [
                    WatchedRoot(paths.runtime, news: .removals, depth: 0),
                    WatchedRoot(paths.data, news: [.removals, .writes], depth: 0),
                ] + bandFolders.map { .band($0) },
            clock: context.clock)
        let events = FileEventHub(watcher)
        configurationWatches = written.map { PathWatch($0, for: .changes, in: events, clock: context.clock) }
        tokenWatch = tokenFile.map { PathWatch($0, for: .changes, in: events, clock: context.clock) }
        let socket = ControlDesk.socket(in: paths.runtime, library: paths.data)
        controlWatch = PathWatch(socket, for: .loss, in: events, clock: context.clock)
        pressure = MemoryPressure(
            watch: context.environment["MEMORY_PRESSURE_WATCH"], write: context.environment["MEMORY_PRESSURE_WRITE"])
        let options = configuration.options
        transport = options.transport(clock: context.clock)
        let client = account.map { [transport, library] account in
            PlanningCenterClient(
                account: account, choice: options.chartChoice, transport: transport, time: context.clock, log: log,
                answers: LibraryAnswers(library, log: log))
        }
        let pool = WorkerPool(options.workers, clock: context.clock)
        agent = Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: pool, service: client, time: context.clock, log: log, fileEvents: events,
                pdfs: pool, songs: pool,
                band: configuration.bandParts(transport: transport, environment: context.environment, clock: context.clock)),
            settings: configuration.agentSettings(scope: scope))
        notifying = Notifying(agent, library, options.notifications, environment: context.environment, clock: context.clock, log: log)
        agent.onAstray { [weak self] () throws(LibraryError) in try self?.leaveLibrary() }
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

    private static func keep(_ configuration: Configuration, _ log: Log) {
        do {
            try configuration.keep()
        } catch {
            log.warning("an agent that starts after a mistake in the configuration will not know what it says now: \(error)")
        }
    }

    /// Whether a new agent in place of this one could write to the library, although this one cannot.
    var couldKeepMore: Bool { library.isOnlyInMemory && Folder.hasRoom(for: Self.roomToWrite, in: data) }

    /// More space than opening a catalogue takes, so that the new agent does not fail like the former one.
    private static let roomToWrite = 16 << 20

    /// Called with the error to report after the agent had to leave its library. A new agent can continue with the files on disk,
    /// unless the folder was taken away. By default, the error is only logged.
    package var onLeft: @LoopActor (LibraryError) -> Void

    /// Saves the contents of the open catalogue, because its file was moved or replaced. Throws if the folder was taken away, or if
    /// the attempt must be repeated.
    private func leaveLibrary() throws(LibraryError) {
        do throws(LibraryError) {
            // If another agent is running, nothing may be moved or written.
            guard holdsLock() else { throw .takenAway(folder: data) }
            if let backup = try library.leave(at: clock.timestamp) {
                log.warning("what was known of the catalogue is kept as \(backup.path)")
            }
            onLeft(.replaced(path: library.cataloguePath))
        } catch .takenAway(let folder) {
            onLeft(.takenAway(folder: folder))
            throw .takenAway(folder: folder)
        }
    }

    /// Whether this agent still owns the library. A lock file that was removed is created and locked again, unless another agent
    /// did so first.
    private func holdsLock() -> Bool {
        if library.isOnlyInMemory || stores.libraryLock?.isAt(AgentLock.path(in: data)) == true { return true }
        guard let lock = try? AgentLock.take(in: data) else { return false }
        stores.libraryLock = lock
        noteControl()
        return true
    }

    /// For an agent that keeps running: watches for changes to the cache and the account's token by other programs, and frees
    /// memory when the system runs short. Calls `onConfiguration` when a configuration file or a file with a browsers' token was
    /// changed. Calls `onFolders` now, and whenever the watching changes, since other folders may be on a network then.
    package func beginUpkeep(onConfiguration: (@LoopActor () -> Void)? = nil, onFolders: @escaping @LoopActor () -> Void = {}) {
        // Create the folder before it is watched: if it appeared later, the watcher would report a change, and all folders would be
        // read again.
        try? Folder.create(runtime)
        let report = WatchReport(log: log)
        watcher.setListener {
            report.report($0)
            onFolders()
        }
        agent.beginUpkeep()
        for watch in configurationWatches {
            watch.follow {
                onConfiguration?()
                return true
            }
        }
        tokenWatch?.follow { [agent, credentials] in
            if credentials?.hasNews ?? true { agent.noteNewToken() }
            return true
        }
        // The watcher does not pass its first state to the listener, so report that state here.
        report.report(watcher.state)
        onFolders()
        pressure.start { [agent, log] in
            log.info("this computer is short of memory: what can be read again is released")
            agent.easeMemory()
        }
        log.debug("memory: \(pressure.state)")
    }

    /// Lets this user's other commands reach this agent. If that fails, the agent still works. `more` adds to the agent's reports.
    package func beginControl(more: @escaping @LoopActor (inout AgentReport) -> Void = { _ in }) {
        control.serve(agent, version: Release.version, more: more) { [watcher, ownFolders] in
            // Leave out `ownFolders`: if one of them is missing, it must not be reported as a missing folder of marks.
            AgentReport.Watching(watcher.state, without: ownFolders)
        }
        // Even without a socket, others must see that it is an agent that holds the locks, and must not wait until it has finished.
        noteControl()
        do {
            try control.open(in: runtime, library: data)
        } catch {
            log.warning("\(error); other commands cannot reach this agent and read its files instead")
        }
        controlWatch.follow { [weak self] in self?.keepControl() ?? true }
    }

    /// Opens the control socket again if it was removed. Returns false if the attempt must be repeated.
    @discardableResult
    func keepControl() -> Bool {
        do {
            switch try control.keepOpen() {
            case .there: break
            case .openedAnew:
                log.info("the way for other commands to reach this agent was removed, and is there again")
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

    /// Writes the socket's path into the locks. A command that gets no answer at the socket can then still see that an agent is running.
    private func noteControl() {
        // Both locks get the path. A command that finds either lock held then knows that it will be held for long.
        for lock in [stores.libraryLock, stores.cacheLock] { lock?.note(socket: ControlDesk.socket(in: runtime, library: data)) }
    }

    /// Ends everything in order: cancels the running work, and leaves nothing half-done.
    package func stop() async {
        notifying.end()
        control.close()
        transport.close()
        pressure.stop()
        await agent.stop()
        guard end != .left else { return }
        // If a process was killed just before this agent started, that process's renderer may have outlived it for a moment, and
        // kept the file of an image or a chart locked. Such files are removed now.
        try? cache.removeAbandoned()
        if stores.libraryLock?.isAt(AgentLock.path(in: data)) == true { library.removeAbandoned() }
        // Release the locks: from here on, another agent may take over.
        (stores.libraryLock, stores.cacheLock) = (nil, nil)
        end = .done
    }

    /// Like `stop()`, but abandons work that does not end in time, perhaps because a disk does not respond. Returns whether all work ended.
    package func stop(within patience: Duration) async -> Bool {
        let (waiters, alarm) = (Waiters(), Alarm(clock))
        spawn { [self] in
            await stop()
            waiters.wake()
        }
        alarm.set(in: patience) { [self] in
            if end == .none { end = .left }
            waiters.wake()
        }
        await waiters.wait { end != .none }
        alarm.cancel()
        guard end == .left else { return true }
        agent.leave()
        (stores.libraryLock, stores.cacheLock) = (nil, nil)
        return false
    }
}
