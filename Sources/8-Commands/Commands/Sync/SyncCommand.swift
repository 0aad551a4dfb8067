import Agent
import Catalogue
import CommandLine
import Configuration
import Host
import ImageKeeping
import Library
import Model
import PlanningCenter
import Platform
import Sync

extension Command {
    static let sync = Command(
        name: "sync",
        summary: "Syncs once: asks the service, downloads what is new and draws what is missing",
        details: """
            Prints one line for each change. Ends with code 0 if the service answered in full and all upcoming plans are ready \
            as 'woodshed ready --plan all' has it (with --plan or --chart: what was asked for; if none is upcoming, nothing is \
            missing), 3 if something is missing, which is \
            listed, 5 if the service refuses the token, 6 if it cannot be reached but charts are here, 1 if none are. If the \
            disk is read-only it does nothing, with code 3 if charts are here. Ctrl-C stops it cleanly, with code 130: what is complete is \
            kept, and the next sync picks up from there. If another sync is running, this one waits for it.
            """,
        flags: [
            Flag("plan", "PLAN", "download and draw only this plan's charts: its id, date or title, or 'next'").offering(
                .plans(["next"])),
            Flag("chart", "CHART", "download and draw only this chart: its id, or part of its name").offering(.charts),
        ],
        json: SyncReport.form,
        examples: [
            Example("woodshed sync", "Get all upcoming plans ready."),
            Example("woodshed sync --plan next", "Get the nearest plan ready before the train leaves."),
            Example("woodshed sync --json", "Print how far it is, then changes, problems and counts as JSON."),
        ],
        settings: Options.flags,
        handlesSignals: true,
        run: { try await SyncCommand($0, $1).run() })
}

@LoopActor
final class SyncCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let start: Moment
    private var account: Account?
    /// The mark files that the log has already reported as unreadable.
    private var warned: Set<String> = []
    private var showsWarnings = true

    init(_ invocation: Invocation, _ context: CommandContext) {
        (self.invocation, self.context) = (invocation, context)
        start = context.clock.now
    }

    func run() async throws -> ExitCode {
        let asked = try Self.scope(plan: invocation.value("plan"), chart: invocation.value("chart"))
        let ending = Ending(output: context.output, asked: .interrupted)
        let configuration = try context.configuration(invocation)
        let scope = try known(asked, in: configuration.paths.data)
        showsWarnings = configuration.options.log.level <= .warning
        let log = context.output.log(from: max(configuration.options.log.level, .warning))
        let worker = try await OtherCommand(configuration.paths, context).awaited(unless: { ending.isOver }) {
            try await self.worker(configuration, scope, log)
        }
        guard let worker else { return await ending.wait() }
        guard case .ourselves(let assembly) = worker else {
            if case .agent(let agent) = worker { return try await sync(by: agent, scope, ending, configuration) }
            return .failed
        }
        let left: @LoopActor (LibraryError) -> Void = { [self] error in
            guard !ending.isOver else { return }
            ending.end(context.fail(error, of: invocation))
        }
        var working = assembly
        working.onLeft = left
        spawn { [self] in
            do {
                let bars = SyncProgress(for: invocation.formForPrograms, output: context.output, clock: context.clock)
                var outcome = await poll(working, bars)
                // On a new laptop, the library was still empty when the given date or title was looked up. Look it up again in the
                // list that has just arrived.
                let found = try known(scope, in: configuration.paths.data)
                if found != scope, !ending.isOver {
                    warned.formUnion(working.agent.warnedMarks)
                    await working.stop()
                    let next = try await OtherCommand(configuration.paths, context).awaited(unless: { ending.isOver }) {
                        try await self.worker(configuration, found, log)
                    }
                    guard let next else { return }
                    guard case .ourselves(let again) = next else {
                        throw CommandFailure(
                            .failed, "an agent was started meanwhile, and syncs; '\(woodshed("status"))' says how far it is")
                    }
                    working = again
                    working.onLeft = left
                    outcome = await poll(working, bars)
                }
                if let code = try await finish(working, outcome, found, ending, bars) { ending.end(code) }
            } catch {
                guard !ending.isOver else { return }
                ending.end(context.fail(error, of: invocation))
            }
        }
        let code = await ending.wait()
        context.output.endLiveLine()
        _ = await working.stop(within: .seconds(5))
        if code == .interrupted {
            context.output.message("Stopped. What is complete is kept; '\(woodshed("sync"))' picks up from there.")
        }
        return code
    }

    /// The process that does the work.
    private enum Worker {
        case agent(ControlClient)
        case ourselves(AgentAssembly)
    }

    /// The running agent, or else this process with the library and the cache opened. Throws if another command is using them; the
    /// caller then waits and tries again.
    private func worker(_ configuration: Configuration, _ scope: SyncScope, _ log: Log) async throws -> Worker {
        if let agent = ControlClient.find(configuration.paths, clock: context.clock) { return .agent(agent) }
        if let failure = ControlClient.lost(configuration.paths) { throw failure }
        // Get the token once, however often this is tried, since a program may ask the user for the token.
        let account = if let account { account } else { try await Account.ifNeeded(configuration, context: context) }
        self.account = account
        let configuration = await configuration.asking(by: context.clock)
        for folder in configuration.silent.sorted() { context.output.warning(FolderReach.word(folder).printable) }
        let assembly = try AgentAssembly(configuration, account: account, scope: scope, context: context, log: log)
        return .ourselves(assembly)
    }

    /// Lets the running agent sync all plans, since it keeps all of them ready anyway.
    private func sync(
        by agent: ControlClient, _ scope: SyncScope, _ ending: Ending, _ configuration: Configuration
    ) async throws -> ExitCode {
        context.output.message("The running agent (process \(agent.process)) syncs\(scope == .all ? "" : " all plans")…")
        let bars = SyncProgress(for: invocation.formForPrograms, output: context.output, clock: context.clock)
        spawn { [self] in
            // The agent finds silent folders by itself, but may first wait a long time for one to answer. If this command finds a
            // silent folder, it waits only 5 s more.
            let silent = await configuration.asking(by: context.clock).silent.sorted()
            guard !silent.isEmpty, !ending.isOver else { return }
            _ = context.clock.schedule(at: context.clock.now + .seconds(5)) { [self] in
                guard !ending.isOver else { return }
                for folder in silent { context.output.warning(FolderReach.word(folder).printable) }
                context.output.message("The agent goes on with the rest; nobody waits for that here.")
                ending.end(.notReady)
            }
        }
        spawn { [self] in
            do {
                let answer = try await agent.command("/v1/sync", query: invocation.has("json") ? [("json", "1")] : []) { bars.show($0) }
                guard !ending.isOver else { return }
                bars.finish()
                // Compare the settings before printing the answer: it may say "ready", but only for the agent's other settings.
                let doubt = answer.code == ExitCode.fine.rawValue ? try otherSettings(than: configuration) : nil
                if let doubt, invocation.has("json") { throw CommandFailure(.notReady, doubt) }
                let code = answer.print(on: context.output)
                if let doubt { context.output.warning(doubt) }
                ending.end(doubt == nil ? code : .notReady)
            } catch {
                guard !ending.isOver else { return }
                ending.end(context.fail(error, of: invocation))
            }
        }
        let code = await ending.wait()
        context.output.endLiveLine()
        if code == .interrupted { context.output.message("No longer waiting; the agent goes on with it.") }
        return code
    }

    /// A sentence that names the settings in which the running agent differs from `configuration`; `nil` if none differ. The library
    /// records the agent's settings: those of the last requests that the service answered in full.
    private func otherSettings(than configuration: Configuration) throws -> String? {
        let library = try Library(readingFrom: configuration.paths.data)
        defer { library.close() }
        let asked = try library.service.askedSettings
        guard let others = asked?.differences(from: configuration.options.asked), !others.isEmpty else { return nil }
        return "the running agent has different settings (\(others.joined(separator: ", "))) and used its own; restart it with these"
    }

    /// The part of the work that the flags select.
    nonisolated static func scope(plan: String?, chart: String?) throws -> SyncScope {
        switch (plan, chart) {
        case (nil, nil): return .all
        case ("next", nil): return .nextPlan
        case (let plan?, nil): return .plan(PlanID(plan))
        case (nil, let chart?): return .chart(AttachmentID(chart))
        case (_?, _?): throw CommandFailure(.usage, "--plan and --chart cannot be used together; drop one of them")
        }
    }

    /// Replaces a date, title or name in the scope by the id of the plan or chart that is here. An unknown name stays, since it may
    /// be the id of a new plan or chart. Throws if a name is ambiguous.
    private func known(_ scope: SyncScope, in data: String) throws -> SyncScope {
        guard let library = try? Library(readingFrom: data) else { return scope }
        defer { library.close() }
        switch scope {
        case .all, .nextPlan: return scope
        case .plan(let id):
            let now = context.clock.timestamp
            guard let plans = try? PlanFinder(library, now: now) else { return scope }
            return try Self.unlessUnknown { () throws(Trouble) in
                .plan(try plans.find(id.text) { !$0.isPast(at: now) }.id)
            } ?? scope
        case .chart(let id):
            guard let charts = try? ChartFinder(library) else { return scope }
            return try Self.unlessUnknown { () throws(Trouble) in .chart(try charts.attachment(id.text)) } ?? scope
        }
    }

    /// The result of `find`; `nil` if the name is unknown here. Throws if the name is ambiguous.
    private static func unlessUnknown(_ find: () throws(Trouble) -> SyncScope) throws -> SyncScope? {
        do throws(Trouble) {
            return try find()
        } catch {
            if error.kind == .ambiguous { throw error }
            return nil
        }
    }

    /// Asks the service, and shows the progress.
    private func poll(_ assembly: AgentAssembly, _ bars: SyncProgress) async -> PollOutcome {
        assembly.agent.onProgress { bars.show($0) }
        if !invocation.has("json") {
            assembly.agent.onChanges { [output = context.output] in for change in $0 { output.result(change.localSentence.printable) } }
        }
        return await assembly.agent.poll()
    }

    /// Waits until everything is drawn, and prints the result. Returns the exit code; `nil` if the user interrupted the sync.
    private func finish(
        _ assembly: AgentAssembly, _ outcome: PollOutcome, _ scope: SyncScope, _ ending: Ending, _ bars: SyncProgress
    ) async throws -> ExitCode? {
        let agent = assembly.agent
        guard !ending.isOver else { return nil }
        for setback in outcome.setbacks { context.output.warning(setback.description.printable) }
        agent.reconcile()
        await agent.settled()
        guard !ending.isOver else { return nil }
        agent.onProgress(nil)
        bars.finish()
        await agent.backUpCatalogue()
        guard !ending.isOver else { return nil }
        var report = try await SyncReport.of(agent, after: outcome) { (context.clock.now - start).inSeconds }
        try check(scope, report)
        // The user has read about these files only if warnings are shown.
        if showsWarnings { (report.warned, report.isRoomTold) = (warned.union(agent.warnedMarks), agent.hasToldOfRoom) }
        return context.give(report, to: invocation)
    }

    /// Throws if the service was reached and a requested plan or chart does not exist, since a typing mistake must not count as a
    /// plan that is ready.
    private func check(_ scope: SyncScope, _ report: SyncReport) throws {
        guard report.table.plans == 0, report.outcome.reach == .reached else { return }
        switch scope {
        case .all, .nextPlan: return
        case .plan(let id): throw CommandFailure(.failed, "no upcoming plan is called '\(id)'; '\(woodshed("plans"))' lists them")
        case .chart(let id):
            throw CommandFailure(.failed, "no upcoming plan has the chart '\(id)'; '\(woodshed("plans --json"))' lists them")
        }
    }
}
