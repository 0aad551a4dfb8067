public import Model

/// Makes plans of the sets that were found. Charts are known by their bytes, so they stay the same wherever people move their files.
public struct SetPlan: Sendable {
    /// The digests of the files that were read.
    public var read: [SetFile: Digest] = [:]
    /// Why other files cannot be used.
    public var faults: [SetFile: String] = [:]
    /// The texts that are no songs, such as a read-me. They are left out of sets.
    public var others: Set<SetFile> = []
    /// Things with names of charts that cannot be used as charts, such as a link to a stick that is away. In a set's folder, they count as
    /// missing.
    public var unusable: [FoundSets.Other] = []
    /// The files that somebody is still writing. If such a file was read before, `read` has the digest from that time.
    public var unfinished: Set<SetFile> = []
    public var titles = ChartTitles()
    private let settings: SetSettings

    public init(_ settings: SetSettings) { self.settings = settings }

    /// Whether the digest in `read` is that of the file's present bytes, not of earlier ones.
    public func isAsRead(_ file: SetFile) -> Bool { read[file] != nil && faults[file] == nil && !unfinished.contains(file) }

    /// The plan without its contents; `moment` converts the time that clocks show into an instant.
    public static func plan(_ set: FoundSet, id: PlanID, moment: (Int64) -> Timestamp) -> Plan {
        let name = set.name
        return Plan(
            id: id, serviceType: ServiceTypeID("set"), serviceTypeName: "Set", title: name.title,
            dates: "\(name.day) \(months[name.month - 1]) \(name.year)", firstTime: moment(name.wallTime),
            lastTime: moment(name.minute == nil ? name.endOfDay : name.wallTime))
    }

    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
    ]

    /// The plan with its items. Files that were not read are left out, each with the reason.
    public func contents(of set: FoundSet, as plan: Plan) -> PlanContents {
        var contents = PlanContents(plan: plan, items: [])
        switch set.contents {
        case .items(let items):
            for files in items {
                let files = files.filter { !others.contains($0) }
                guard let first = files.first else { continue }
                let isAlone = files.allSatisfy { SongTitle.withoutEnding($0.name) == SongTitle.withoutEnding(first.name) }
                let title = SongTitle(ofFile: isAlone ? first.name : Self.folder(of: files.last ?? first))
                add(title, kind: "song", files.map { .file($0) }, to: &contents)
            }
            for other in unusable where other.path.utf8.starts(with: (set.path + "/").utf8) {
                let name = other.path.split(separator: "/").last.map(String.init) ?? other.path
                contents.leftOut.append(
                    LeftOut(
                        attachment: AttachmentID("file/\(name)"), filename: name, item: SongTitle(ofFile: name).title,
                        reason: .noChart(because: other.reason)))
            }
        case .list(let list):
            for entry in list.entries {
                switch entry.line {
                case .pause: add(SongTitle("Pause"), kind: "header", [], to: &contents)
                case .remark(let words): add(SongTitle(words), kind: "item", [], to: &contents)
                case .song(let title): add(title, ofLine: entry.number, to: &contents)
                }
            }
        }
        return contents
    }

    /// An item with the chart of one file; `nil` if the file was not read.
    public func item(of file: SetFile) -> PlanItem? {
        guard read[file] != nil else { return nil }
        var contents = PlanContents(plan: Plan(id: .songbook, serviceType: ServiceTypeID("set")), items: [])
        add(SongTitle(ofFile: file.name), kind: "song", [.file(file)], to: &contents)
        return contents.items.first
    }

    /// The files that a set shows: those of its folder, or those that its list names.
    public func files(of set: FoundSet) -> [SetFile] {
        guard case .list(let list) = set.contents else { return set.files }
        return list.entries.flatMap { entry -> [SetFile] in
            guard case .song(let title) = entry.line else { return [] }
            switch find(title).found {
            case .song(let charts): return charts.compactMap(Self.file)
            // Their bytes tell whether they are copies of each other.
            case .several(let charts): return charts.count > Self.mostCopies ? [] : charts.compactMap(Self.file)
            case .none: return []
            }
        }
    }

    /// A title with more charts than this is too vague: the charts can hardly be copies of one.
    private static let mostCopies = 60

    private static func file(_ chart: ChartTitles.Chart) -> SetFile? { if case .file(let file) = chart { file } else { nil } }

    /// The title that a line of a list means, and the charts with that title. Files with equal bytes are one chart.
    private func find(_ title: SongTitle) -> (title: SongTitle, found: ChartTitles.Found) {
        var (title, found) = (title, titles.find(title))
        for reading in title.otherReadings where found == .none {
            found = titles.find(reading.wanted, isExact: reading.isExact)
            if found != .none { title = reading.shown }
        }
        guard case .several(let all) = found else { return (title, found) }
        let charts = all.filter { !isOther($0) }
        guard charts.count > 1 else { return (title, charts.isEmpty ? found : .song(charts)) }
        found = .several(charts)
        let bytes = Set(charts.map { Self.file($0).flatMap { read[$0] } })
        return (title, bytes.count == 1 && bytes.first != .some(nil) ? .song([charts[0]]) : found)
    }

    private func isOther(_ chart: ChartTitles.Chart) -> Bool { Self.file(chart).map(others.contains) ?? false }

    private func add(_ title: SongTitle, ofLine line: Int, to contents: inout PlanContents) {
        let reason: String
        let (title, found) = find(title)
        switch found {
        case .song(let charts): return add(title, kind: "song", charts, to: &contents)
        case .none: reason = "line \(line): no chart here has this title"
        case .several(let charts): reason = "line \(line): several charts may be meant: \(ChartTitles.names(charts))"
        }
        add(title, kind: "song", [], to: &contents)
        contents.leftOut.append(
            LeftOut(attachment: AttachmentID("line/\(line)"), filename: title.title, item: title.title, reason: .noChart(because: reason)))
    }

    /// Adds an item. If `isDrawnForCapo`, its song is drawn for playing behind the capo; otherwise only the item's description mentions the
    /// capo.
    func add(
        _ title: SongTitle, kind: String, _ charts: [ChartTitles.Chart], to contents: inout PlanContents, isDrawnForCapo: Bool = true
    ) {
        let place = contents.items.count
        var item = PlanItem(
            id: ItemID("\(title.compared)#\(contents.items.count { $0.title == title.title })"), sequence: place + 1, title: title.title,
            keyName: title.key ?? "", kind: kind, description: title.capo.map { $0 == 0 ? "No capo" : "Capo \($0)" },
            capo: isDrawnForCapo ? title.capo : nil)
        let songs = charts.filter { !isOther($0) }
        for chart in songs.isEmpty ? charts : songs {
            switch chart {
            case .here(let attachment): item.attachments.append(attachment)
            case .file(let file):
                guard let digest = read[file] else {
                    contents.leftOut.append(
                        LeftOut(
                            attachment: AttachmentID("file/\(file.name)"), filename: file.name, item: title.title,
                            reason: .noChart(because: faults[file] ?? "it is still being written")))
                    continue
                }
                let attachment = attachment(file, digest, of: item)
                if item.attachments.contains(where: { $0.id == attachment.id }) { continue }
                item.attachments.append(attachment)
                guard file.kind == .song, item.song == nil else { continue }
                item.song = ItemSong(
                    SongID(inFile: attachment.id), title: title.title, text: text(of: digest), isShown: true,
                    writing: settings.rules.writing)
            }
        }
        contents.items.append(item)
    }

    /// The chart of a file, in the key of an item and behind its capo.
    private func attachment(_ file: SetFile, _ digest: Digest, of item: PlanItem) -> Attachment {
        var view = item.usualView
        (view.key, view.writing) = (item.keyName.isEmpty ? nil : item.keyName, settings.rules.writing)
        let type =
            switch file.kind {
            case .pdf: "application/pdf"
            case .song: "text/plain"
            case .picture: file.name.lowercased().hasSuffix(".png") ? "image/png" : "image/jpeg"
            }
        return Attachment(
            id: AttachmentID(ofBytes: digest), filename: file.name, contentType: type,
            generatedFrom: file.kind == .song ? SheetOrigin(song: text(of: digest), view).text : "")
    }

    /// Identifies words and chords by the bytes of their file, and by how it is to be drawn.
    public func text(of digest: Digest) -> Digest { SHA256.digest(of: ([digest.hex] + settings.rules.wishes).joined(separator: " ")) }

    private static func folder(of file: SetFile) -> String {
        file.path.split(separator: "/").dropLast().last.map(String.init) ?? file.name
    }
}
