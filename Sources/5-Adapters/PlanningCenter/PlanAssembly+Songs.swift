import Model

/// The words and chords of the service's songs.
extension PlanAssembly {
    /// An item's song, if the item has a text. A chart drawn from the text is shown if the configuration asks for such charts, or
    /// if the item has no other chart with chords.
    func song(of item: Resource) -> ItemSong? {
        guard let arrangement = arrangement(of: item), let text = text(of: item) else { return nil }
        // A chart counts even if the musician left it out.
        let hasChart = attachments.contains { attachment in
            Self.isPDF(attachment) && Self.generated(attachment) != .lyricChart
                && attachment.reference(.attachable).map(Self.owners(of: item).contains) ?? false
        }
        let isOwn = rules.generated.contains(.own)
        let isRuledOut =
            rules.ruleAgainst(
                filename: Attachment.name(drawnFrom: text.title), owners: [.arrangement], generated: isOwn ? .own : .chordChart) != nil
        return ItemSong(
            SongID(arrangement.id), title: text.title, text: text.digest, isShown: (isOwn || !hasChart) && !isRuledOut,
            writing: rules.writing)
    }

    /// The song in the first of an item's files that holds words and chords; `nil` if there is no such file.
    func song(in files: [Resource]) -> ItemSong? {
        files.first(where: Self.isSong).map { file in
            ItemSong(
                SongID(inFile: AttachmentID(file.id)), title: attachment(file).displayName, text: state(of: file), isShown: true,
                writing: rules.writing)
        }
    }

    /// Whether charts drawn here replace this chart of the service: they were chosen, and each item that would show it has a text to draw.
    func isDrawnHere(_ attachment: Resource) -> Bool {
        guard rules.generated.contains(.own), Self.generated(attachment) == .chordChart, let owner = attachment.reference(.attachable)
        else { return false }
        return items.indices.allSatisfy { !owners[$0].contains(owner) || text(of: items[$0]) != nil }
    }

    /// The text of an item's song; `nil` if the arrangement has no words and chords.
    func text(of item: Resource) -> SongText? {
        guard let arrangement = arrangement(of: item), let words = arrangement.text(.chords),
            words.contains(where: { !$0.isWhitespace })
        else { return nil }
        let song = item.reference(.song).flatMap { included[$0] }
        // Prefer the parts that were chosen for this plan.
        let order = [item.list(.ownSequence), arrangement.list(.sequence)].first { !$0.isEmpty } ?? []
        var text = SongText(
            words, title: song?.text(.title) ?? item.text(.title) ?? "", key: nonEmpty(arrangement.text(.chordsKey)),
            author: nonEmpty(song?.text(.author)), copyright: nonEmpty(song?.text(.copyright)), tempo: tempo(of: item),
            meter: nonEmpty(arrangement.text(.meter)), order: order,
            columns: arrangement.number(.columns, within: 1...2), size: arrangement.number(.fontSize, within: Self.sizes),
            paper: Self.paper(arrangement.text(.paper)))
        text.diagrams = rules.diagrams
        return text
    }

    /// Whether the attachment is a file with words and chords. Programs that project words also use `.pro`, for files that are not text.
    static func isSong(_ attachment: Resource) -> Bool {
        guard attachment.text(.kind) == "AttachmentS3", let name = attachment.text(.filename), Attachment.isChordPro(named: name) else {
            return false
        }
        return !name.lowercased().hasSuffix(".pro") || attachment.text(.contentType)?.lowercased().hasPrefix("text/") == true
    }

    /// The origin of a chart drawn from a file with words and chords: its present state, in the item's key. Empty for any other file.
    func drawnFrom(_ attachment: Resource, for item: Resource?) -> String {
        guard Self.isSong(attachment) else { return "" }
        let view = SongView(key: item.flatMap { nonEmpty(keyName($0)) }, writing: rules.writing)
        return SheetOrigin(song: state(of: attachment), view).text
    }

    /// Identifies the present state of a file, whose text has not been read yet, by its id, time of change and size, and by the players
    /// whose parts are drawn and the instrument whose diagrams are.
    private func state(of file: Resource) -> Digest {
        let state = [file.id, file.text(.updatedAt) ?? "", file.text(.fileSize) ?? ""]
        return SHA256.digest(of: (state + rules.wishes).joined(separator: " "))
    }

    /// Sizes of letters, in points, that are legible and fit on a page.
    private static let sizes = 6...48

    private func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// The service names many paper sizes; all except A4 are closer to the American letter size.
    private static func paper(_ name: String?) -> SongText.Paper {
        guard let name = name?.lowercased() else { return .a4 }
        return name.contains("a4") ? .a4 : .letter
    }
}
