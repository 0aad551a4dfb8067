import CommandLine
import Model

extension Options {
    /// Every option, in the order in which they are shown.
    package static let settings: [Setting] = [
        Setting(
            "account.api_url", \.account.apiURL, .url,
            "where the service answers",
            reason: "Planning Center's own address; another one is for a stand-in."),
        Setting(
            "account.annotations_url", optional: \.account.annotationsURL, .url,
            "where other people's layers of marks are fetched from",
            reason: "Planning Center offers none to programs; local annotation files need no address."),
        Setting(
            "account.allow_http_loopback", \.account.allowHTTPLoopback, .boolean,
            "whether an address on this very machine may be plain http",
            reason: "A token must not travel in the clear; on the same machine it does not travel."),
        Setting(
            "account.token_file", optional: \.account.tokenFile, .path, group: "token",
            "a file of mode 0600 that holds the token as app_id:secret, on one line",
            reason: "A token has no place in this file. Set one of token_file, token_credential and token_command."),
        Setting(
            "account.token_credential", optional: \.account.tokenCredential, .fileName, group: "token",
            "the name of a systemd credential that holds the token",
            reason: "For a service that is started with LoadCredential= or LoadCredentialEncrypted=."),
        Setting(
            "account.token_command", optional: \.account.tokenCommand, .text, group: "token", isShown: false,
            "a shell command that prints the token on its first line",
            reason: "For a password store, as in: pass show planning-center."),
        Setting(
            "account.person", optional: \.account.person, .text,
            "the id of the person whose plans are kept ready",
            reason: "With none, the service is asked whose token it is."),
        Setting(
            "account.service_types", \.account.serviceTypes, .list,
            "ids of service types to keep ready as a whole, instead of the plans a person is scheduled for",
            reason: "Most musicians want their own plans; a leader may want all."),
        Setting(
            "plans.ahead", \.plans.ahead, .duration(.seconds(86400)...(.seconds(366 * 86400))),
            "how far ahead plans are kept ready",
            reason: "Four Sundays: what is practised now, and what comes into view next."),
        Setting(
            "plans.kept_after", \.plans.keptAfter, .duration(.zero...(.seconds(366 * 86400))),
            "how long a plan's charts are kept after it",
            reason: "A month to look back; charts that marks of yours sit on stay longer."),
        Setting(
            "polling.near", \.polling.near, .duration(.seconds(60)...(.seconds(86400))),
            "how often the service is asked within six hours of a plan's time",
            reason: "What changes an hour before the service matters at once. On battery it is half as often, as on a metered network."),
        Setting(
            "polling.soon", \.polling.soon, .duration(.seconds(60)...(.seconds(7 * 86400))),
            "how often the service is asked within two days of a plan's time",
            reason: "Running orders settle on the last two days."),
        Setting(
            "polling.far", \.polling.far, .duration(.seconds(60)...(.seconds(7 * 86400))),
            "how often the service is asked at all other times",
            reason: "Nobody waits for it; 'woodshed sync' asks at once."),
        Setting(
            "charts.include", \.charts.include, .list,
            "patterns of file names, of which one must fit; '*' stands for any letters, '?' for one",
            reason: "With none, every PDF is a chart; a drummer may want ['*drum*', '*lead*']."),
        Setting(
            "charts.exclude", \.charts.exclude, .list,
            "patterns of file names of which none may fit",
            reason: "Nothing is left out unless you say so; what is left out is listed by 'woodshed plans'."),
        Setting(
            "charts.owners", \.charts.owners, .choices(Options.Charts.allOwners),
            "what a chart may hang on at the service: song, arrangement, key, item, plan",
            reason: "Leaders put charts in all of these places."),
        Setting(
            "charts.generated", \.charts.generated, .choices(Options.Charts.allGenerated),
            "which charts that the service makes by itself are wanted: chord, lyric, pro",
            reason: "A chord chart is better than none; a string player may want none, as in []."),
        Setting(
            "charts.by_service_type", \.charts.byServiceType, .rules(ServiceTypeRule.check),
            "rules that hold for one service type in place of those above: its id, then include=, exclude=, owners= or generated=",
            reason: "One may play bass on Sundays and sing midweek: ['501002 include=*vocal*', '501002 owners=song+key']."),
        Setting(
            "render.full_size", \.render.fullSize, .integer(64...20000),
            "pixels on the long side of a page",
            reason: "The largest tablet's and a sharp laptop's screen; half of it needs a quarter of the disk."),
        Setting(
            "render.thumbnail_size", \.render.thumbnailSize, .integer(64...20000),
            "pixels on the long side of a thumbnail",
            reason: "Enough to tell pages apart on a sharp screen."),
        Setting(
            "render.paper", \.render.paper, .opaqueColor,
            "the colour of the paper, as #RRGGBB",
            reason: "White shows a page as it came; '#fff8e7' is easier on the eyes on a lit stage. Another one draws every page again."),
        Setting(
            "render.workers", \.render.workers, .integer(0...64),
            "how many processes render pages; 0 is one per core",
            reason: "They run at idle priority, so more cores cost nothing but heat."),
        Setting(
            "annotations.folders", \.annotations.folders, .paths,
            "folders that are looked through for your own marks: .xopp and .xoj of Xournal++, and .marks.json",
            reason: "Those beside the charts in folders.music and in the data folder's annotations are found without it."),
        Setting(
            "annotations.ignore", \.annotations.ignore, .list,
            "patterns of names of files and folders that are passed over",
            reason: "What editors keep for themselves while they write."),
        Setting(
            "annotations.settle", \.annotations.settle, .integer(0...60_000),
            "milliseconds for which a file of marks must be left alone before it is read",
            reason: "A save takes several steps; reading in the middle of it would be in vain."),
        Setting(
            "annotations.settle_most", \.annotations.settleMost, .integer(0...600_000),
            "milliseconds after which a file that is written without a pause is read all the same",
            reason: "Whoever draws for minutes sees what is drawn."),
        Setting(
            "cache.limit", optional: \.cache.limit, .size(ByteCount(1000)...largestSize),
            "the most that page images may take on disk",
            reason: "With none, the smaller of 4 GB and a tenth of the disk: some 10,000 pages."),
        Setting(
            "cache.least_free", \.cache.leastFree, .diskAmount(ByteCount(0)...largestSize),
            "what is left free of the disk, as a size or as a share like 5%",
            reason: "Page images can be drawn again; when others need the disk, they go first."),
        Setting(
            "cache.greatest_age", optional: \.cache.greatestAge, .duration(.seconds(3600)...(.seconds(3660 * 86400))),
            "how long an image that no plan needs is kept after it was last shown",
            reason: "With none, as long as there is room."),
        Setting(
            "cache.memory", \.cache.memory, .size(ByteCount(0)...ByteCount(64_000_000_000)),
            "the most that the pages on screen and the next ones may take in memory",
            reason: "Several screens full; it is given back when the machine is short of memory."),
        Setting(
            "viewer.enabled", \.viewer.isEnabled, .boolean,
            "whether the agent offers its pages to a browser",
            reason: "Nobody gets in but who runs 'woodshed open', or knows the token that token_file holds."),
        Setting(
            "viewer.port", \.viewer.port, .integer(0...65535),
            "the port where it does; 0 is any that is free",
            reason: "Always the same, for a browser keeps bookmarks and settings by it."),
        Setting(
            "viewer.listen", \.viewer.listen, .text,
            "the IP address of this machine where it does; for a tablet in the same network another one, or 0.0.0.0 or '::' for all",
            reason: "Another one needs token_file. Its pages and the token travel as plain http, which others in the network can overhear."),
        Setting(
            "viewer.names", \.viewer.names, .list,
            "names and addresses by which browsers on other machines may call this one",
            reason: "As in [laptop.local, 192.168.1.5]; one address in listen needs none. Who uses other names may be a web page's trick."),
        Setting(
            "viewer.token_file", optional: \.viewer.tokenFile, .path,
            "a file of mode 0600 that holds the token by which browsers elsewhere are let in: 16 characters or more, on one line",
            reason: "A browser is asked for it once for as long as the agent runs. The account's own token must not be it."),
        Setting(
            "folders.data", optional: \.folders.data, .path,
            "the folder for what must survive: plans, charts, layers",
            reason: "With none, woodshed below $XDG_DATA_HOME or ~/.local/share."),
        Setting(
            "folders.cache", optional: \.folders.cache, .path,
            "the folder for what can be made again: page images",
            reason: "With none, woodshed below $XDG_CACHE_HOME or ~/.cache; another disk is fine."),
        Setting(
            "folders.runtime", optional: \.folders.runtime, .path,
            "the folder for the lock and the socket of the running agent",
            reason: "With none, woodshed below $XDG_RUNTIME_DIR or /run/user, else runtime in the data folder."),
        Setting(
            "folders.music", optional: \.folders.music, .path,
            "the folder with links to the charts under names for people",
            reason: "With none, ~/Music/Woodshed, where any PDF reader finds them."),
        Setting(
            "log.level", \.log.level, .choice(["debug", "info", "warning", "error"]),
            "the least important message that is shown: debug, info, warning or error",
            reason: "What was done, and what went wrong."),
    ]

    /// More than any disk has: what is larger is a slip.
    private static let largestSize = ByteCount(1_000_000_000_000_000)

    /// The option of this key.
    package static func setting(_ key: String) -> Setting? { settings.first { $0.key == key } }
}
