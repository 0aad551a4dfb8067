import LocalHTTP
import Model
import Platform
import Viewer

/// Everything that can be configured, with its defaults. `Options.settings` describes each field once for the file,
/// the environment, the flags, `config show` and the sample.
struct Options: Hashable, Sendable {
    /// Whom we ask, and as whom.
    struct Account: Hashable, Sendable {
        /// Where the service answers.
        var apiURL = "https://api.planningcenteronline.com/services/v2"
        /// Where layers of marks by others come from; nil for nowhere.
        var annotationsURL: String?
        /// Whether an address on this machine may be plain http.
        var allowHTTPLoopback = false
        /// A file that holds the token.
        var tokenFile: String?
        /// The name of a systemd credential that holds the token.
        var tokenCredential: String?
        /// A shell command that prints the token.
        var tokenCommand: String?
        /// Whose plans; nil for the owner of the token.
        var person: String?
        /// Whole service types instead of the person's plans.
        var serviceTypes: [String] = []
    }

    /// Which plans are kept ready.
    struct Plans: Hashable, Sendable {
        /// How far ahead.
        var ahead = Duration.seconds(28 * 86400)
        /// How long after its last time.
        var keptAfter = Duration.seconds(30 * 86400)
    }

    /// How often the service is asked.
    struct Polling: Hashable, Sendable {
        /// Within six hours of a plan's time.
        var near = Duration.seconds(5 * 60)
        /// Within two days.
        var soon = Duration.seconds(30 * 60)
        /// Else.
        var far = Duration.seconds(2 * 3600)
    }

    /// Which of the plans' files are charts to keep ready.
    struct Charts: Hashable, Sendable {
        /// What an attachment can hang on.
        static let allOwners = ["song", "arrangement", "key", "item", "plan"]
        /// What the service makes of an arrangement on demand.
        static let allGenerated = ["chord", "lyric", "pro"]

        /// Patterns of file names; when there are some, one of them must fit.
        var include: [String] = []
        /// Patterns of file names of which none may fit.
        var exclude: [String] = []
        /// What a chart may hang on.
        var owners = Charts.allOwners
        /// The kinds of generated charts that are wanted.
        var generated = Charts.allGenerated
        /// Rules that hold for one service type in place of the usual ones.
        var byServiceType: [String] = []
    }

    /// How pages are drawn.
    struct Render: Hashable, Sendable {
        /// Pixels on the long side of a page.
        var fullSize = 2732
        /// Pixels on the long side of a thumbnail.
        var thumbnailSize = 320
        /// What pages are drawn on; opaque.
        var paper = Color.white
        /// Render processes; 0 for one per core.
        var workers = 0
    }

    /// The user's own files of marks.
    struct Annotations: Hashable, Sendable {
        /// Folders that are looked through for them, beside the one for charts and the one in the data folder.
        var folders: [String] = []
        /// Patterns of names that are passed over, of files and folders.
        var ignore = ["*~", ".*", "*.swap"]
        /// Milliseconds for which a file must be left alone before it is read.
        var settle = 150
        /// Milliseconds after which it is read all the same.
        var settleMost = 2000
    }

    /// How much page images may take, on disk and in memory.
    struct Cache: Hashable, Sendable {
        /// The most on disk; nil for the smaller of 4 GB and a tenth of the disk.
        var limit: ByteCount?
        /// What is left free of the disk, whatever fills it.
        var leastFree = DiskAmount.bytes(ByteCount(1_000_000_000))
        /// How long what no plan needs is kept after it was last shown; nil for as long as there is room.
        var greatestAge: Duration?
        /// The most in memory.
        var memory = ByteCount(64_000_000)
    }

    /// The pages that a browser shows.
    struct Viewing: Hashable, Sendable {
        /// Whether the agent offers them.
        var isEnabled = true
        /// The port; 0 for any that is free.
        var port = Int(ViewerSettings.defaultPort)
        /// The address of this machine where they are to be had; on 127.0.0.1 they are in any case.
        var listen = "\(IPAddress.loopback)"
        /// What other machines call this one.
        var names: [String] = []
        /// A file that holds what lets them in.
        var tokenFile: String?
    }

    /// Where things are kept; nil for the place that the desktop prescribes.
    struct Folders: Hashable, Sendable {
        var data: String?
        var cache: String?
        var runtime: String?
        var music: String?
    }

    /// What is said on standard error.
    struct Logging: Hashable, Sendable {
        /// The least important message that is shown.
        var level = Log.Level.info
    }

    var account = Account()
    var plans = Plans()
    var polling = Polling()
    var charts = Charts()
    var render = Render()
    var annotations = Annotations()
    var cache = Cache()
    var viewer = Viewing()
    var folders = Folders()
    var log = Logging()
}
