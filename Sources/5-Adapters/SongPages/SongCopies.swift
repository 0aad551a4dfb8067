import Model
import Songs

/// A song in the reader's key, together with the song as it was written.
struct SongCopies {
    /// The song in the reader's key.
    let shown: Song
    /// The song before the key was changed.
    let own: Song
    /// Whether the chords could be written for the reader's view, or at least for its capo; otherwise they are shown as written.
    let isMoved: Bool
    /// The key that the song sounds in, in the sheet's note names; `nil` if it is unknown.
    let sounding: String?
    /// Texts that may be chords, but stay as written in every key. If the other chords have moved, the page lists these texts.
    let unmoved: [String]
    private let hasLeftTablature: Bool
    /// A likely key, in words, for a text that names none; `nil` if the key is known.
    let likely: String?
    let facts: SongFacts
    /// The diagrams of the chords; `nil` if the musician wants none.
    let diagrams: SongDiagrams?
    /// Sentences about the parts of the text that could not be understood, and the wishes that could not be fulfilled.
    let remarks: [String]

    init(of sheet: SongSheet) throws(Trouble) {
        let (reading, remarks) = try Self.read(sheet.song)
        let isFromMeant = sheet.view.prevails == true || reading.song.detail("key") == nil
        let song = sheet.view.from.flatMap { isFromMeant ? reading.song.corrected(key: $0) : nil } ?? reading.song
        own = song
        unmoved = reading.remarks.filter(\.isUnmovedChord).map(\.text) + (song.hasTablature ? [Self.tablature] : [])
        let likely = reading.song.detail("key") == nil ? reading.song.likelyKey : nil
        // In such a song, words may be at other places than in the first layout.
        let hasUsualKey = sheet.song.key.flatMap { Key($0) }.map { $0.description == sheet.song.key } ?? false
        let isMovedSince =
            sheet.song.dialect == .chordPro || !unmoved.isEmpty || !hasUsualKey
            || Self.novelties.contains { sheet.song.text.contains($0) }
        let isNew = reading.layout == 5 || song.hasTablature || Self.lateNovelties.contains { sheet.song.text.contains($0) }
        facts = SongFacts(
            key: reading.song.key?.description, capo: song.capo, likelyKey: likely?.key.description, likelyReason: likely?.reason,
            layout: isNew ? 5 : isMovedSince ? 2 : reading.layout)
        self.likely = song.detail("key") != nil ? nil : likely.map { "looks like \($0.key.name(in: song.naming))" }
        var sentences = remarks
        if let other = song.contradictingKey {
            let stated = song.key?.name(in: song.naming) ?? ""
            sentences.append("The text says that it is in \(stated), but \(other.reason).")
        }
        let (view, naming) = (sheet.view, sheet.view.writing == .german ? Naming.german : song.naming)
        var wanted: Key?
        if let name = view.key {
            wanted = Key(name) ?? Key(typed: name, naming: song.naming)
            if wanted == nil { sentences.append("'\(name)' is no key; the song is drawn in the one that it is written in.") }
        }
        do {
            let moved = try song.written(in: wanted, capo: view.capo, as: view.chords)
            (shown, isMoved) = (moved.named(naming), true)
            sounding = (wanted ?? song.key?.moved(semitones: song.capo))?.name(in: naming)
        } catch {
            // Keep the capo even if the song cannot be moved to the wanted key, as when that key is of the other mode.
            let plain = (try? song.written(capo: view.capo, as: view.chords)) ?? (try? song.written(capo: view.capo))
            (shown, isMoved) = ((plain ?? song).named(naming), plain != nil)
            sounding = plain == nil ? nil : song.key?.moved(semitones: song.capo).name(in: naming)
            let isAsked = wanted != nil || view.capo != 0 || view.chords != .letters
            if isAsked || error.kind != .unknown { sentences.append("Drawn as written: \(error).") }
        }
        // The chords as letters, since as numbers they are the same in every key.
        let letters = (try? song.written(in: wanted, capo: view.capo)) ?? (try? song.written(capo: view.capo)) ?? song
        hasLeftTablature = letters.hasLeftTablature(of: song)
        if hasLeftTablature { sentences.append(Song.leftTablature) }
        let drawn = shown
        diagrams = sheet.song.diagrams.map { SongDiagrams(of: drawn, own: song, for: $0) }
        if let unknown = diagrams?.unknown, !unknown.isEmpty { sentences.append("No diagram: \(unknown.joined(separator: ", ")).") }
        self.remarks = sentences
    }

    /// Texts that the first layout showed as written: annotations, tags and substitutions.
    private static let novelties = ["[*", "%{", "<s", "</s", "<img", "<big", "<tt", "<markup"]
    /// Signs between chords, whose lines counted as words up to the fourth layout, and `Tuning:`, whose strings were listed as chords not
    /// moved.
    private static let lateNovelties = ["->", "→", "·", "uning:"]

    /// The word for all tablature of a song.
    private static let tablature = "tablature"

    /// Whether the page lists `unmoved`. Chords in numbers are not as written, but the tablature beside them may still be right.
    var namesUnmoved: Bool { hasLeftTablature || hasOtherChords && unmoved != [Self.tablature] }

    /// Whether any chord is not as it was written.
    private var hasOtherChords: Bool {
        zip(shown.sections, own.sections).contains { shown, own in
            zip(shown.lines, own.lines).contains { $0.chordTexts.map(\.written) != $1.chordTexts.map(\.written) }
        }
    }

    private static func read(_ text: SongText) throws(Trouble) -> (SongReading, [String]) {
        var limits = SongLimits()
        // A longer text is not a song, and would keep other songs waiting.
        (limits.lines, limits.chords, limits.line) = (4000, 10_000, 150_000)
        let songs = try text.read(limits: limits)
        let reading = songs[0]
        let more = songs.count > 1 ? ["The text has \(songs.count) songs, of which the first is drawn."] : []
        let followed = text.diagrams.map { SongDiagrams.directives(of: reading.song, for: $0) } ?? []
        return (reading, reading.remarks.filter { !followed.contains($0.text) }.map(\.description) + more)
    }
}

extension String {
    /// The text with a space in place of each control character, line break and byte order mark, which would disturb the layout.
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
