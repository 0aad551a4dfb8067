import JSON
public import Model
public import Sync

/// A running agent's state that is recorded nowhere else: its present and next work, and its problems.
public struct AgentReport: Hashable, Sendable, Codable {
    /// Raised when a reader of the previous form would misread the new one.
    public static let schema = 1

    /// A pause of polls, downloads and background rendering.
    public struct Pause: Hashable, Sendable, Codable {
        /// `nil` if only a person ends the pause.
        public var until: Timestamp?
    }

    public struct Polls: Hashable, Sendable, Codable {
        public typealias Reach = PollOutcome.Reach

        /// Since when, and how often, polls have ended with a refused token.
        public struct Refused: Hashable, Sendable, Codable {
            public var since: Timestamp
            public var times: Int

            public init(since: Timestamp, times: Int) { (self.since, self.times) = (since, times) }
        }

        public var isRunning = false
        /// When the last poll ended, successfully or not.
        public var lastTry: Timestamp?
        public var reach: Reach?
        /// `nil` unless the last polls ended with a refused token.
        public var refused: Refused?
        /// When the last poll was answered in full.
        public var lastGood: Timestamp?
        /// `nil` if no poll is planned.
        public var next: Timestamp?
        /// Charts that the current poll downloads, and how many of them are done.
        public var downloads = 0
        public var downloaded = 0
        /// Why the poll's requests wait; missing in reports of older agents.
        public var wait: ServiceWait?
        /// The address at which the service has no marks of others; missing in reports of older agents.
        public var noMarksAt: String?
        /// The setbacks of the last poll.
        public var setbacks: [Setback] = []
        /// The charts that did not arrive at the last attempt, with reasons.
        public var refusals: [Refusal] = []
    }

    public struct Refusal: Hashable, Sendable, Codable {
        public var attachment: AttachmentID
        public var message: String
    }

    /// The pages being rendered, and the waiting pages.
    public struct Rendering: Hashable, Sendable, Codable {
        /// Pages that wait for one reason, named as a person would put it: "page on screen", "next plan".
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

        /// The waiting pages, most urgent first.
        public var lanes: [Lane] = []
        public var running: [Page] = []
        /// The running render processes, and the most allowed.
        public var workers = 0
        public var mostWorkers = 0

        /// The waiting pages, and their images.
        public var waitingPages: Int { lanes.reduce(0) { $0 + $1.pages } }
        public var waitingImages: Int { lanes.reduce(0) { $0 + $1.images } }
    }

    public struct Watching: Hashable, Sendable, Codable {
        public var folders = 0
        /// Roots that do not exist or may not be read.
        public var missing: [String] = []
        /// Roots that are not watched, but scanned once a minute.
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
    /// What is wrong with the folders of mark files, including files in them that are not read.
    public var marks: [Setback] = []
    /// All other problems, one sentence each, for instance a cache that exceeds its limits.
    public var complaints: [String] = []
    /// Why browsers are not shown the pages although they should be, in a sentence; missing in reports of older agents.
    public var noPages: String?
    /// Which of the complaints says that nothing new is kept, as on a full disk.
    public var unkept: String?
    /// Which of the complaints says that there is no room for images.
    public var room: String?
    /// Why the pages of charts could not be counted, by the chart's hash in hexadecimal; missing in reports of older agents.
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

    /// The form for the control socket.
    public var json: [UInt8] {
        // Encoding cannot fail: only strings, whole numbers and lists of these are encoded.
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
