import Library
public import Model

extension ReadinessReport {
    /// A mark file that is understood but belongs to no known chart.
    public struct UnmatchedMarks: Hashable, Sendable {
        public let path: String
        /// What it says that it was made on, for people; `nil` if it says nothing.
        public let names: String?

        /// Makes an entry for a file.
        public init(path: String, names: String?) {
            self.path = path
            self.names = names
        }

        /// Makes an entry for a file by what it says.
        init(path: String, _ reference: MarkFile.Reference) {
            let names = reference.pdf ?? reference.attachment.map { "the chart \($0)" }
            let digits = reference.chart?.digest.shortHex ?? reference.chartBeginning
            self.init(path: path, names: names ?? digits.map { "a PDF whose hash begins with \($0)" })
        }

        /// The sentence for people, without a full stop.
        public var sentence: String {
            "your marks: \(path) belongs to no chart here; it names \(names ?? "none")"
        }
    }

    /// Marks that nobody sees and that no plan of this report mentions: for no chart here, on another chart than the one that is to be
    /// played, or on pages that a chart of another plan does not have. One sentence each; a few of them, and then how many more there
    /// are.
    public var unseenMarks: [String] {
        let told = Set(plans.flatMap(\.charts).map(\.attachment))
        let elsewhere = marksBeyond.filter { !told.contains($0.attachment) }.map { $0.sentence }
        return Self.few(unmatchedMarks.map(\.sentence)) { "your marks, for no chart here: \($0)" }
            + Self.few(marksOnOthers.map(\.sentence)) { "your marks, on another chart: \($0)" }
            + Self.few(elsewhere) { "marks on pages that do not exist: \($0) or layers" }
    }

    /// Everything that its plans lack.
    public var lacks: [ReadinessLack] { plans.flatMap { $0.lacks + $0.charts.flatMap(\.lacks) } }

    /// What is wrong with the mark folders, except those that a lack is about.
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

extension MarksBeyond {
    /// What people call the layer, or the file.
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
            ? "your marks: \(path) is drawn on \(filename) (\(attachment)), but not on \(other), which is the same file"
            : "your marks: \(path) is for \(filename) (\(attachment)), which no upcoming plan shows, but not for \(other) of the same name"
    }
}
