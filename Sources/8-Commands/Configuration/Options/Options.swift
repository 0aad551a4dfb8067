import LocalHTTP
package import Model
package import Platform

/// All options, with their defaults. `Options.settings` describes each field once, for the file, the environment, flags, the sample
/// file and `config show`.
package struct Options: Hashable, Sendable {
    /// The service, and the user's account there.
    package struct Account: Hashable, Sendable {
        package var apiURL = "https://api.planningcenteronline.com/services/v2"
        /// The source of other people's layers of marks; nil for none.
        package var annotationsURL: String?
        package var allowHTTPLoopback = false
        package var tokenFile: String?
        package var tokenCredential: String?
        package var tokenCommand: String?
        package var signIn: String?
        package var signInSecret: String?
        /// The id of the person whose plans are shown; nil for the token's owner.
        package var person: String?
        package var serviceTypes: [String] = []
    }

    /// Which plans are kept ready.
    package struct Plans: Hashable, Sendable {
        package var ahead = Duration.seconds(28 * 86400)
        package var keptAfter = Duration.seconds(30 * 86400)
        /// The folders with the musician's own sets and songbooks.
        package var folders: [String] = []
    }

    /// How often the service is polled.
    package struct Polling: Hashable, Sendable {
        package var near = Duration.seconds(5 * 60)
        package var soon = Duration.seconds(30 * 60)
        package var far = Duration.seconds(2 * 3600)
    }

    /// Which of the plans' files are kept ready as charts.
    package struct Charts: Hashable, Sendable {
        /// The things at the service that an attachment can belong to.
        static let allOwners = ["song", "arrangement", "key", "item", "plan"]
        /// The charts that the service can generate from an arrangement, and our own charts, which replace the service's chord charts.
        static let allGenerated = usualGenerated + ["own"]
        static let usualGenerated = ["chord", "lyric", "pro"]

        package var include: [String] = []
        package var exclude: [String] = []
        var owners = Charts.allOwners
        var generated = Charts.usualGenerated
        package var writing = SongView.Writing.letters.rawValue
        package var parts: [String] = []
        static let noDiagrams = "none"
        package var diagrams = Charts.noDiagrams
        var byServiceType: [String] = []
    }

    /// How pages are drawn.
    package struct Render: Hashable, Sendable {
        package var fullSize = 2732
        package var thumbnailSize = 320
        /// The background colour of pages; opaque.
        package var paper = Color.white
        /// The number of render processes; 0 for one per core.
        package var workers = 0
    }

    /// The user's own mark files.
    package struct Annotations: Hashable, Sendable {
        package var folders: [String] = []
        package var ignore = ["*~", ".*", "*.swap"]
        /// How many milliseconds a file must stay unchanged before it is read.
        package var settle = 150
        /// After how many milliseconds a file is read even if it keeps changing.
        package var settleMost = 2000
        package var history = 20
        package var historyAge = Duration.seconds(365 * 86400)
    }

    /// How much space page images may take up, on disk and in memory.
    package struct Cache: Hashable, Sendable {
        /// The maximum on disk; nil for 4 GB or a tenth of the disk, whichever is smaller.
        package var limit: ByteCount?
        package var leastFree = DiskAmount.bytes(ByteCount(1_000_000_000))
        /// How long an image that no plan needs is kept after it was last shown; nil for no limit.
        package var greatestAge: Duration?
        package var memory = ByteCount(64_000_000)
    }

    /// The viewer in the browser.
    package struct Viewing: Hashable, Sendable {
        package var isEnabled = true
        /// The port; 0 for any free port, nil for the usual ones.
        package var port: Int?
        var listen = "\(IPAddress.loopback)"
        package var names: [String] = []
        package var tokenFile: String?
        package var guestTokenFile: String?
    }

    /// The plans exported as PDFs.
    package struct Export: Hashable, Sendable {
        /// The target folder; nil for no export.
        package var folder: String?
    }

    /// The musician's band.
    package struct Band: Hashable, Sendable {
        /// The folder or address that the whole band shares; nil for none.
        package var place: String?
        /// The names of the musician and of this device in the band.
        package var person: String?
        package var device: String?
        /// Whether pages are turned together with the band's other agents on one network.
        package var isTogether = false
        /// The address of the bucket's server, if not Amazon's usual one.
        package var endpoint: String?
        package var region: String?
        /// The key for a server: a file that contains the key, or a shell command that prints it.
        package var keyFile: String?
        package var keyCommand: String?
    }

    package struct Notifications: Hashable, Sendable {
        package var isEnabled = true
        /// The hours in which notifications wait; nil for none.
        package var quietHours: QuietHours?
    }

    /// The folders for all files; nil for the desktop's standard folder.
    package struct Folders: Hashable, Sendable {
        package var data: String?
        package var cache: String?
        package var runtime: String?
        package var music: String?
    }

    package struct Logging: Hashable, Sendable {
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
    package var export = Export()
    package var band = Band()
    package var notifications = Notifications()
    package var folders = Folders()
    package var log = Logging()

    /// Sets every option to its default.
    package init() {}
}
