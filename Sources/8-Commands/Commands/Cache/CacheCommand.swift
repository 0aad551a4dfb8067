import CommandLine
import Configuration
import Host
import ImageKeeping
import Library
import Model
import PageCache
import Platform

extension Command {
    static let cache = Command(
        name: "cache",
        summary: "Checks and removes the page images on disk",
        details: """
            Page images can be drawn again: removing one costs a moment's work and nothing of yours. Those of a chart whose file is \
            not here cannot, so they stay. How much they take up, 'woodshed status' says; the agent and each sync keep them within \
            cache.limit and cache.least_free by themselves. Neither of these commands needs an account.
            """,
        examples: [
            Example("woodshed cache verify", "Check all images after a disk failure."),
            Example("woodshed cache clear --chart riverside", "Have a chart redrawn."),
        ],
        subcommands: [cacheVerify, cacheClear])

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
        // From its creation on, the keeper records in the library what happens to images. The first use of `home.keeper`, above,
        // created it, so these removals are recorded.
        let kept = Set(away.keys.map { ImageFolder(of: $0) })
        let done =
            if let charts { await cache.clear(charts: charts.filter { away[$0] == nil }) } else { try await cache.clear(besides: kept) }
        keeper.flush()
        let report = CacheReport(
            what: what, done: done, spared: spared, away: away.filter { charts?.contains($0.key) ?? true }.values.sorted(),
            // Report the removals even if the disk cannot be checked.
            state: try? CacheState(of: await cache.survey(), keeper))
        return context.give(report, to: invocation)
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

    /// The charts of `plan` that no other plan in `kept` shows. `spared` has the names of the plan's other charts. Each chart is
    /// listed once, since all its images are removed together, even those that show other marks.
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
}
