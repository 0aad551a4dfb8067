import Library
public import Model

/// Which plans can be played from offline; for the others, what each of their charts lacks.
public struct ReadinessReport: Hashable, Sendable {
    /// Whether a plan is kept ready, because it is coming or pinned, or is not, because it is past or too far ahead.
    public enum Standing: Hashable, Sendable {
        case coming
        /// Pinned, but not coming.
        case pinned
        case past
        case far
    }

    public struct Plan: Hashable, Sendable {
        public let plan: Model.Plan
        public internal(set) var standing = Standing.coming
        public internal(set) var isPinned = false
        public let charts: [Chart]
        public internal(set) var lacks: [ReadinessLack] = []
        public internal(set) var notes: [ReadinessNote] = []

        public var isReady: Bool { lacks.isEmpty && charts.allSatisfy(\.isReady) }
        /// The plan's charts, each once however often it is played; one attachment may have several charts. While the chart for a song's
        /// second key is missing, both items show the same chart, and only one of them has a lack; hence lacks are compared, too.
        public var distinctCharts: [Chart] {
            struct Identity: Hashable {
                let attachment: AttachmentID
                let hash: ChartHash?
                let lacks: [ReadinessLack]
            }
            var seen: Set<Identity> = []
            return charts.filter { seen.insert(Identity(attachment: $0.attachment, hash: $0.hash, lacks: $0.lacks)).inserted }
        }
        public var unready: [Chart] { distinctCharts.filter { !$0.isReady } }
        /// The number of the charts' pages counted so far.
        public var pages: Int { distinctCharts.reduce(0) { $0 + ($1.pages ?? 0) } }
    }

    public struct Chart: Hashable, Sendable {
        public let attachment: AttachmentID
        public let filename: String
        public let item: String
        /// The hash that the chart's bytes should have; `nil` if the chart was never downloaded.
        public internal(set) var hash: ChartHash?
        /// `nil` until the pages are counted.
        public internal(set) var pages: Int?
        /// How many images the chart should have; `present` is the number of these that can be shown.
        public internal(set) var wanted = 0
        public internal(set) var present = 0
        public internal(set) var lacks: [ReadinessLack] = []
        public internal(set) var notes: [ReadinessNote] = []

        public var isReady: Bool { lacks.isEmpty }
    }

    public let asOf: Timestamp
    /// When a poll was last complete, or complete for these plans; `nil` if never.
    public let lastPoll: Timestamp?
    /// Whether that poll was about these plans alone.
    public internal(set) var isOfPlansAlone = false
    /// The setbacks of the polls since the last complete one; `nil` if the last poll was complete.
    public internal(set) var failingPolls: FailingPolls?
    /// Whether every byte was checked, and not only that the files exist and end as they should.
    public let isThorough: Bool
    /// Sorted by time.
    public let plans: [Plan]
    /// Mark files that cannot be read and belong to no known chart.
    public internal(set) var strayMarks: [StrayMarks] = []
    /// The user's mark files that can be read but belong to no known chart.
    public internal(set) var unmatchedMarks: [UnmatchedMarks] = []
    /// Marks on pages that their charts lack, including charts of other plans.
    public internal(set) var marksBeyond: [MarksBeyond] = []
    /// The user's marks that are drawn on one chart and may be intended for another one, too.
    public internal(set) var marksOnOthers: [MarksOnAnother] = []
    /// The troubles of the mark folders; all records of the files in them are kept.
    public internal(set) var markFolders: [Setback] = []
    /// Where all plans come from: `.sets` if no account is configured, and the musician's own folders are read in place of polls.
    public internal(set) var source = PlanSource.service
    /// How far this machine's clock was ahead of the service's at the last poll; `nil` if the clocks agreed.
    public internal(set) var clockAhead: Duration?
    /// A reason why there may be plans that are not known here; each known plan has the same lack.
    public internal(set) var doubt: ReadinessLack?

    /// How old the last poll may be unless a person demands less: long enough for a laptop that was closed for a day, and short
    /// enough that a change for Sunday has arrived.
    public static let greatestAge: Duration = .seconds(2 * 86_400)

    /// The age of the last poll. `nil` if there was none, or if it is more than a minute in the future, because a clock was wrong.
    public var age: Duration? { lastPoll.flatMap { $0 <= asOf + .seconds(60) ? max(asOf - $0, .zero) : nil } }

    public var isReady: Bool { doubt == nil && plans.allSatisfy(\.isReady) }
}

extension ReadinessReport {
    /// A mark file that cannot be read and belongs to no known chart.
    public struct StrayMarks: Hashable, Sendable {
        public let path: String
        public let fault: String
    }

    /// A mark file that can be read but belongs to no known chart.
    public struct UnmatchedMarks: Hashable, Sendable {
        public let path: String
        /// The chart that the file names, in words for people; `nil` if it names none.
        public let names: String?

        /// The sentence for people, without a full stop.
        public var sentence: String {
            "your marks: \(path) belongs to no chart here; it names \(names ?? "none")"
        }
    }

    /// Marks that may be missed and that no plan of this report mentions: for no known chart, drawn on another chart than the one to
    /// be played, or on pages that another plan's chart lacks. One sentence for each of the first few, then the number of the rest.
    public var unseenMarks: [String] {
        let told = Set(plans.flatMap(\.charts).map(\.attachment))
        let elsewhere = marksBeyond.filter { !told.contains($0.attachment) }.map { $0.sentence }
        return Self.few(unmatchedMarks.map(\.sentence)) { "your marks, for no chart here: \($0)" }
            + Self.few(marksOnOthers.map(\.sentence)) { "your marks, on another chart: \($0)" }
            + Self.few(elsewhere) { "marks on pages that do not exist: \($0) or layers" }
    }

    public var lacks: [ReadinessLack] { plans.flatMap { $0.lacks + $0.charts.flatMap(\.lacks) } }

    /// The troubles of the mark folders that are not reported as lacks.
    public var otherMarkFolders: [Setback] {
        let told = Set(lacks.compactMap { if case .marksUnseen(let folder) = $0 { folder } else { nil } })
        return markFolders.filter { !told.contains($0.subject) }
    }

    private static func few(_ sentences: [String], _ rest: (String) -> String) -> [String] {
        let more = sentences.count - mostNamed
        return sentences.prefix(mostNamed) + (more > 0 ? [rest(more == 1 ? "1 more file" : "\(more) more files")] : [])
    }

    private static let mostNamed = 5
}

extension ReadinessReport.UnmatchedMarks {
    init(path: String, _ reference: MarkFile.Reference) {
        let names = reference.pdf ?? reference.attachment.map { "the chart \($0)" }
        let digits = reference.chart?.digest.shortHex ?? reference.chartBeginning
        self.init(path: path, names: names ?? digits.map { "a PDF whose hash begins with \($0)" })
    }
}

extension MarksBeyond {
    /// The layer's name for people, or the file's path.
    var displayName: String { path ?? Layer.displayName(name, by: person) }

    /// The sentence for people, without a full stop.
    public var sentence: String {
        let which = "\(filename) of \(chartPages == 1 ? "1 page" : "\(chartPages) pages") does not have"
        return ReadinessNote.beyond(pages, of: displayName, path: path, which)
    }
}

extension MarksOnAnother {
    /// The sentence for people, without a full stop.
    public var sentence: String {
        isShown
            ? "your marks: \(path) is drawn on \(filename), but not on \(otherName == filename ? "the other chart of that name (\(other))" : otherName), which is the same file"
            : "your marks: \(path) is for a former \(filename), which no upcoming plan shows, but not for the one of the same name that one does (\(other))"
    }
}
