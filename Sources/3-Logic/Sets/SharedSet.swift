public import Model

/// A set as a band gets it: what is played, and which charts its musician has for that.
///
/// Anybody in a band may write one, so all words are cleaned, and everything has a limit.
public struct SharedSet: Hashable, Sendable {
    /// A chart, known by its file's bytes.
    public struct Chart: Hashable, Sendable {
        /// The name of the file, without a folder.
        public let name: String
        public let bytes: Digest
        public let size: Int
        /// Whether the file itself is shared, too.
        public let isSent: Bool

        public init(name: String, bytes: Digest, size: Int, isSent: Bool) {
            let words = SetList.cleaned(name[...]).map { "/\\".contains($0) ? "-" : String($0) }.joined()
            self.name = String(words.drop { $0 == "." })
            (self.bytes, self.size, self.isSent) = (bytes, size, isSent)
        }

        var kind: SetFile.Kind? { SetFile.kind(ofName: name) }
    }

    public struct Item: Hashable, Sendable {
        public enum Kind: String, Hashable, Sendable {
            case song
            /// Words that are no song, as for a speech.
            case remark = "item"
            case pause = "header"
        }

        public let kind: Kind
        public let title: SongTitle
        public let charts: [Chart]

        public init(_ kind: Kind, _ title: SongTitle, charts: [Chart] = []) {
            (self.kind, self.title) = (kind, title)
            self.charts = Array(charts.filter { $0.kind != nil && $0.size > 0 }.prefix(SharedSet.mostCharts))
        }
    }

    /// The name of the set's folder or list, which begins with the date.
    public let name: SetName
    public let items: [Item]

    public init(name: SetName, items: [Item]) {
        (self.name, self.items) = (name, Array(items.prefix(SetList.mostEntries)))
    }

    /// The set that a plan of one's own shows. `chart` tells which bytes a chart has, how many, and whether its file is shared.
    public init(_ contents: PlanContents, name: SetName, chart: (Attachment) -> Chart?) {
        let items = contents.items.map { item in
            Item(
                item.kind.flatMap { Item.Kind(rawValue: $0) } ?? .song,
                SongTitle(title: item.title, key: item.keyName.isEmpty ? nil : item.keyName, capo: item.capo),
                charts: item.attachments.compactMap(chart))
        }
        self.init(name: name, items: items)
    }

    /// The shared files, each once, with their sizes.
    public var sent: [Digest: Int] {
        let charts = items.flatMap(\.charts).filter(\.isSent)
        return Dictionary(charts.map { ($0.bytes, $0.size) }) { first, _ in first }
    }

    /// A song with more charts than this is none.
    static let mostCharts = 16
}

extension SetPlan {
    /// The plan of a set that `person` in the band shares. `charts` are those that are known by their bytes; others are looked for by the
    /// song's title. What is not found is named, with who has it.
    public func contents(
        of set: SharedSet, by person: String, as plan: Plan, charts: [Digest: ChartTitles.Chart]
    ) -> PlanContents {
        var contents = PlanContents(plan: plan, items: [])
        for item in set.items {
            let (found, missing) = find(item, by: person, among: charts)
            // Others may play another instrument: the capo is their musician's.
            add(item.title, kind: item.kind.rawValue, found, to: &contents, isDrawnForCapo: false)
            for (place, (name, reason)) in missing.enumerated() {
                contents.leftOut.append(
                    LeftOut(
                        attachment: AttachmentID("band/\(contents.items.count).\(place)"), filename: name, item: item.title.title,
                        reason: .noChart(because: reason)))
            }
        }
        return contents
    }

    /// The files that a shared set shows here.
    public func files(of set: SharedSet, charts: [Digest: ChartTitles.Chart]) -> [SetFile] {
        set.items.flatMap { find($0, by: "", among: charts).found }.compactMap { if case .file(let file) = $0 { file } else { nil } }
    }

    /// The charts of an item that are here, and the names of those that are not, with the reasons.
    private func find(
        _ item: SharedSet.Item, by person: String, among charts: [Digest: ChartTitles.Chart]
    ) -> (found: [ChartTitles.Chart], missing: [(name: String, reason: String)]) {
        let found = item.charts.compactMap { charts[$0.bytes] }
        let missing = item.charts.filter { charts[$0.bytes] == nil }.map {
            (name: $0.name, reason: "\($0.name) is not here; \(person) has it")
        }
        guard item.kind == .song, found.isEmpty else { return (found, missing) }
        switch titles.find(item.title) {
        case .song(let own): return (own, [])
        case .none where missing.isEmpty:
            return ([], [(name: item.title.title, reason: "no chart here has this title, and \(person) has none, either")])
        case .several(let charts) where missing.isEmpty:
            return ([], [(name: item.title.title, reason: "several charts here may be meant: \(ChartTitles.names(charts))")])
        case .none, .several: return ([], missing)
        }
    }
}
