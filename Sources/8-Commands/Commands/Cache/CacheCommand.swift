import CommandLine
import Configuration
import Freshness
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform

extension Command {
    static let cache = Command(
        name: "cache",
        summary: "Shows, checks and removes the page images on disk",
        details: """
            Page images can be drawn again: removing one costs a moment's work and nothing of yours. Those of a chart whose file is \
            not here cannot, so they stay. None of these commands needs an account.
            """,
        examples: [
            Example("woodshed cache stats", "See what takes up how much space."),
            Example("woodshed cache trim --to 500MB --dry-run", "See what would be removed to get down to this size."),
        ],
        subcommands: [cacheStats, cacheVerify, cacheTrim, cacheClear])

    private static let cacheStats = Command(
        name: "stats",
        summary: "Shows what takes up how much space, and what the limits are",
        details: """
            Each image counts once, for the nearest plan that shows it. Changes nothing; an agent may be running. Ends with code 3 if \
            a folder could not be read.
            """,
        json: CacheReport.form,
        examples: [Example("woodshed cache stats --json", "Print the numbers as JSON.")],
        settings: Options.flags,
        run: { try await CacheCommand(invocation: $0, context: $1).stats() })

    private static let cacheVerify = Command(
        name: "verify",
        summary: "Checks every byte of every image, and removes bad ones so that they are drawn again",
        details: """
            Files that Woodshed did not make are listed and left alone; a link or the like in the very place of an image is removed. \
            An agent may be running. Ends with code 3 if an image \
            was bad, or an image or folder could not be read.
            """,
        json: VerifyReport.form,
        examples: [Example("woodshed cache verify", "Check all images after a disk failure.")],
        settings: Options.flags,
        run: { try await CacheCommand(invocation: $0, context: $1).verify() })

    private static let cacheTrim = Command(
        name: "trim",
        summary: "Removes the images needed least, until the limits are met",
        details: """
            Images that no plan needs go first, then those of past plans, then those of the plans farthest away; images of \
            pinned plans stay. If an agent is running, which keeps to the limits anyway, it does the work. Ends with code 3 if \
            not enough could be removed, or a folder could not be read.
            """,
        flags: [
            Flag(
                "to", "SIZE", type: .size(ByteCount(0)...ByteCount(.max)), "until all images take up at most SIZE, whatever the limits are"),
            Flag("dry-run", "only show what would be removed, and why"),
        ],
        json: CacheReport.form,
        examples: [
            Example("woodshed cache trim", "Apply the configured limits now."),
            Example("woodshed cache trim --to 200MB --dry-run", "See what would be removed to get down to this size."),
        ],
        settings: Options.flags,
        run: { try await CacheCommand(invocation: $0, context: $1).trim() })

    private static let cacheClear = Command(
        name: "clear",
        summary: "Removes all images, or those of one chart or plan",
        details: """
            What upcoming and pinned plans show is drawn again by the next sync or by the agent. With --plan, charts that \
            another upcoming or pinned plan shows keep their images. Not while an agent is running. Ends with code 3 if something \
            could not be removed or read.
            """,
        flags: [
            Flag("chart", "CHART", "only this chart's: its attachment id, the start of its hash, or part of its name").offering(.charts),
            Flag("plan", "PLAN", "only this plan's: its id, date, part of its title, or 'next'").offering(.plans(["next"])),
        ],
        json: CacheReport.form,
        examples: [
            Example("woodshed cache clear", "Remove all images."),
            Example("woodshed cache clear --chart riverside", "Have a chart redrawn."),
            Example("woodshed cache clear --plan 67810002", "Remove what only this plan shows."),
        ],
        settings: Options.flags,
        run: { try await CacheCommand(invocation: $0, context: $1).clear() })
}

@LoopActor
struct CacheCommand {
    let invocation: Invocation
    let context: CommandContext

    func stats() async throws -> ExitCode {
        let home = try OpenHome(try context.configuration(invocation), for: .reading, context)
        defer { home.close() }
        let entries = await home.cache.survey()
        let state = try CacheState(of: entries, home.keeper)
        return context.tell(await report(home.cache.folder, .kept, entries, home, in: state), to: invocation)
    }

    /// If an agent runs, it does the work, since only one process at a time removes images.
    func trim() async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        if invocation.has("dry-run") { return try await trim(try OpenHome(configuration, for: .reading, context)) }
        let size: ByteCount? = invocation.value("to")
        let code = try await OtherCommand(configuration.paths, context).awaited {
            if let agent = ControlClient.find(configuration.paths, clock: context.clock) {
                let query = (size.map { [("to", "\($0.bytes)")] } ?? []) + (invocation.has("json") ? [("json", "1")] : [])
                return try await agent.command("/v1/trim", query: query).tell(on: context.output)
            }
            if let failure = ControlClient.lost(configuration.paths) { throw failure }
            return try await self.trim(try OpenHome(configuration, for: .changing, context))
        }
        return code ?? .failed
    }

    private func trim(_ home: OpenHome) async throws -> ExitCode {
        defer { home.close() }
        let renderer = try await home.renderer()
        let report = try await CacheReport.ofTrim(
            home.cache, to: invocation.value("to"), isDry: invocation.has("dry-run"), home.keeper, by: renderer,
            uses: try home.uses(by: renderer))
        return context.tell(report, to: invocation)
    }

    func clear() async throws -> ExitCode {
        let (chart, plan): (String?, String?) = (invocation.value("chart"), invocation.value("plan"))
        guard chart == nil || plan == nil else {
            throw CommandFailure(.usage, "--chart and --plan cannot be used together; drop one of them")
        }
        let configuration = try context.configuration(invocation)
        let opened = try await OtherCommand(configuration.paths, context).awaited { try OpenHome(configuration, for: .changing, context) }
        guard let home = opened else { return .failed }
        defer { home.close() }
        let (library, cache, keeper) = (home.library, home.cache, home.keeper)
        var (what, charts, spared): (String, [ChartHash]?, [String]) = (cache.folder, nil, [])
        if let chart {
            let found = try ChartFinder(library).find(chart)
            (what, charts) = (found.description, [found.hash])
        } else if let plan {
            let found = try PlanFinder(library, now: home.now).findHere(plan)
            what = "\(PlanFinder.words(found)) (plan \(found.id))"
            (charts, spared) = try Self.charts(of: found, among: try library.plans.all(), kept: home.wants.plans(now: home.now)) { use in
                try library.charts.chart(of: use)?.hash
            }
        }
        let away = try Self.away(library)
        if chart != nil, let name = charts?.first.flatMap({ away[$0] }) {
            throw CommandFailure(
                .failed, "the file of \(name) is not here, so nobody could draw its images again; '\(woodshed("sync"))' fetches it first")
        }
        let entries = await cache.survey()
        // The keeper records in the library what happens to images, so it must exist before any is removed.
        let kept = Set(away.keys.map { ImageFolder(of: $0) })
        let done =
            if let charts { await cache.clear(charts: charts.filter { away[$0] == nil }) } else { try await cache.clear(besides: kept) }
        keeper.flush()
        let gone = Set(done.removed)
        // What was done is told whatever the disk says.
        let state = try? CacheState(of: await cache.survey(), keeper)
        var report = await report(what, .removed, entries.filter { gone.contains($0.name) }, home, in: state)
        (report.total, report.spared, report.failures) = (ImageCount(images: done.removed.count, size: done.freed), spared, done.failed)
        report.unlisted = done.unlisted
        report.away = away.filter { charts?.contains($0.key) ?? true }.values.sorted()
        return context.tell(report, to: invocation)
    }

    /// The names of the charts whose images cannot be drawn again, since their files are not here.
    private static func away(_ library: Library) throws(LibraryError) -> [ChartHash: String] {
        let counted = try library.charts.counted()
        var away: [ChartHash: String] = [:]
        for attachment in try library.plans.all().flatMap(\.attachments) {
            if let chart = counted[attachment.use], !chart.isHere { away[chart.hash] = attachment.filename }
        }
        return away
    }

    /// The charts of `plan` that none of the other plans in `kept` shows, and the names of the others. A chart's images are all removed
    /// together, those made for other marks included.
    nonisolated static func charts(
        of plan: Plan, among plans: [PlanContents], kept: [PlanContents], hash: (ChartUse) throws -> ChartHash?
    ) rethrows -> (charts: [ChartHash], spared: [String]) {
        let others = Set(try kept.filter { $0.plan.id != plan.id }.flatMap(\.attachments).compactMap { try hash($0.use) })
        var (charts, spared): ([ChartHash], [String]) = ([], [])
        for attachment in plans.filter({ $0.plan.id == plan.id }).flatMap(\.attachments) {
            guard let chart = try hash(attachment.use), !charts.contains(chart) else { continue }
            if others.contains(chart) { spared.append(attachment.filename) } else { charts.append(chart) }
        }
        return (charts, spared)
    }

    /// How many images there are is known without the renderer, too.
    private func report(
        _ what: String, _ fate: CacheReport.Fate, _ entries: [CacheEntry], _ home: OpenHome, in state: CacheState?
    ) async -> CacheReport {
        let images = entries.map { (entry: $0, reason: TrimReason?.none) }
        var report: CacheReport
        do {
            report = CacheReport(what, fate, images, for: try home.uses(by: try await home.renderer()), in: state)
        } catch {
            report = CacheReport(what, fate, images, for: nil, in: state)
            report.problem = CommandFailure(of: error).message
        }
        report.unlisted = home.cache.closed
        return report
    }
}
