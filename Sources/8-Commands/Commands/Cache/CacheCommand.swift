import CommandLine
import Configuration
import Model
import PageCache
import Reports

extension Command {
    /// `woodshed cache`
    static let cache: Command = Command(
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

    /// `woodshed cache stats`
    private static let cacheStats: Command = Command(
        name: "stats",
        summary: "Shows what takes up how much space, what the limits are, and how well the cache has done",
        details: """
            Each image counts once, for the nearest plan that shows it. Changes nothing; an agent may be running.
            """,
        json: CacheStatistics.form,
        examples: [Example("woodshed cache stats --json", "Print the numbers as JSON.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheStatsCommand(invocation, context).run() })

    /// `woodshed cache verify`
    private static let cacheVerify: Command = Command(
        name: "verify",
        summary: "Checks every byte of every image, and removes bad ones so that they are drawn again",
        details: """
            Files that Woodshed did not make are listed and left alone. An agent may be running. Ends with code 3 if an image \
            was bad or could not be read.
            """,
        json: VerifyReport.form,
        examples: [Example("woodshed cache verify", "Check all images after a disk failure.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheVerifyCommand(invocation, context).run() })

    /// `woodshed cache trim`
    private static let cacheTrim: Command = Command(
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
        run: { invocation, context throws(CommandFailure) in try await CacheTrimCommand(invocation, context).run() })

    /// `woodshed cache clear`
    private static let cacheClear: Command = Command(
        name: "clear",
        summary: "Removes all images, or those of one chart or plan",
        details: """
            What upcoming and pinned plans show is drawn again by the next sync or by the agent. With --plan, charts that \
            another upcoming or pinned plan shows keep their images. Not while an agent is running.
            """,
        flags: [
            Flag("chart", "CHART", "only this chart's: its attachment id, the start of its hash, or part of its name"),
            Flag("plan", "PLAN", "only this plan's: its id, date, part of its title, or 'next'"),
        ],
        json: ClearOutcome.form,
        examples: [
            Example("woodshed cache clear", "Remove all images."),
            Example("woodshed cache clear --chart riverside", "Have a chart redrawn."),
            Example("woodshed cache clear --plan 67810002", "Remove what only this plan shows."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheClearCommand(invocation, context).run() })
}
