import LocalHTTP
package import Model
package import Platform
import Viewer

/// Everything that can be configured, with its defaults. `Options.settings` describes each field once for the file,
/// the environment, the flags, `config show` and the sample.
package struct Options: Hashable, Sendable {
    /// Whom we ask, and as whom.
    package struct Account: Hashable, Sendable {
        /// Where the service answers.
        package var apiURL = "https://api.planningcenteronline.com/services/v2"
        /// Where layers of marks by others come from; nil for nowhere.
        package var annotationsURL: String?
        /// Whether an address on this machine may be plain http.
        package var allowHTTPLoopback = false
        /// A file that holds the token.
        package var tokenFile: String?
        /// The name of a systemd credential that holds the token.
        var tokenCredential: String?
        /// A shell command that prints the token.
        var tokenCommand: String?
        /// Whose plans; nil for the owner of the token.
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
        /// Else.
        package var far = Duration.seconds(2 * 3600)
    }

    /// Which of the plans' files are charts to keep ready.
    package struct Charts: Hashable, Sendable {
        /// What an attachment can hang on.
        static let allOwners = ["song", "arrangement", "key", "item", "plan"]
        /// What the service makes of an arrangement on demand.
        static let allGenerated = ["chord", "lyric", "pro"]

        /// Patterns of file names; when there are some, one of them must fit.
        var include: [String] = []
        /// Patterns of file names of which none may fit.
        package var exclude: [String] = []
        /// What a chart may hang on.
        var owners = Charts.allOwners
        /// The kinds of generated charts that are wanted.
        var generated = Charts.allGenerated
        /// Rules that hold for one service type in place of the usual ones.
        var byServiceType: [String] = []
    }

    /// How pages are drawn.
    package struct Render: Hashable, Sendable {
        /// Pixels on the long side of a page.
        package var fullSize = 2732
        /// Pixels on the long side of a thumbnail.
        package var thumbnailSize = 320
        /// What pages are drawn on; opaque.
        package var paper = Color.white
        /// Render processes; 0 for one per core.
        package var workers = 0
    }

    /// The user's own files of marks.
    package struct Annotations: Hashable, Sendable {
        /// Folders that are looked through for them, beside the one for charts and the one in the data folder.
        package var folders: [String] = []
        /// Patterns of names that are passed over, of files and folders.
        package var ignore = ["*~", ".*", "*.swap"]
        /// Milliseconds for which a file must be left alone before it is read.
        package var settle = 150
        /// Milliseconds after which it is read all the same.
        package var settleMost = 2000
    }

    /// How much page images may take, on disk and in memory.
    package struct Cache: Hashable, Sendable {
        /// The most on disk; nil for the smaller of 4 GB and a tenth of the disk.
        package var limit: ByteCount?
        /// What is left free of the disk, whatever fills it.
        package var leastFree = DiskAmount.bytes(ByteCount(1_000_000_000))
        /// How long what no plan needs is kept after it was last shown; nil for as long as there is room.
        package var greatestAge: Duration?
        /// The most in memory.
        package var memory = ByteCount(64_000_000)
    }

    /// The pages that a browser shows.
    package struct Viewing: Hashable, Sendable {
        /// Whether the agent offers them.
        package var isEnabled = true
        /// The port; 0 for any that is free.
        package var port = Int(ViewerSettings.defaultPort)
        /// The address of this machine where they are to be had; on 127.0.0.1 they are in any case.
        var listen = "\(IPAddress.loopback)"
        /// What other machines call this one.
        package var names: [String] = []
        /// A file that holds what lets them in.
        package var tokenFile: String?
    }

    /// Where things are kept; nil for the place that the desktop prescribes.
    package struct Folders: Hashable, Sendable {
        package var data: String?
        package var cache: String?
        package var runtime: String?
        package var music: String?
    }

    /// What is said on standard error.
    package struct Logging: Hashable, Sendable {
        /// The least important message that is shown.
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
    package var folders = Folders()
    package var log = Logging()
}
