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

/// An agent with everything it works with, built from the configuration; it holds the locks of its library and its cache.
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
    /// Folders that are watched for other reasons than marks.
    private let ownFolders: [String]
    /// The user's configuration, the machine's, and the tokens for browsers on the network.
    private let configurationWatches: [PathWatch]
    /// `nil` if the token is not in a file.
    private let tokenWatch: PathWatch?
    private let credentials: (any CredentialSource)?
    private let controlWatch: PathWatch
    /// The last warning about the control socket, until it can be opened; so that it is logged only once.
    private var controlTrouble: String?
    private let pressure: MemoryPressure
    let telling: Telling
    /// How it ended: the first end counts.
    private var end = End.none
    private enum End {
        case none, done
        /// Another agent may have taken over, though something here has not ended.
        case left
    }
    package let runtime: String
    package let data: String
    /// The layers that are drawn in browsers.
    let ownLayers: OwnLayers
    /// Other commands reach this agent here once `beginControl` was called; routes may be added at any time.
    package let control: ControlDesk

    /// Takes the lock and opens everything; the service is not asked yet.
    ///
    /// If the library's disk cannot be written, an agent that only shows what is here may still run. `keepsAll` rules that out.
    package init(
        _ configuration: Configuration, account: Account, scope: SyncScope = .all, keepsAll: Bool = true, context: CommandContext,
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
        if let music = paths.chosenMusic, !library.isOnlyInMemory { Self.keep(music, log) }
        let roots = configuration.markSettings.roots
        ownLayers = configuration.ownLayers
        // Made before watching begins: a folder that appears later would count as news. If one cannot be made, the watcher reports it.
        for folder in [paths.music, paths.data + "/annotations"] where !roots.isSilent(folder) { try? Folder.create(folder) }
        credentials = account.credentialSource
        let tokenFile = SecretSource(configuration.options.account)?.file(configuration)
        let viewer = configuration.options.viewer
        let written = [paths.configuration, paths.machine, viewer.tokenFile, viewer.guestTokenFile].compactMap(\.self)
        let writtenFolders = Set((written + [tokenFile].compactMap(\.self)).map(Folder.parent(of:)))
        ownFolders = writtenFolders + [paths.runtime]
        let bandFolders = [configuration.options.band.place].compactMap(\.self).filter { !StorageAddress.isOne($0) }
        watcher = FolderWatcher(
            [.pageCache(paths.cache)] + roots.folders.map { .marks($0, roots) }
                + writtenFolders.sorted().map { WatchedRoot($0, news: [.removals, .writes], depth: 0) }
                + [
                    WatchedRoot(paths.runtime, news: .removals, depth: 0),
                    WatchedRoot(paths.data, news: [.removals, .writes], depth: 0),
                ] + bandFolders.map { .band($0) }, clock: context.clock)
        let events = FileEventHub(watcher)
        configurationWatches = written.map { PathWatch($0, for: .changes, in: events, clock: context.clock) }
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
        let pool = WorkerPool(options.workers, clock: context.clock)
        agent = Agent(
            Agent.Parts(
                library: library, cache: cache, renderer: pool, service: client, time: context.clock, log: log, fileEvents: events,
                pdfs: pool, songs: pool,
                band: configuration.bandParts(transport: transport, environment: context.environment, clock: context.clock)),
            settings: configuration.agentSettings(scope: scope))
        telling = Telling(agent, library, options.notifications, environment: context.environment, clock: context.clock, log: log)
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

    /// True if an agent started in place of this one could keep what this one could not.
    var couldKeepMore: Bool { library.isOnlyInMemory && Folder.hasRoom(for: Self.roomToWrite, in: data) }

    /// More than opening a catalogue takes, so that the new agent does not end as the former one did.
    private static let roomToWrite = 16 << 20

    /// Called when the library had to be left, with the error to report: an agent in place of this one can go on with what is on the disk,
    /// unless that was taken away. By default, this is only logged.
    package var onLeft: @LoopActor (LibraryError) -> Void

    /// Saves what the connection knows, because the catalogue is not in its place any more. Throws if that has to be tried again.
    private func leaveLibrary() throws(LibraryError) {
        do throws(LibraryError) {
            // Beside another agent, nothing may be moved or written.
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

    /// True if the library is still ours. If the lock was removed, it is taken again, unless another agent was quicker.
    private func holdsLock() -> Bool {
        if library.isOnlyInMemory || stores.libraryLock?.isAt(AgentLock.path(in: data)) == true { return true }
        guard let lock = try? AgentLock.take(in: data) else { return false }
        stores.libraryLock = lock
        noteControl()
        return true
    }

    /// For an agent that keeps running: notices what other programs do to the cache, and frees memory when the machine is short of it.
    /// `onConfiguration` is called whenever the configuration file was written, `onFolders` when other folders may be on a network.
    package func beginUpkeep(onConfiguration: (@LoopActor () -> Void)? = nil, onFolders: @escaping @LoopActor () -> Void = {}) {
        // Made before it is watched: if it appeared later, that would be news, and all folders would be looked at again.
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
        // The watcher's first state is reported only here.
        report.report(watcher.state)
        onFolders()
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

    /// Keeps the control socket open for as long as the agent runs. Returns whether that is done for now.
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
    private func noteControl() {
        // In both, so that a command that finds one held knows that it will not be free soon.
        for lock in [stores.libraryLock, stores.cacheLock] { lock?.note(socket: ControlDesk.socket(in: runtime, library: data)) }
    }

    /// Ends everything in order: cancels what runs, and leaves nothing half-done.
    package func stop() async {
        telling.end()
        control.close()
        transport.close()
        pressure.stop()
        await agent.stop()
        guard end != .left else { return }
        // A renderer of a process killed just before we began may have outlived it by a moment, with its file still locked: an image, or a
        // chart that it drew.
        try? cache.removeAbandoned()
        if stores.libraryLock?.isAt(AgentLock.path(in: data)) == true { library.removeAbandoned() }
        // From here on another agent may take over.
        (stores.libraryLock, stores.cacheLock) = (nil, nil)
        end = .done
    }

    /// As above, but leaves behind what does not end in time: it may wait for a disk that does not answer. Returns whether all has ended.
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
