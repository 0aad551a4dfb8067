import CommandLine
import Library
import Model
import Platform

/// The layers of a chart, everybody's and those from the user's own files, as `woodshed layers` lists them.
struct LayerList: Equatable {
    struct Entry: Equatable {
        let id: LayerID
        let name: String
        /// The layer's owner; empty if unknown.
        let person: String
        /// The path of the user's file, or of the first part if the layer has several; `nil` for a layer from the service.
        let file: String?
        /// The paths of the layer's other parts.
        var otherFiles: [String] = []
        let isShown: Bool
        /// How many marks are on each page; pages without marks are left out.
        let marks: [PageIndex: Int]
        /// How many of these marks are for another key than the chart's, and so are not drawn. Empty if the chart's key is not known.
        var marksInOtherKeys: [PageIndex: Int] = [:]
        var changedAt: Timestamp?
        /// The pages that looked different when their marks were made.
        var outdated: [PageIndex] = []
        /// The path of the older version of the chart on which those marks were made.
        var formerChart: String?
        /// Set if the layer is left out because it is a copy of another one.
        var copy: MarkCopies.Copy?
        /// Marks that are not drawn as they were made, a sentence for each kind.
        var leftOut: [String] = []

        var others: String { otherFiles.isEmpty ? "" : " and \(otherFiles.count) more" }

        var description: String { ("\(id)  \(name)" + (person.isEmpty ? "" : " (\(person))")).printable }
    }

    let entries: [Entry]
    /// How many pages the chart has, if that is known.
    let pageCount: Int?
    /// The layers whose latest version from the service was not accepted.
    let doubts: [LayerDoubt]
    /// What became of marks that were made on another version of the chart.
    let moved: MovedMarks?

    /// Reads the layers of a chart, without those that their owners deleted. Without `hash`, the chart's pages are not counted, and
    /// no mark counts as a mark for another key.
    @LoopActor
    init(_ library: Library, of attachment: AttachmentID, hash: ChartHash?) throws(LibraryError) {
        let hidden = try library.drawings.hiddenLayers(of: attachment)
        let outdated = Dictionary(grouping: try library.olderMarks.outdatedMarks(of: attachment), by: \.layer)
        let copies = Dictionary(try library.drawings.copiesLeftOut(of: attachment).map { (Array($0.path.utf8), $0) }) { $1 }
        let notes = Dictionary(try library.markFiles.notesOfMarks(on: attachment).map { (Array($0.path.utf8), $0.notes) }) { $1 }
        let parts = try library.parts.paths(of: attachment)
        let key = try hash.flatMap { hash throws(LibraryError) in try library.charts.key(of: hash) }
        func savedAt(_ path: String) throws(LibraryError) -> Timestamp? {
            try library.markFiles.writtenFile(at: path).map { Timestamp(nanoseconds: $0.file.stamp.modified) }
        }
        func counts(_ marks: [Mark]) -> [PageIndex: Int] { Dictionary(marks.map { ($0.page, 1) }, uniquingKeysWith: +) }
        func entry(_ layer: Layer) throws(LibraryError) -> Entry {
            let first = LocalFile.path(ofLayer: layer.id)
            let files = first.map { parts.contains($0) ? [$0] + parts.filter { $0 != first } : [$0] } ?? []
            let older = (files.isEmpty ? [layer.id] : files.map { LocalFile.layerID(ofFile: $0) }).flatMap { outdated[$0] ?? [] }
            return Entry(
                id: layer.id, name: layer.name, person: layer.personName, file: first, otherFiles: Array(files.dropFirst()),
                isShown: !hidden.contains(layer.id), marks: counts(layer.marks),
                marksInOtherKeys: key == nil ? [:] : counts(layer.marks.filter { $0.chordKey != nil && $0.chordKey != key }),
                changedAt: try files.map(savedAt).compactMap(\.self).max() ?? layer.updatedAt,
                outdated: Set(older.flatMap(\.pages)).sorted(), formerChart: older.first?.former.map { library.charts.path(of: $0) },
                copy: first.flatMap { copies[Array($0.utf8)] }, leftOut: files.flatMap { notes[Array($0.utf8)] ?? [] })
        }
        let description = try hash.flatMap { hash throws(LibraryError) in try library.charts.description(of: hash) }
        (entries, pageCount) = (try library.drawings.allLayers(of: attachment).map(entry), description?.pages.count)
        doubts = try library.layers.doubts().filter { $0.attachment == attachment }
        moved = try hash.flatMap { hash throws(LibraryError) in try library.olderMarks.movedMarks(on: attachment, of: hash) }
    }

    /// The only layer that matches `name` by the strictest rule with any match. Throws if there is none, or several.
    func find(_ name: String) throws(Trouble) -> Entry {
        let found = all(name)
        guard let first = found.first else {
            throw .unknown(name, "no layer of this chart", among: entries.map(\.description), none: "this chart has no layers")
        }
        guard found.count == 1 else { throw .ambiguous(name, "layers", among: found.map(\.description)) }
        return first
    }

    /// Every layer that matches `name` by the strictest rule with any match. `name` may be an owner's name.
    func all(_ name: String) -> [Entry] {
        let wanted = name.searched
        return entries.strictest([
            { $0.id.text == name || $0.file == name || $0.otherFiles.contains(name) },
            { $0.name.searched == wanted },
            { $0.person.searched == wanted },
            { !wanted.isEmpty && [$0.name, $0.person, $0.file ?? ""].contains { $0.searched.contains(wanted) } },
        ])
    }

    var table: TextTable {
        var table = TextTable(["", "layer", "by", "marks"])
        for entry in entries {
            table.add([
                entry.isShown ? TextTable.Cell("shown", .green) : TextTable.Cell(entry.copy == nil ? "hidden" : "left out", .faint),
                .init(entry.name),
                .init(entry.file.map { "your file \($0)" + entry.others } ?? entry.person), .init(words(entry.marks)),
            ])
        }
        return table
    }

    /// A sentence each about layers left out as copies, marks that are not drawn as they were made, versions that were not
    /// accepted, and marks made on an older version of the chart. `accept` is the command that accepts marks of the last kind.
    func remarks(accept: String) -> [String] {
        let others =
            entries.compactMap { entry in entry.copy.map { Self.words($0, entry.name) } }
            + entries.flatMap { entry in entry.leftOut.map { "'\(entry.name)' is not all drawn as it was made: \($0)" } }
            + (entries.contains { !$0.leftOut.isEmpty } ? ["What can be drawn: \(woodshed("help marks"))"] : [])
            + doubts.map { "\($0.sentence(telling: .local)); \($0.reason.advice(on: $0.attachment))" }
            + (moved.map { Self.words($0) } ?? [])
        let older = entries.filter { !$0.outdated.isEmpty }
        guard !older.isEmpty else { return others }
        return others
            + older.map { entry in
                "'\(entry.name)' has marks made on an older version of this chart, on \(PageIndex.words(entry.outdated))"
                    + (entry.formerChart.map { "; that version is \($0)" } ?? "")
            } + ["If they are right as they are: \(accept)"]
    }

    private static func words(_ moved: MovedMarks) -> [String] {
        guard !moved.isTakenBack else {
            return ["Marks of an older version are where they were made; the viewer can show them with the music"]
        }
        let count = moved.moved.counted("mark")
        let open = moved.open.isEmpty ? [] : ["Not placed, and not drawn until you place them in the viewer or accept them:"]
        return ["\(count) moved with the music to this version"] + open + FollowedMarks.words(moved.open.map(\.mark)).map { "  " + $0 }
    }

    private static func words(_ copy: MarkCopies.Copy, _ name: String) -> String {
        let own = copy.ownMarks == 0 ? "" : "; \(copy.ownMarks) of its marks \(copy.ownMarks == 1 ? "is" : "are") not in that one"
        return "'\(name)' is a copy of \(copy.other) and left out\(own); to draw it as well, add: --show \(copy.path.shellQuoted)"
    }

    /// For example `3 on page 1, 12 on page 4`.
    private func words(_ marks: [PageIndex: Int]) -> String {
        guard !marks.isEmpty else { return "none" }
        return marks.sorted { $0.key < $1.key }.map { page, count in
            "\(count) on \(page)" + (has(page) ? "" : ", which the chart does not have")
        }.joined(separator: ", ")
    }

    private func has(_ page: PageIndex) -> Bool { pageCount.map { (0..<$0).contains(page.value) } ?? true }

    fileprivate static let entryForm = JSONForm<(entry: Entry, list: LayerList)>([
        .init("id", "the layer's id", \.entry.id.text), .init("name", "what it is called", \.entry.name),
        .init("person", "whose it is", \.entry.person), .init("file", "your file, if it comes from one", \.entry.file),
        .init("parts", "the files of its other parts, where several machines draw on it", \.entry.otherFiles),
        .init("shown", "whether it is drawn", \.entry.isShown),
        .list("pages", of: pageForm) { source in
            source.entry.marks.sorted { $0.key < $1.key }.map { ($0.key, $0.value, source.list.has($0.key), source.entry) }
        },
        .init("copy_of", "the file that it is a copy of, if it is left out for that") { $0.entry.copy?.other },
        .init("not_drawn", "what in it is not drawn as it was made", \.entry.leftOut),
        .init("older_chart", "the file of that older version", \.entry.formerChart),
    ])

    fileprivate static let openForm = JSONForm<MovedMarks.Open>([
        .init("id", "a mark of an older version that is not drawn, since it is not certain where it belongs", \.mark.id),
        .init("layer", "its layer", \.layer.text), .init("page", "the page of the older version that it is on", \.mark.page),
        .init("kind", "what it is", \.mark.kind.rawValue), .init("text", "what it says", \.mark.text),
        .init("likely_page", "the page of this version where it probably belongs", \.proposed?.page),
    ])

    private static let pageForm = JSONForm<(page: PageIndex, marks: Int, exists: Bool, entry: Entry)>([
        .init("page", "a page with marks of it", \.page), .init("marks", "how many", \.marks),
        .init("exists", "whether the chart has this page", \.exists),
        .init("older", "whether they were made on an older version of it") { $0.entry.outdated.contains($0.page) },
    ])
}

/// The former states of mark files, as `woodshed layers --history` lists them.
extension [FormerMarks] {
    var table: TextTable {
        var table = TextTable(["state", "file", "lost on", "marks", "missing"])
        for state in self {
            table.add([
                .init("\(state.number)"), .init(state.path), .init(TimeWords.local.minute(state.vanishedAt)), .init("\(state.marks)"),
                .init("\(state.missing)"),
            ])
        }
        return table
    }
}

/// Everything that `woodshed layers` prints about a chart.
struct ChartLayers: Answer {
    let chart: ChartFinder.Candidate
    let list: LayerList
    let history: [FormerMarks]
    /// Whether the history is printed for people, instead of the layers.
    let isOfHistory: Bool
    /// What was brought to another chart, if that was asked for.
    var followed: FollowedMarks?

    func print(on output: Output) {
        if isOfHistory {
            if history.isEmpty { output.message("No marks have vanished from your files for \(chart.filename).".printable) }
            if !history.isEmpty { history.table.print(on: output) }
        } else if list.entries.isEmpty {
            let kept = history.reduce(0) { $0 + $1.missing }
            let command = woodshed("layers \(chart.attachment) --history")
            let rest = kept == 0 ? "." : "; \(kept.counted("mark")) \(kept == 1 ? "was" : "were") kept: \(command)"
            output.message("There are no marks on \(chart.filename)\(rest)".printable)
        } else {
            list.table.print(on: output)
            for remark in list.remarks(accept: woodshed("accept \(chart.attachment)")) {
                output.result(output.paint(remark.printable, .yellow, on: .results))
            }
        }
    }

    static let form = JSONForm<ChartLayers>([
        .init("attachment", "the attachment's id", \.chart.attachment.text),
        .init("chart", "SHA-256 of the chart's file", \.chart.hash.digest.hex),
        .init("filename", "what the service calls it", \.chart.filename),
        .list("layers", of: LayerList.entryForm) { layers in layers.list.entries.map { ($0, layers.list) } },
        .init("moved", "how many marks of an older version are where their music is in this one") { layers in
            layers.list.moved.map { $0.isTakenBack ? 0 : $0.moved }
        },
        .list("open", of: LayerList.openForm) { $0.list.moved?.open },
        .list(
            "history",
            of: JSONForm<FormerMarks>([
                .init("state", "the number of a former state of one of your files, for --restore", \.number),
                .init("file", "the file", \.path), .init("until", "when marks of this state had vanished", \.vanishedAt),
                .init("marks", "how many it had", \.marks),
                .init("missing", "how many of them are in none of your files for the chart now", \.missing),
            ])
        ) { $0.history },
        .init("followed", "with --follow: how many of your marks are new on the other chart", \.followed?.added),
        .list("not_placed", "with --follow: the marks whose places there are not certain", of: FollowedMarks.leftForm) {
            $0.followed?.left
        },
    ])
}
