import Model
import Songs

/// A song in its reader's key, beside the song as it is written.
struct SongCopies {
    /// In the reader's key.
    let shown: Song
    /// Before the key was changed.
    let own: Song
    /// Whether the chords were moved to the reader's key; otherwise they are as they were written.
    let isMoved: Bool
    /// The key in which it sounds, under the name that readers of this sheet know; `nil` if it is unknown.
    let sounding: String?
    /// What could not be understood or done.
    let remarks: [String]

    init(of sheet: SongSheet) throws(Trouble) {
        let (song, remarks) = try Self.read(sheet.song)
        own = song
        var sentences = remarks
        let (view, naming) = (sheet.view, sheet.view.writing == .german ? Naming.german : song.naming)
        var wanted: Key?
        if let name = view.key {
            wanted = Key(name) ?? Key(name, naming: song.naming)
            if wanted == nil { sentences.append("'\(name)' is no key; the song is drawn in the one that it is written in.") }
        }
        do {
            let moved = try song.written(in: wanted, capo: view.capo, as: view.chords)
            (shown, isMoved) = (moved.named(naming), true)
            sounding = (wanted ?? song.key?.moved(semitones: song.capo))?.name(in: naming)
        } catch {
            // A key of the other mode is no reason to drop the capo.
            let plain = try? song.written(capo: view.capo, as: view.chords)
            (shown, isMoved) = ((plain ?? song).named(naming), plain != nil)
            sounding = plain == nil ? nil : song.key?.moved(semitones: song.capo).name(in: naming)
            let isAsked = wanted != nil || view.capo != 0 || view.chords != .letters
            if isAsked || error.kind != .unknown { sentences.append("Drawn as written: \(error).") }
        }
        self.remarks = sentences
    }

    private static func read(_ text: SongText) throws(Trouble) -> (Song, [String]) {
        var limits = SongLimits()
        // A longer text is not a song, and would make everybody else's wait.
        (limits.lines, limits.chords) = (4000, 10_000)
        let songs = try text.read(limits: limits)
        let reading = songs[0]
        let more = songs.count > 1 ? ["The text has \(songs.count) songs, of which the first is drawn."] : []
        return (reading.song, reading.remarks.map(\.description) + more)
    }
}

extension String {
    /// Without characters that would move a pen: control characters, and unusual blanks.
    var plainLine: String {
        let isPlain = utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        guard !isPlain else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    let isControl = [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                    return isControl || scalar.value == 0xFEFF ? " " : scalar
                }))
    }
}
