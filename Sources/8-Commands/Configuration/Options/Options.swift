import LocalHTTP
package import Model
package import Platform

/// Everything that can be configured, with its defaults. `Options.settings` describes each field once for the file,
/// the environment, the flags, `config show` and the sample.
package struct Options: Hashable, Sendable {
    /// Which service is asked, and as whom.
    package struct Account: Hashable, Sendable {
        /// The service's address.
        package var apiURL = "https://api.planningcenteronline.com/services/v2"
        /// Where other people's layers of marks come from; nil for nowhere.
        package var annotationsURL: String?
        /// Whether an address on this machine may be plain http.
        package var allowHTTPLoopback = false
        /// A file that holds the token.
        package var tokenFile: String?
        /// The name of a systemd credential that holds the token.
        package var tokenCredential: String?
        /// A shell command that prints the token.
        package var tokenCommand: String?
        /// The id of the application through which people sign in with a browser instead.
        package var signIn: String?
        /// A file with that application's secret, if it has one.
        package var signInSecret: String?
        /// Whose plans; nil for those of the token's owner.
        package var person: String?
        /// Whole service types instead of the person's plans.
        package var serviceTypes: [String] = []
    }

    /// Which plans are kept ready.
    package struct Plans: Hashable, Sendable {
        /// How far ahead.
        package var ahead = Duration.seconds(28 * 86400)
        /// How long after its last time.
        package var keptAfter = Duration.seconds(30 * 86400)
    }

    /// How often the service is asked.
    package struct Polling: Hashable, Sendable {
        /// Within six hours of a plan's time.
        package var near = Duration.seconds(5 * 60)
        /// Within two days.
        package var soon = Duration.seconds(30 * 60)
        /// At any other time.
        package var far = Duration.seconds(2 * 3600)
    }

    /// Which of the plans' files are charts to keep ready.
    package struct Charts: Hashable, Sendable {
        /// What an attachment can belong to.
        static let allOwners = ["song", "arrangement", "key", "item", "plan"]
        /// What the service can make from an arrangement on demand.
        static let allGenerated = ["chord", "lyric", "pro"]

        /// Patterns of file names; if there are any, one of them must match.
        package var include: [String] = []
        /// Patterns of file names, none of which may match.
        package var exclude: [String] = []
        /// What a chart may belong to.
        var owners = Charts.allOwners
        /// The kinds of generated charts that are wanted.
        var generated = Charts.allGenerated
        /// Rules for a single service type, which replace the usual ones.
        var byServiceType: [String] = []
    }

    /// How pages are drawn.
    package struct Render: Hashable, Sendable {
        /// Pixels on the long side of a page.
        package var fullSize = 2732
        /// Pixels on the long side of a thumbnail.
        package var thumbnailSize = 320
        /// The colour that pages are drawn on; opaque.
        package var paper = Color.white
        /// Render processes; 0 for one per core.
        package var workers = 0
    }

    /// The user's own mark files.
    package struct Annotations: Hashable, Sendable {
        /// Folders that are searched for them, besides the one for charts and the one in the data folder.
        package var folders: [String] = []
        /// Name patterns of files and folders that are ignored.
        package var ignore = ["*~", ".*", "*.swap"]
        /// For how many milliseconds a file must be left alone before it is read.
        package var settle = 150
        /// After how many milliseconds it is read in any case.
        package var settleMost = 2000
        /// How many former states are kept of each file that loses marks.
        package var history = 20
        /// How long they are kept.
        package var historyAge = Duration.seconds(365 * 86400)
    }

    /// How much space page images may take up, on disk and in memory.
    package struct Cache: Hashable, Sendable {
        /// The most on disk; nil for 4 GB or a tenth of the disk, whichever is smaller.
        package var limit: ByteCount?
        /// How much of the disk is left free, whatever fills it.
        package var leastFree = DiskAmount.bytes(ByteCount(1_000_000_000))
        /// How long an image that no plan needs is kept after it was last shown; nil for as long as there is room.
        package var greatestAge: Duration?
        /// The most in memory.
        package var memory = ByteCount(64_000_000)
    }

    /// The pages that a browser shows.
    package struct Viewing: Hashable, Sendable {
        /// Whether the agent shows them.
        package var isEnabled = true
        /// The port; 0 for any free one, nil for the usual ones.
        package var port: Int?
        /// The address of this machine where they are shown; on 127.0.0.1 they are in any case.
        var listen = "\(IPAddress.loopback)"
        /// The names that other devices call this machine by.
        package var names: [String] = []
        /// A file with the token that lets other devices in.
        package var tokenFile: String?
    }

    /// What is shown on the desktop when something that matters happens.
    package struct Notifications: Hashable, Sendable {
        /// Whether anything is.
        package var isEnabled = true
        /// When it waits; nil for never.
        package var quietHours: QuietHours?
    }

    /// Where things are kept; nil for the desktop's standard place.
    package struct Folders: Hashable, Sendable {
        package var data: String?
        package var cache: String?
        package var runtime: String?
        package var music: String?
    }

    /// What is printed on standard error.
    package struct Logging: Hashable, Sendable {
        /// The level of the least important messages that are shown.
        package var level = Log.Level.info
    }

    package var account = Account()
    package var plans = Plans()
    package var polling = Polling()
    package var charts = Charts()
    package var render = Render()
    package var annotations = Annotations()
    package var cache = Cache()
    package var viewer = Viewing()
    package var notifications = Notifications()
    package var folders = Folders()
    package var log = Logging()

    /// The defaults.
    package init() {}
}
