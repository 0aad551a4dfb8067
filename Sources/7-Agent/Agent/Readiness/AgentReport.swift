public import Model

/// What only a running agent knows: what it is doing, what it will do next, and what went wrong.
public struct AgentReport: Hashable, Sendable, Codable {
    /// Goes up when a reader of the former form would misread the present one.
    public static let schema = 1

    /// A pause of polls, downloads and background rendering.
    public struct Pause: Hashable, Sendable, Codable {
        /// `nil` for until somebody ends it.
        public var until: Timestamp?

        /// Makes a pause.
        public init(until: Timestamp? = nil) {
            self.until = until
        }
    }

    /// How polling the service goes.
    public struct Polls: Hashable, Sendable, Codable {
        /// How the last poll ended.
        public enum Reach: String, Hashable, Sendable, Codable {
            case reached
            case offline
            case notAuthorised = "not-authorised"
        }

        public var isRunning: Bool
        /// When the last poll ended, well or not.
        public var lastTry: Timestamp?
        public var reach: Reach?
        /// Since when every poll has ended with a refused token, and how many have.
        public var refusedSince: Timestamp?
        public var refusedTimes: Int?
        /// When the last poll answered in full.
        public var lastGood: Timestamp?
        /// `nil` if none is planned.
        public var next: Timestamp?
        /// Charts that the present poll downloads, and how many of them are done.
        public var downloads: Int
        public var downloaded: Int
        /// What its requests wait for; older agents do not say it.
        public var wait: ServiceWait?
        /// Where the service has no marks of others; older agents do not say it.
        public var noMarksAt: String?
        /// What did not work in the last poll.
        public var setbacks: [Setback]
        /// The charts that the service does not give us for now.
        public var refusals: [Refusal]

        /// Makes a report.
        public init(
            isRunning: Bool = false, lastTry: Timestamp? = nil, reach: Reach? = nil, refusedSince: Timestamp? = nil,
            refusedTimes: Int? = nil,
            lastGood: Timestamp? = nil, next: Timestamp? = nil, downloads: Int = 0, downloaded: Int = 0,
            wait: ServiceWait? = nil, noMarksAt: String? = nil, setbacks: [Setback] = [],
            refusals: [Refusal] = []
        ) {
            self.isRunning = isRunning
            self.lastTry = lastTry
            self.reach = reach
            self.refusedSince = refusedSince
            self.refusedTimes = refusedTimes
            self.lastGood = lastGood
            self.next = next
            self.downloads = downloads
            self.downloaded = downloaded
            self.wait = wait
            self.noMarksAt = noMarksAt
            self.setbacks = setbacks
            self.refusals = refusals
        }
    }

    /// Why a chart does not arrive.
    public struct Refusal: Hashable, Sendable, Codable {
        public var attachment: AttachmentID
        public var message: String

        /// Makes a refusal.
        public init(_ attachment: AttachmentID, _ message: String) {
            self.attachment = attachment
            self.message = message
        }
    }

    /// What is being rendered, and what waits to be.
    public struct Rendering: Hashable, Sendable, Codable {
        /// Pages that wait for one reason, as a person would put it: "page on screen", "next plan".
        public struct Lane: Hashable, Sendable, Codable {
            public var name: String
            public var pages: Int
            public var images: Int

            /// Makes a lane.
            public init(_ name: String, pages: Int, images: Int) {
                self.name = name
                self.pages = pages
                self.images = images
            }
        }

        /// A page that is being drawn.
        public struct Page: Hashable, Sendable, Codable {
            public var chart: ChartHash
            public var page: PageIndex

            /// Names a page.
            public init(_ chart: ChartHash, _ page: PageIndex) {
                self.chart = chart
                self.page = page
            }

            public init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                guard let digest = Digest(hex: try container.decode(String.self, forKey: .chart)) else {
                    throw DecodingError.dataCorruptedError(forKey: .chart, in: container, debugDescription: "not a hash")
                }
                chart = ChartHash(digest)
                page = try container.decode(PageIndex.self, forKey: .page)
            }

            public func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(chart.digest.hex, forKey: .chart)
                try container.encode(page, forKey: .page)
            }

            private enum CodingKeys: String, CodingKey {
                case chart
                case page
            }
        }

        /// What waits, the most urgent first.
        public var lanes: [Lane]
        public var running: [Page]
        /// Render processes that are alive, and how many there may be.
        public var workers: Int
        public var mostWorkers: Int

        /// Makes a report.
        public init(lanes: [Lane] = [], running: [Page] = [], workers: Int = 0, mostWorkers: Int = 0) {
            self.lanes = lanes
            self.running = running
            self.workers = workers
            self.mostWorkers = mostWorkers
        }

        /// Pages that wait, and their images.
        public var waitingPages: Int { lanes.reduce(0) { $0 + $1.pages } }
        public var waitingImages: Int { lanes.reduce(0) { $0 + $1.images } }
    }

    /// How watching folders goes.
    public struct Watching: Hashable, Sendable, Codable {
        public var folders: Int
        /// Roots that do not exist or may not be read.
        public var missing: [String]
        /// Roots that are scanned once a minute instead.
        public var scanned: [String]
        /// Why nothing is watched, in a sentence.
        public var trouble: String?

        /// Makes a report.
        public init(folders: Int = 0, missing: [String] = [], scanned: [String] = [], trouble: String? = nil) {
            self.folders = folders
            self.missing = missing
            self.scanned = scanned
            self.trouble = trouble
        }
    }

    public var version: String
    public var process: Int32
    public var since: Timestamp
    /// `nil` while nothing is paused.
    public var pause: Pause?
    public var polls: Polls
    public var rendering: Rendering
    public var watching: Watching
    /// Mark files that cannot be read and about which the library says nothing, and roots whose files are all gone.
    public var marks: [Setback]
    /// Whatever else is wrong, one sentence each, for instance that the cache cannot be kept within its limits.
    public var complaints: [String]
    /// Why the pages of charts could not be counted, by the chart's hash in hexadecimal; older agents do not say it.
    public var uncounted: [String: String]?

    /// Makes a report.
    public init(
        version: String, process: Int32, since: Timestamp, pause: Pause? = nil, polls: Polls = Polls(), rendering: Rendering = Rendering(),
        watching: Watching = Watching(), marks: [Setback] = [], complaints: [String] = [], uncounted: [String: String]? = nil
    ) {
        self.version = version
        self.process = process
        self.since = since
        self.pause = pause
        self.polls = polls
        self.rendering = rendering
        self.watching = watching
        self.marks = marks
        self.complaints = complaints
        self.uncounted = uncounted
    }
}
