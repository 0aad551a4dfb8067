public import Model

/// Finds charts by the titles that people write in a list.
public struct ChartTitles: Sendable {
    /// A chart that has a title.
    public enum Chart: Hashable, Sendable {
        case file(SetFile)
        /// A chart of another plan that is here.
        case here(Attachment)

        var name: String {
            switch self {
            case .file(let file): file.name
            case .here(let attachment): attachment.filename
            }
        }
    }

    public enum Found: Hashable, Sendable {
        /// The charts of one song.
        case song([Chart])
        case none
        /// Charts of several songs that may all be meant, in the order of their names.
        case several([Chart])
    }

    private struct Entry {
        var chart: Chart
        /// The title as it is compared: with the number before it, and without.
        let forms: Set<String>
        let key: String?
        /// What charts of one song have in common.
        let song: String
        /// Whether the chart is in a songbook, not in a set.
        var isInBook = false
    }

    private var entries: [Entry] = []
    /// The entries of files, by their paths.
    private var ofFiles: [String: Entry] = [:]

    public init() {}

    public var count: Int { entries.count }

    /// Puts files in place of all charts that were added before. Of a file that was among them, the name is not read again: a songbook has
    /// thousands.
    public mutating func set(_ files: [SetFile]) {
        let former = ofFiles
        ofFiles = Dictionary(minimumCapacity: files.count)
        entries = files.map { file in
            var entry = former[file.path] ?? Self.entry(file)
            entry.chart = .file(file)
            ofFiles[file.path] = entry
            return entry
        }
    }

    private static func entry(_ file: SetFile) -> Entry {
        let (title, bare) = (SongTitle(ofFile: file.name), SongTitle.withoutEnding(file.name))
        let numbered = SongTitle(bare.contains(" ") ? bare : String(bare.map { $0 == "_" ? " " : $0 }))
        let folder = file.path.dropLast(file.name.count)
        return Entry(
            chart: .file(file), forms: [title.compared, numbered.compared, SongTitle.compared(bare)], key: title.key,
            song: "\(folder)\(bare)", isInBook: !isOfSet(file))
    }

    /// Whether a file lies in a set, or in the folder of one of its songs.
    private static func isOfSet(_ file: SetFile) -> Bool {
        file.path.split(separator: "/").dropLast().suffix(2).contains { if case .set = SetName.read(String($0)) { true } else { false } }
    }

    /// Adds a chart that is here under the title of an item that shows it.
    public mutating func add(_ attachment: Attachment, title: String, key: String) {
        let named = SongTitle(ofFile: attachment.displayName)
        entries.append(
            Entry(
                chart: .here(attachment), forms: [SongTitle(title).compared, named.compared], key: key.isEmpty ? named.key : key,
                song: SongTitle(title).compared))
    }

    /// The song that is meant by a title. A title that is equal counts before one that only begins in the same way, and that one before
    /// titles that contain the words. If `isExact`, only equal titles count.
    public func find(_ wanted: SongTitle, isExact: Bool = false) -> Found {
        let title = wanted.compared
        guard !title.isEmpty else { return .none }
        let rules: [(String) -> Bool] = [
            { $0 == title }, { $0.hasPrefix(title + " ") }, { " \($0) ".contains(" \(title) ") },
        ]
        for rule in isExact ? Array(rules.prefix(1)) : rules {
            var found = entries.filter { $0.forms.contains(where: rule) }
            guard !found.isEmpty else { continue }
            let inKey = found.filter { $0.key == wanted.key }
            if Set(found.map(\.song)).count > 1, !inKey.isEmpty { found = inKey }
            let isFile = { (entry: Entry) in if case .file = entry.chart { true } else { false } }
            // A file of one's own counts before a chart of another plan, which may be the same.
            if Set(found.map(\.song)).count > 1, found.contains(where: isFile) { found = found.filter(isFile) }
            // Those in sets are mostly copies from a songbook.
            if Set(found.map(\.song)).count > 1, found.contains(where: \.isInBook) { found = found.filter(\.isInBook) }
            var seen: Set<String> = []
            let charts = found.map(\.chart).filter { seen.insert($0.key).inserted }
            return Set(found.map(\.song)).count == 1 ? .song(charts) : .several(charts.sorted { precedesAsCounted($0.name, $1.name) })
        }
        return .none
    }

    /// The names of the first of some charts. If two have the same name, their folders are named, too.
    static func names(_ charts: [Chart]) -> String {
        let isClear = Set(charts.map(\.name)).count == charts.count
        let names = charts.map { chart in
            guard !isClear, case .file(let file) = chart else { return chart.name }
            return file.path.split(separator: "/").suffix(2).joined(separator: "/")
        }
        return names.prefix(4).joined(separator: ", ")
    }
}

extension ChartTitles.Chart {
    fileprivate var key: String {
        switch self {
        case .file(let file): file.path
        case .here(let attachment): attachment.id.text
        }
    }
}
