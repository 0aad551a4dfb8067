import Agent
import Catalogue
import CommandLine
import Configuration
import Freshness
import Glibc
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
            Page images can always be drawn again: removing one costs a moment's work and nothing of yours. None of these \
            commands needs an account.
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
            Each image counts once, for the nearest plan that shows it. Changes nothing; an agent may be running.
            """,
        json: CacheStatistics.form,
        examples: [Example("woodshed cache stats --json", "Print the numbers as JSON.")],
        settings: Options.flags,
        run: { try await CacheStatsCommand(invocation: $0, context: $1).run() })

    private static let cacheVerify = Command(
        name: "verify",
        summary: "Checks every byte of every image, and removes bad ones so that they are drawn again",
        details: """
            Files that Woodshed did not make are listed and left alone. An agent may be running. Ends with code 3 if an image \
            was bad or could not be read.
            """,
        json: VerifyReport.form,
        examples: [Example("woodshed cache verify", "Check all images after a disk failure.")],
        settings: Options.flags,
        run: { try await CacheVerifyCommand(invocation: $0, context: $1).run() })

    private static let cacheTrim = Command(
        name: "trim",
        summary: "Removes the images needed least, until the limits are met",
        details: """
            Images that no plan needs go first, then those of past plans, then those of the plans farthest away; images of \
            pinned plans stay. If an agent is running, which keeps to the limits anyway, it does the work. Ends with code 3 if \
            not enough could be removed.
            """,
        flags: [
            Flag(
                "to", "SIZE", type: .size(ByteCount(0)...ByteCount(.max)), "until all images take up at most SIZE, whatever the limits are"),
            Flag("dry-run", "only show what would be removed, and why"),
        ],
        json: TrimOutcome.form,
        examples: [
            Example("woodshed cache trim", "Apply the configured limits now."),
            Example("woodshed cache trim --to 200MB --dry-run", "See what would be removed to get down to this size."),
        ],
        settings: Options.flags,
        run: { try await CacheTrimCommand(invocation: $0, context: $1).run() })

    private static let cacheClear = Command(
        name: "clear",
        summary: "Removes all images, or those of one chart or plan",
        details: """
            What upcoming and pinned plans show is drawn again by the next sync or by the agent. With --plan, charts that \
            another upcoming or pinned plan shows keep their images. Not while an agent is running.
            """,
        flags: [
            Flag("chart", "CHART", "only this chart's: its attachment id, the start of its hash, or part of its name").offering(.charts),
            Flag("plan", "PLAN", "only this plan's: its id, date, part of its title, or 'next'").offering(.plans(["next"])),
        ],
        json: ClearOutcome.form,
        examples: [
            Example("woodshed cache clear", "Remove all images."),
            Example("woodshed cache clear --chart riverside", "Have a chart redrawn."),
            Example("woodshed cache clear --plan 67810002", "Remove what only this plan shows."),
        ],
        settings: Options.flags,
        run: { try await CacheClearCommand(invocation: $0, context: $1).run() })
}

@LoopActor
struct CacheStatsCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let home = try OpenHome(try context.configuration(invocation), for: .reading, context)
        defer { home.close() }
        let statistics = try await gather(home)
        context.tell(statistics, as: CacheStatistics.form, to: invocation) { statistics.print(on: context.output) }
        return .fine
    }

    private func gather(_ home: OpenHome) async throws -> CacheStatistics {
        let entries = await home.cache.survey()
        let disk = try home.keeper.disk()
        var statistics = CacheStatistics(
            folder: home.cache.folder, entries: entries, limits: home.keeper.limits(on: disk), disk: disk)
        do {
            statistics.needs = try needs(entries, try await home.renderer(), home)
        } catch {
            // How many images there are is known all the same.
            statistics.problem = CommandFailure(of: error).message
        }
        return statistics
    }

    private func needs(_ entries: [CacheEntry], _ renderer: RendererIdentity, _ home: OpenHome) throws -> CacheStatistics.Needs {
        let uses = try home.uses(by: renderer)
        let keeper = home.keeper
        try keeper.recall()
        let withheld = try keeper.admission(of: uses.wanted, present: Set(entries.map(\.name))).withheld.count
        return CacheStatistics.Needs(
            entries: entries, uses: uses, pinned: try home.library.plans.pinned(), withheld: withheld,
            reason: withheld > 0 ? keeper.reasonToWithhold(withheld) : nil)
    }
}

/// It takes no lock, since any process may remove a bad image at any time.
@LoopActor
struct CacheVerifyCommand {
    let invocation: Invocation
    let context: CommandContext

    func run() async throws -> ExitCode {
        let paths = try context.configuration(invocation).paths
        let events = ImageEvents()
        // Looking makes nothing.
        let isThere = access(paths.cache, F_OK) == 0
        let cache = isThere ? try PageCache(folder: paths.cache) : try PageCache(readingFrom: paths.cache)
        cache.hear { [clock = context.clock] name, event, size in
            events.records.append(ImageRecord(name: name, renderer: "", event: event, size: size, at: clock.timestamp))
        }
        let report = try await cache.verify()
        remember(events.records, in: paths.data)
        context.tell(report, as: VerifyReport.form, to: invocation) { print(report) }
        return report.bad.isEmpty && report.unreadable.isEmpty ? .fine : .notReady
    }

    @LoopActor
    private final class ImageEvents {
        var records: [ImageRecord] = []
    }

    /// Records what happened to images, so that the reason is known when one of them is missed.
    private func remember(_ records: [ImageRecord], in data: String) {
        do throws(LibraryError) {
            guard !records.isEmpty else { return }
            try Library.change(in: data) { library throws(LibraryError) in try library.images.record(records) }
        } catch {
            // Without a library, nothing needs the images.
            if case .missing = error { return }
            context.output.warning("what happened to the bad images could not be recorded: \(error)".printable)
        }
    }

    private func print(_ report: VerifyReport) {
        let output = context.output
        let left = Set(report.left)
        for name in report.bad { output.result("bad, \(left.contains(name) ? "but could not be removed" : "removed"): \(name)") }
        for unreadable in report.unreadable { output.result("could not be read: \(unreadable.name): \(unreadable.error)".printable) }
        for stranger in report.strangers { output.result("not made by Woodshed, left alone: \(stranger)".printable) }
        output.result(
            "\(report.intact.counted("image")) intact, \(report.bad.count) bad"
                + (report.unreadable.isEmpty ? "" : ", \(report.unreadable.count) unreadable")
                + (report.strangers.isEmpty ? "" : ", \(report.strangers.count.counted("other file"))"))
        if !report.bad.isEmpty { output.message("The next sync or the agent draws the ones that are needed again.") }
    }
}

extension VerifyReport {
    /// The JSON of `woodshed cache verify`.
    static let form = JSONForm<VerifyReport>([
        .init("whole", "how many images are intact", \.intact),
        .list(
            "bad",
            of: JSONForm<(name: ImageName, isLeft: Bool)>([
                .init("image", "an image that is not", \.name.description), .init("removed", "whether it could be removed") { !$0.isLeft },
            ])
        ) { report in
            let left = Set(report.left)
            return report.bad.map { ($0, left.contains($0)) }
        },
        .list(
            "unreadable",
            of: JSONForm<Unreadable>([
                .init("image", "an image that could not be read", \.name.description), .init("message", "why not", \.error.description),
            ])
        ) { $0.unreadable },
        .init("strangers", "files that Woodshed did not make", \.strangers),
    ])
}
