/// An item's song, if the service has its words and chords.
public struct ItemSong: Hashable, Sendable, Codable {
    public var id: SongID
    public var title: String
    /// The digest of the song's `SongText`.
    public var text: Digest
    /// Whether the item shows a chart drawn from the song if the musician did not choose a view.
    public var isShown: Bool
    /// The notation of chords, unless the musician chose another one.
    public var writing: SongView.Writing

    public init(_ id: SongID, title: String, text: Digest, isShown: Bool, writing: SongView.Writing = .letters) {
        (self.id, self.title, self.text, self.isShown, self.writing) = (id, title, text, isShown, writing)
    }
}

/// The origin of a chart that is drawn here.
public struct SheetOrigin: Hashable, Sendable {
    public let song: Digest
    public private(set) var view: SongView
    private let layout: Int

    public init(song: Digest, _ view: SongView, layout: Int = SongSheet.layoutVersion) {
        (self.song, self.view, self.layout) = (song, view, layout)
        self.view.writing = view.writing ?? .letters
    }

    private static let beginning = "sheet"
    /// Separates the fret of the capo from the key in which, according to the musician, the chords are written.
    private static let fromSign: Character = "<"

    /// Reads a `text`. Fails for any other text, such as the origin of a chart of the service.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == Self.beginning, let layout = Int(parts[1]), let song = Digest(hex: String(parts[2])),
            let writing = SongView.Writing(rawValue: String(parts[4]))
        else { return nil }
        let fret = parts[3].split(separator: Self.fromSign, maxSplits: 1)
        guard let capo = fret.first.flatMap({ Int($0) }), SongView.frets.contains(capo) else { return nil }
        let (key, from) = (parts[5].isEmpty ? nil : String(parts[5]), fret.count == 2 ? String(fret[1]) : nil)
        self.init(song: song, SongView(key: key, from: from, capo: capo, writing: writing), layout: layout)
    }

    /// The origin as text. The key comes last, since it is a text of the service and may contain spaces.
    public var text: String {
        let from = view.from.map { "\(Self.fromSign)\($0)" } ?? ""
        return "\(Self.beginning) \(layout) \(song.hex) \(view.capo)\(from) \(view.writing?.rawValue ?? "") \(view.key ?? "")"
    }
}

extension Attachment {
    /// The name of the chart that is drawn here for a song, in any key.
    public static func name(drawnFrom title: String) -> String { "\(title), words and chords.pdf" }

    /// The origin of a chart that is drawn here, from a text of the service or from a file with words and chords; `nil` for other charts.
    public var origin: SheetOrigin? { id.song == nil && !isSong ? nil : SheetOrigin(generatedFrom) }
}

extension SongID {
    private static let ofFile = "file/"

    /// The id of the song in a file with words and chords that is attached at the service.
    public init(inFile attachment: AttachmentID) { self.init(Self.ofFile + attachment.text) }

    fileprivate var file: AttachmentID? { text.hasPrefix(Self.ofFile) ? AttachmentID(String(text.dropFirst(Self.ofFile.count))) : nil }
}

extension AttachmentID {
    private static let drawnHere = "song/"

    /// The id of the chart that is drawn here for a song. Everybody with the same song has the same id, so they can share marks on
    /// the chart.
    public init(drawnFrom song: SongID) { self.init(song.file?.text ?? Self.drawnHere + song.text) }

    /// The song of a chart that is drawn here from a text of the service; `nil` for other charts.
    public var song: SongID? { text.hasPrefix(Self.drawnHere) ? SongID(String(text.dropFirst(Self.drawnHere.count))) : nil }
}

extension PlanContents {
    /// The plan as the service has it, without the charts that are drawn here.
    public var undrawn: PlanContents {
        var contents = self
        for index in items.indices {
            contents.items[index].forgetChoice()
            contents.items[index].attachments.removeAll { $0.id.song != nil }
        }
        return contents
    }

    /// The plan, prepared for comparison with the service's version, which has no charts that are drawn here. Such a chart is not lost if
    /// another chart or a choice replaces it. It is lost if its item is gone, or if the item has neither words nor charts.
    public func compared(with sent: PlanContents) -> PlanContents {
        let items = Dictionary(sent.items.map { ($0.id, $0) }) { first, _ in first }
        var contents = self
        for index in self.items.indices {
            contents.items[index].forgetChoice()
            let now = items[self.items[index].id]
            guard now?.song != nil || now?.attachments.isEmpty == false else { continue }
            contents.items[index].attachments.removeAll { $0.id.song != nil }
        }
        return contents
    }

    /// The plan with the charts that are drawn here: for songs without another chart, and for songs that the musician chose a view of.
    public func drawing(_ views: [SongID: SongView]) -> PlanContents {
        var contents = self
        for index in items.indices { contents.items[index].draw(views) }
        return contents
    }
}

extension PlanItem {
    /// Resets the chart of a file with words and chords to the view that is used without a choice, in the item's own key.
    fileprivate mutating func forgetChoice() {
        guard let song, let file = attachments.firstIndex(where: { $0.id == song.id.file }) else { return }
        attachments[file].generatedFrom = origin(of: song, usualView).text
    }

    /// How the item's song is drawn if the musician did not choose a view.
    public var usualView: SongView { SongView(capo: capo.flatMap { SongView.frets.contains($0) ? $0 : nil } ?? 0) }

    private func origin(of song: ItemSong, _ view: SongView) -> SheetOrigin {
        var sounding = view
        if view.key == nil, !keyName.isEmpty { sounding.key = keyName }
        sounding.writing = view.writing ?? song.writing
        return SheetOrigin(song: song.text, sounding)
    }

    fileprivate mutating func draw(_ views: [SongID: SongView]) {
        attachments.removeAll { $0.id.song != nil }
        guard let song, let view = views[song.id] ?? (song.isShown ? usualView : nil) else { return }
        let (id, origin) = (AttachmentID(drawnFrom: song.id), origin(of: song, view).text)
        if let file = attachments.firstIndex(where: { $0.id == id }) {
            attachments[file].generatedFrom = origin
        } else if song.id.file == nil {
            let name = Attachment.name(drawnFrom: song.title)
            // A chart without a key, capo or notation of its own is just one more part, so the plan's charts stay in front.
            let place = song.isShown || view != SongView() ? 0 : attachments.count
            attachments.insert(Attachment(id: id, filename: name, isGenerated: true, generatedFrom: origin), at: place)
        }
    }
}
