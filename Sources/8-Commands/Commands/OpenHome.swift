import Catalogue
import Agent
import CommandLine
import Configuration
import Glibc
import Freshness
import Host
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Readiness
import Rendering

/// The library and the page cache of a configuration, opened for a command that needs neither account nor network.
@LoopActor
final class OpenHome {
    enum Purpose {
        /// Nothing is made or changed; an agent may be running.
        case reading
        /// Only one process at a time may change anything, so this takes the agent's locks on the library and the cache.
        case changing
    }

    let configuration: Configuration
    let library: Library
    let cache: PageCache
    private(set) lazy var keeper = CacheKeeper(
        library: library, cache: cache, wants: wants, settings: configuration.options.cacheSettings, time: context.clock,
        log: context.output.log(from: max(configuration.options.log.level, .warning)))
    let context: CommandContext
    private let locks: [AgentLock]

    /// Opens the library and the cache. If nothing was ever synced, throws and creates nothing.
    init(_ configuration: Configuration, for purpose: Purpose, _ context: CommandContext) throws {
        (self.configuration, self.context) = (configuration, context)
        let paths = configuration.paths
        switch purpose {
        case .reading:
            locks = []
            library = try Self.library(configuration, reportingTo: context)
            cache = try PageCache(readingFrom: paths.cache)
        case .changing:
            try Self.library(configuration).close()
            let stores = try Stores(paths)
            (library, cache) = (stores.library, stores.cache)
            locks = [stores.libraryLock, stores.cacheLock].compactMap(\.self)
        }
    }

    /// Opens the library for reading. If there is neither a library nor a token, the error tells the user to run the setup. With a
    /// `context`, warns of a full disk.
    static func library(_ configuration: Configuration, reportingTo context: CommandContext? = nil) throws -> Library {
        do throws(LibraryError) {
            let library = try Library(readingFrom: configuration.paths.data)
            if let fullDisk = library.fullDisk { context?.output.warning(fullDisk.printable) }
            return library
        } catch {
            guard case .missing = error else { throw error }
            try refuseUnlessSetUp(configuration, context?.environment)
            throw error
        }
    }

    /// Throws if there is neither a token nor a library, since starting an agent would be useless, too. With an `environment`, the
    /// error names the home of a running demo.
    static func refuseUnlessSetUp(_ configuration: Configuration, _ environment: Environment?) throws(CommandFailure) {
        let hasLibrary = access(configuration.paths.data + "/catalogue.sqlite", F_OK) == 0
        guard SecretSource(configuration.options.account) == nil, configuration.options.plans.folders.isEmpty, !hasLibrary else { return }
        let demo = environment.flatMap { DemoAddress.freshHomes($0).first }
        throw CommandFailure(
            .failed,
            "nothing is set up yet: run '\(woodshed("setup"))' "
                + (demo.map { "(the demo that is running has a home of its own: add --home \($0.shellQuoted))" }
                    ?? "('woodshed demo' shows everything without an account)"))
    }

    /// Closes the library. The locks are released only when this object is deallocated.
    func close() { library.close() }

    var now: Timestamp { context.clock.timestamp }

    var wants: LibraryWants {
        LibraryWants(library: library, render: configuration.options.renderSettings, ahead: configuration.options.plans.ahead)
    }

    /// The identity of the renderer, which is part of every image's name.
    func renderer() async throws(CommandFailure) -> RendererIdentity {
        do {
            return try await configuration.options.withRenderer(clock: context.clock) { pool in try await pool.identity() }
        } catch {
            throw CommandFailure(.failed, "woodshed-render does not start, so nobody knows which pages are missing: \(error)")
        }
    }

    /// The next plan, and others of the same day, whether they are fetched or not.
    func nextPlans() throws -> [PlanContents] {
        let coming = try library.plans.allListed().filter { !$0.plan.isPast(at: now) }
        return NextPlans.among(coming, gone: Set(try library.plans.gone().keys), at: now)
    }

    func readinessCheck(by renderer: RendererIdentity) async -> ReadinessCheck {
        let asked = await configuration.asking(by: context.clock)
        for folder in asked.silent.sorted() { context.output.warning(FolderReach.word(folder).printable) }
        return readinessCheck(by: renderer, marks: asked.markSettings.roots)
    }

    /// The check for a caller that knows which of the folders of marks answer.
    func readinessCheck(by renderer: RendererIdentity, marks roots: MarkRoots) -> ReadinessCheck {
        ReadinessCheck(library: library, cache: cache, wants: wants, keeper: keeper, renderer: renderer, marks: roots)
    }

    /// Checks whether plans are ready, taking into account what an agent reported about the service.
    func readiness(
        of plans: [PlanContents], by renderer: RendererIdentity, isThorough: Bool, _ agent: AgentAnswer
    ) async throws -> ReadinessReport {
        try await readiness(of: plans, by: await readinessCheck(by: renderer), isThorough: isThorough, agent)
    }

    func readiness(
        of plans: [PlanContents], by check: ReadinessCheck, isThorough: Bool, _ agent: AgentAnswer
    ) async throws -> ReadinessReport {
        try await check.report(
            of: plans,
            ReadinessCheck.Circumstances(
                now: now, isThorough: isThorough, lastPoll: agent.report?.polls.lastGood, refusals: agent.refusals,
                uncounted: agent.uncounted, asked: configuration.isPartial ? nil : configuration.asked,
                source: configuration.hasSetsAlone ? .sets : .service))
    }
}
