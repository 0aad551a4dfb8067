import CommandLine
import Model

extension Options {
    /// Every option, in the order in which options are shown.
    package static let settings: [Setting] = [
        Setting(
            "account.api_url", \.account.apiURL, .url,
            "the address of the service",
            reason: "Planning Center's own address; use another only for a stand-in."),
        Setting(
            "account.annotations_url", optional: \.account.annotationsURL, .url,
            "where other people's layers of marks come from",
            reason: "Planning Center does not offer them to programs; your own mark files need no address."),
        Setting(
            "account.allow_http_loopback", \.account.allowHTTPLoopback, .boolean,
            "whether an address on this machine may be plain http",
            reason: "A token must not cross a network in the clear; on this machine it never does."),
        Setting(
            "account.token_file", optional: \.account.tokenFile, .path, group: "token",
            "a file with the account's token, as in ~/.config/woodshed/account-token: app_id:secret on one line, mode 0600",
            reason: """
                To get a token: sign in at \(SecretSource.page) and create one
                under 'Personal Access Tokens'. It costs nothing, and may do at the service whatever you may do.
                Write its client id (also called application id) and secret, with a colon between them, to the file, and run chmod 600 on it.
                Do not put the token itself in this file. Set one of token_file, token_credential and token_command.
                """),
        Setting(
            "account.token_credential", optional: \.account.tokenCredential, .fileName, group: "token",
            "the name of a systemd credential that holds the token",
            reason: "For a service that is started with LoadCredential= or LoadCredentialEncrypted=."),
        Setting(
            "account.token_command", optional: \.account.tokenCommand, .text, group: "token", isShown: false,
            "a shell command that prints the token on its first line",
            reason: "For a password store, as in: pass show planning-center."),
        Setting(
            "account.sign_in", optional: \.account.signIn, .text, group: "token",
            "the id of an application through which one signs in with a browser, with 'woodshed sign-in', instead of with a token",
            reason: """
                For a band whose administrator has registered an application at \(SecretSource.page),
                with the addresses http://localhost:41573/signed-in and http://localhost:41574/signed-in to come back to.
                """),
        Setting(
            "account.sign_in_secret", optional: \.account.signInSecret, .path,
            "a file with that application's secret on one line, mode 0600",
            reason: "Not needed for an application that is registered as Public."),
        Setting(
            "account.person", optional: \.account.person, .text,
            "the id of the person whose plans are kept ready",
            reason: "If not set, the owner of the token."),
        Setting(
            "account.service_types", \.account.serviceTypes, .list,
            "ids of service types whose plans are all kept ready, instead of the plans a person is scheduled for",
            reason: "Most musicians want their own plans; a leader may want all."),
        Setting(
            "plans.ahead", \.plans.ahead, .duration(.seconds(86400)...(.seconds(366 * 86400))),
            "how far ahead plans are kept ready",
            reason: "Four Sundays: what is practised now, and what comes next."),
        Setting(
            "plans.kept_after", \.plans.keptAfter, .duration(.zero...(.seconds(366 * 86400))),
            "how long a plan's charts are kept after it",
            reason: "A month to look back; charts with marks of yours are kept longer."),
        Setting(
            "plans.folders", \.plans.folders, .paths,
            "folders with sets of your own, as in [~/Music/Sets]; a folder or a text file in them that is named after a date is a plan",
            reason: "No account is needed for them; 'woodshed help sets' explains them. All other folders there are songbooks."),
        Setting(
            "polling.near", \.polling.near, .duration(.seconds(60)...(.seconds(86400))),
            "how often to ask the service within six hours of a plan's time",
            reason: "A change an hour before the service matters at once. Half as often on battery or on a metered network."),
        Setting(
            "polling.soon", \.polling.soon, .duration(.seconds(60)...(.seconds(7 * 86400))),
            "how often to ask the service within two days of a plan's time",
            reason: "Running orders settle in the last two days."),
        Setting(
            "polling.far", \.polling.far, .duration(.seconds(60)...(.seconds(7 * 86400))),
            "how often to ask the service at all other times",
            reason: "Nobody is waiting; 'woodshed sync' asks at once."),
        Setting(
            "charts.include", \.charts.include, .list,
            "file name patterns, one of which must match; '*' stands for any characters, '?' for one",
            reason: "If empty, every PDF is a chart; a drummer may want ['*drum*', '*lead*']."),
        Setting(
            "charts.exclude", \.charts.exclude, .list,
            "file name patterns, none of which may match",
            reason: "Nothing is left out unless you say so; 'woodshed plans' lists what is."),
        Setting(
            "charts.owners", \.charts.owners, .choices(Options.Charts.allOwners),
            "what a chart may be attached to at the service: song, arrangement, key, item, plan",
            reason: "Leaders put charts in all of these places."),
        Setting(
            "charts.generated", \.charts.generated, .choices(Options.Charts.allGenerated),
            "which generated charts are wanted: chord, lyric and pro of the service; own is drawn here from words and chords in place of chord",
            reason: "A chord chart is better than none; a string player may want none, as in []."),
        Setting(
            "charts.writing", \.charts.writing, .choice(SongView.Writing.allCases.map(\.rawValue)),
            "how charts that are drawn here write chords: letters, german (H for B), numbers (1 4 5 6-), or minor-numbers (1- in a minor key)",
            reason: "As your band speaks of them. For one song, the key's button can say otherwise."),
        Setting(
            "charts.parts", \.charts.parts, .list,
            "whose parts of a ChordPro file are drawn, where it has some for certain players: guitar, alto",
            reason: "What is for others is left out, and the key's panel names it."),
        Setting(
            "charts.diagrams", \.charts.diagrams, .choice([Options.Charts.noDiagrams] + SongText.Diagrams.allCases.map(\.rawValue)),
            "the instrument that charts drawn here have chord diagrams for: none, guitar, ukulele or piano",
            reason: "They take room from the words; nothing is drawn where they would take another page."),
        Setting(
            "charts.by_service_type", \.charts.byServiceType, .rules(ServiceTypeRule.check),
            "rules for one service type that replace those above: its id, then include=, exclude=, owners= or generated=",
            reason: "For playing bass on Sundays and singing midweek: ['501002 include=*vocal*', '501002 owners=song+key']."),
        Setting(
            "render.full_size", \.render.fullSize, .integer(64...20000),
            "pixels on the long side of a page",
            reason: "Enough for the largest tablet or a sharp laptop screen; half as many take a quarter of the space."),
        Setting(
            "render.thumbnail_size", \.render.thumbnailSize, .integer(64...20000),
            "pixels on the long side of a thumbnail",
            reason: "Enough to tell pages apart on a sharp screen."),
        Setting(
            "render.paper", \.render.paper, .opaqueColor,
            "the colour of the paper, as #RRGGBB",
            reason: "White shows a page as it is; '#fff8e7' is easier on the eyes on a lit stage. Changing it redraws every page."),
        Setting(
            "render.workers", \.render.workers, .integer(0...64),
            "how many processes render pages; 0 means one per core",
            reason: "They run at idle priority, and take a share where that leaves them nothing: more cores cost nothing but heat."),
        Setting(
            "annotations.folders", \.annotations.folders, .paths,
            "folders to search for your own mark files: .xopp and .xoj from Xournal++, and .marks.json",
            reason: "Those beside charts in folders.music and plans.folders, and in annotations in the data folder, are found anyway."),
        Setting(
            "annotations.ignore", \.annotations.ignore, .list,
            "name patterns of files and folders to ignore",
            reason: "What editors leave behind while they write. Files that were read before keep their last marks until 'accept --gone'."),
        Setting(
            "annotations.settle", \.annotations.settle, .integer(0...60_000),
            "milliseconds that a mark file must stay unchanged before it is read",
            reason: "A save takes several steps; reading halfway through would be pointless."),
        Setting(
            "annotations.settle_most", \.annotations.settleMost, .integer(0...600_000),
            "milliseconds after which a file that keeps changing is read anyway",
            reason: "So that marks show up even if you draw for minutes."),
        Setting(
            "annotations.history", \.annotations.history, .integer(0...1000),
            "how many former states of each of your mark files are kept, of those that had marks which vanished",
            reason: "For 'woodshed layers CHART --history'; a state takes a few kilobytes."),
        Setting(
            "annotations.history_age", \.annotations.historyAge, .duration(.zero...(.seconds(3660 * 86400))),
            "how long such a state is kept",
            reason: "Until the same feast comes round again."),
        Setting(
            "cache.limit", optional: \.cache.limit, .size(ByteCount(1000)...largestSize),
            "the most space that page images may take up on disk",
            reason: "If not set, 4 GB or a tenth of the disk, whichever is smaller: some 10,000 pages."),
        Setting(
            "cache.least_free", \.cache.leastFree, .diskAmount(ByteCount(0)...largestSize),
            "how much of the disk to leave free, as a size or as a share like 5%",
            reason: "Page images can be drawn again; when space is needed, they go first."),
        Setting(
            "cache.greatest_age", optional: \.cache.greatestAge, .duration(.seconds(3600)...(.seconds(3660 * 86400))),
            "how long an image that no plan needs is kept after it was last shown",
            reason: "If not set, as long as there is room."),
        Setting(
            "cache.memory", \.cache.memory, .size(ByteCount(0)...ByteCount(64_000_000_000)),
            "the most memory that the pages on screen and the next ones may take up",
            reason: "Several screens' worth; it is released when the machine is short of memory."),
        Setting(
            "viewer.enabled", \.viewer.isEnabled, .boolean,
            "whether the agent shows its pages in a browser",
            reason: "Only those who run 'woodshed open' or know the token in token_file get in."),
        Setting(
            "viewer.port", optional: \.viewer.port, .integer(0...65535),
            "the port it listens on; 0 means any free port",
            reason:
                "If not set, the first free one of 8737 to 8746, so that two users of one machine have one each; then that one again, since browsers keep bookmarks and settings by it."
        ),
        Setting(
            "viewer.listen", \.viewer.listen, .text,
            "the IP address it listens on; for a tablet on the same network, the address of this machine there, or 0.0.0.0 or '::' for all",
            reason:
                "Anything but this machine needs token_file. Pages and the token travel as plain http, which others on the network can read."
        ),
        Setting(
            "viewer.names", \.viewer.names, .list,
            "names and addresses by which browsers on other machines may reach this one",
            reason:
                "As in [laptop.local, 192.168.1.5]; not needed if listen is one address. Other names are refused, since they may be a web page's trick."
        ),
        Setting(
            "viewer.token_file", optional: \.viewer.tokenFile, .path,
            "a file with a password of your own for browsers on other machines, as in ~/.config/woodshed/viewer-token",
            reason: """
                Make up 16 characters or more, on one line, mode 0600; a browser is asked for them once each time the agent starts.
                It is not the account's token, which must never be typed into a browser.
                """),
        Setting(
            "viewer.guest_token_file", optional: \.viewer.guestTokenFile, .path,
            "a file with another password, for guests: their browsers show everything, and change and save nothing",
            reason: "Of the same kind as that in token_file, and not the same."),
        Setting(
            "export.folder", optional: \.export.folder, .path,
            "a folder in which the agent keeps each coming plan as one PDF with its marks",
            reason: """
                For Syncthing, Nextcloud or a stick to carry to a tablet. Make the folder first: if it is away, none is made in its place.
                What else is in it is left alone.
                """),
        Setting(
            "band.place", optional: \.band.place, .place,
            "what the band shares, as in ~/Nextcloud/band, https://SERVER/FOLDER (WebDAV) or s3://BUCKET/PREFIX: marks and readiness travel through it",
            reason: "'woodshed band create' and 'woodshed band join' set it; 'woodshed help band' explains it."),
        Setting(
            "band.person", optional: \.band.person, .text,
            "what the others in the band call you",
            reason: "If not set, the name of this account on the machine."),
        Setting(
            "band.device", optional: \.band.device, .text,
            "what the others call this device",
            reason: "If not set, the machine's name. It is only for people; devices tell each other apart by an id of their own."),
        Setting(
            "band.together", \.band.isTogether, .boolean,
            "whether who leads and where is told to the band's other agents on this network, and heard from them",
            reason: """
                What is sent is signed and not encrypted. To be heard, and not only to lead, viewer.listen has to be an address of this
                machine on the network, or viewer.names has to have one.
                """),
        Setting(
            "band.key_file", optional: \.band.keyFile, .path, group: "band key",
            "a file with what the band's server is shown: user:password, or a key's id and its secret, on one line, mode 0600",
            reason: "If not set, what logging in with a browser gave; for S3, else AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."),
        Setting(
            "band.key_command", optional: \.band.keyCommand, .text, group: "band key", isShown: false,
            "a shell command that prints the same on its first line",
            reason: "For a password store, as in: pass show band."),
        Setting(
            "band.endpoint", optional: \.band.endpoint, .text,
            "the server of an s3:// place, as in https://SERVER:9000; {bucket} in it stands for the bucket",
            reason: "If not set, Amazon's for the region."),
        Setting(
            "band.region", optional: \.band.region, .text,
            "the region of an s3:// place, as in eu-central-1",
            reason: "If not set, us-east-1, which most servers of one's own take."),
        Setting(
            "notifications.enabled", \.notifications.isEnabled, .boolean,
            "whether the desktop shows a message when something that matters happens",
            reason: "Only what may need you; the log says it in any case."),
        Setting(
            "notifications.quiet_hours", optional: \.notifications.quietHours, .rule(QuietHours.check),
            "the hours in which messages wait, by the clock of this computer, as in 22:00-08:00",
            reason: "Messages that still apply are shown when the quiet hours end. "
                + "If not set, the desktop's own 'do not disturb' is enough."),
        Setting(
            "folders.data", optional: \.folders.data, .path,
            "the folder for what must be kept: plans, charts, layers",
            reason: "If not set, woodshed in $XDG_DATA_HOME or ~/.local/share."),
        Setting(
            "folders.cache", optional: \.folders.cache, .path,
            "the folder for what can be made again: page images",
            reason: "If not set, woodshed in $XDG_CACHE_HOME or ~/.cache; another disk is fine."),
        Setting(
            "folders.runtime", optional: \.folders.runtime, .path,
            "the folder for the lock and the socket of the running agent",
            reason: "If not set, woodshed in $XDG_RUNTIME_DIR or /run/user, else runtime in the data folder."),
        Setting(
            "folders.music", optional: \.folders.music, .path,
            "the folder with links to the charts under readable names",
            reason:
                "If not set, Woodshed in the desktop's folder for music, usually ~/Music, where any PDF reader finds them. What was chosen first is kept."
        ),
        Setting(
            "log.level", \.log.level, .choice(["debug", "info", "warning", "error"]),
            "the least important messages to show: debug, info, warning or error",
            reason: "Shows what was done and what went wrong."),
    ]

    /// No disk is larger; a larger size is a mistake.
    private static let largestSize = ByteCount(1_000_000_000_000_000)

    /// The setting with this key.
    package static func setting(_ key: String) -> Setting? { settings.first { $0.key == key } }
}
