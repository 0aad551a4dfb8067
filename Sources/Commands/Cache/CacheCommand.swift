import CommandLine
import Configuration
import Model
import Reports

extension Command {
    /// `woodshed cache`
    static let cache: Command = Command(
        name: "cache",
        summary: "Looks at the page images on the disk, checks them, and removes some",
        details: """
            Page images can be made again at any time: removing one costs a moment's work, nothing of yours. None of these \
            commands needs an account.
            """,
        examples: [
            Example("woodshed cache stats", "See what takes how much space."),
            Example("woodshed cache trim --to 500MB --dry-run", "See what would go if there were only so much space."),
        ],
        subcommands: [cacheStats, cacheVerify, cacheTrim, cacheClear])

    /// `woodshed cache stats`
    private static let cacheStats: Command = Command(
        name: "stats",
        summary: "Says what takes how much space, what the limits are, and how the cache has done",
        details: """
            Each image counts once, for the nearest plan that shows it. Changes nothing; an agent may be running.
            """,
        json: .cacheStats,
        examples: [Example("woodshed cache stats --json", "Print the numbers for a program.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheStatsCommand(invocation, context).run() })

    /// `woodshed cache verify`
    private static let cacheVerify: Command = Command(
        name: "verify",
        summary: "Checks every byte of every image, and removes the bad ones, which are made again",
        details: """
            Files that are none of ours are named and left alone. An agent may be running. Ends with code 3 when an image was \
            bad or could not be read.
            """,
        json: .cacheVerify,
        examples: [Example("woodshed cache verify", "Check all images after a crash of the disk.")],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheVerifyCommand(invocation, context).run() })

    /// `woodshed cache trim`
    private static let cacheTrim: Command = Command(
        name: "trim",
        summary: "Removes the images that are needed least, until the limits hold",
        details: """
            First go images that no plan needs, then those of past plans, then those of the farthest ones; images of pinned \
            plans stay. Where an agent is running, which holds the limits by itself, it does it. Ends with code 3 \
            when not enough could go.
            """,
        flags: [
            Flag("to", "SIZE", type: .size(ByteCount(0)...ByteCount(.max)), "until all images take at most SIZE, whatever the limits are"),
            Flag("dry-run", "only say what would go, and why"),
        ],
        json: .cacheTrim,
        examples: [
            Example("woodshed cache trim", "Hold the limits of the configuration now."),
            Example("woodshed cache trim --to 200MB --dry-run", "See what would go to get down to this size."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheTrimCommand(invocation, context).run() })

    /// `woodshed cache clear`
    private static let cacheClear: Command = Command(
        name: "clear",
        summary: "Removes all images, or those of one chart or plan",
        details: """
            What coming and pinned plans show is made again by the next sync or agent. With --plan, charts that another coming \
            or pinned plan shows keep their images. Not while an agent is running.
            """,
        flags: [
            Flag("chart", "CHART", "only this chart's: the attachment's id, the beginning of its hash, or a part of its name"),
            Flag("plan", "PLAN", "only this plan's: its id, its date, a part of its title, or 'next'"),
        ],
        json: .cacheClear,
        examples: [
            Example("woodshed cache clear", "Remove all images."),
            Example("woodshed cache clear --chart riverside", "Have a chart drawn anew."),
            Example("woodshed cache clear --plan 67810002", "Remove what only this plan shows."),
        ],
        settings: Options.flags,
        run: { invocation, context throws(CommandFailure) in try await CacheClearCommand(invocation, context).run() })
}
