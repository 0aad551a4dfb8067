import JSON
public import Model
public import Sync

/// The state of a running agent that no one else knows: its present and next work, and what went wrong.
public struct AgentReport: Hashable, Sendable, Codable {
    /// Goes up when a reader of the former form would misread the present one.
    public static let schema = 1

    /// A pause of polls, downloads and background rendering.
    public struct Pause: Hashable, Sendable, Codable {
        /// `nil` until it is ended by hand.
        public var until: Timestamp?
    }

    public struct Polls: Hashable, Sendable, Codable {
        public typealias Reach = PollOutcome.Reach

        /// Since when every poll has ended with a refused token, and how many have.
        public struct Refused: Hashable, Sendable, Codable {
            public var since: Timestamp
            public var times: Int

            public init(since: Timestamp, times: Int) { (self.since, self.times) = (since, times) }
        }

        public var isRunning = false
        /// When the last poll ended, well or not.
        public var lastTry: Timestamp?
        public var reach: Reach?
        /// Set while polls end with a refused token.
        public var refused: Refused?
        /// When the last poll answered in full.
        public var lastGood: Timestamp?
        /// `nil` if none is planned.
        public var next: Timestamp?
        /// Charts that the present poll downloads, and how many of them are done.
        public var downloads = 0
        public var downloaded = 0
        /// The reason that its requests wait; missing in older agents.
        public var wait: ServiceWait?
        /// Where the service has no marks of others; missing in older agents.
        public var noMarksAt: String?
        /// The setbacks of the last poll.
        public var setbacks: [Setback] = []
        /// The charts that the service does not give us for now.
        public var refusals: [Refusal] = []
    }

    public struct Refusal: Hashable, Sendable, Codable {
        public var attachment: AttachmentID
        public var message: String
    }

    /// The pages that are being rendered, and those that wait.
    public struct Rendering: Hashable, Sendable, Codable {
        /// Pages that wait for one reason, as a person would put it: "page on screen", "next plan".
        public struct Lane: Hashable, Sendable, Codable {
            public var name: String
            public var pages: Int
            public var images: Int
        }

        public struct Page: Hashable, Sendable, Codable {
            public var chart: ChartHash
            public var page: PageIndex

            public init(_ chart: ChartHash, _ page: PageIndex) { (self.chart, self.page) = (chart, page) }
        }

        /// The waiting pages, the most urgent first.
        public var lanes: [Lane] = []
        public var running: [Page] = []
        /// Render processes that are alive, and how many there may be.
        public var workers = 0
        public var mostWorkers = 0

        /// Pages that wait, and their images.
        public var waitingPages: Int { lanes.reduce(0) { $0 + $1.pages } }
        public var waitingImages: Int { lanes.reduce(0) { $0 + $1.images } }
    }

    public struct Watching: Hashable, Sendable, Codable {
        public var folders = 0
        /// Roots that do not exist or may not be read.
        public var missing: [String] = []
        /// Roots that are scanned once a minute instead.
        public var scanned: [String] = []
        /// Why nothing is watched, in a sentence.
        public var trouble: String?

        public init(folders: Int = 0, missing: [String] = [], scanned: [String] = [], trouble: String? = nil) {
            (self.folders, self.missing, self.scanned, self.trouble) = (folders, missing, scanned, trouble)
        }
    }

    public var version: String
    public var process: Int32
    public var since: Timestamp
    /// `nil` while nothing is paused.
    public var pause: Pause?
    public var polls = Polls()
    public var rendering = Rendering()
    public var watching = Watching()
    /// Mark files that cannot be read and that are not in the library, and roots whose files are all gone.
    public var marks: [Setback] = []
    /// All other problems, one sentence each, for instance that the cache cannot be kept within its limits.
    public var complaints: [String] = []
    /// Why the pages of charts could not be counted, by the chart's hash in hexadecimal; missing in older agents.
    public var uncounted: [String: String]?
}

extension AgentReport {
    private struct Envelope: Codable {
        var schema: Int
        var agent: AgentReport
    }

    private struct Form: Decodable {
        var schema: Int
    }

    /// The form in which it goes over the control socket.
    public var json: [UInt8] {
        // Strings, whole numbers and lists of them: encoding them cannot fail.
        return (try? JSONWriter.encode(Envelope(schema: Self.schema, agent: self))) ?? []
    }

    public init(json: [UInt8]) throws(Trouble) {
        do {
            let answer = try JSONReader.whole(json)
            let form = try answer.decoded(as: Form.self)
            guard form.schema == Self.schema else {
                throw Trouble(
                    "the running agent reports its state in form \(form.schema), but this program expects form \(Self.schema); restart the agent"
                )
            }
            self = try answer.decoded(as: Envelope.self).agent
        } catch {
            throw error as? Trouble ?? Trouble("the running agent's answer was not understood: \(error)")
        }
    }
}
