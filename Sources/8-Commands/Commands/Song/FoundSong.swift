import CommandLine
import Configuration
import Freshness
import Glibc
import Library
import Model
import Platform
import Songs

/// Finds a song by its name: a file with words and chords, or a song of a plan that is here.
@LoopActor
struct FoundSong {
    let song: SongText
    /// The key that the plan gives for the song; `nil` if it gives none, or for a file.
    let key: String?
    /// The fret of the capo that a file with a single song is written for. 0 if there is no capo, if its fret is not supported, and
    /// for any other song.
    let capo: Int
    /// Sentences about the file's encoding and format, if they had to be guessed.
    let remark: String?

    init(_ name: String, _ configuration: Configuration, now: Timestamp) throws {
        var status = stat()
        if stat(name, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure(.usage, "\(name) is no file with a song; save its words and chords in one")
            }
            (song, capo, remark) = try Self.read(name, configuration.options.chartChoice.usual)
            key = nil
            return
        }
        // A name like this is never looked up as a song, so the user must have meant a file.
        guard !name.contains("/"), !Attachment.isSong(named: name) else {
            throw CommandFailure(.usage, "there is no file \(name)")
        }
        let library = try OpenHome.library(configuration)
        defer { library.close() }
        (song, key) = try Self.find(name, in: library, now: now)
        (capo, remark) = (0, nil)
    }

    private static func read(_ path: String, _ rules: ChartChoice.Rules) throws -> (SongText, capo: Int, remark: String?) {
        let bytes = try AtomicFile.read(path, limit: SongLimits().bytes)
        let text: SongFileText
        do throws(Trouble) {
            text = try SongFileText(bytes)
        } catch {
            throw CommandFailure(.failed, "\(path) cannot be read as a song: \(error)")
        }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
        // A title in the text is better than the name of the file.
        let sign = Attachment.isChordPro(named: file) ? nil : ChordProSign(in: text.text)
        let isChordPro = Attachment.isChordPro(named: file) || sign != nil
        var song = SongText(text.text, dialect: isChordPro ? .chordPro : .service, title: "")
        let recognised = sign.map { "\(file) is read as ChordPro, since line \($0.line) is '\($0.text)'." }
        let remarks = [text.remark, recognised].compactMap(\.self)
        let remark = remarks.isEmpty ? nil : remarks.joined(separator: " ")
        song.follow(rules)
        let songs = try? song.read()
        song.title = name
        // In a file of several songs, each has its own title, key and capo.
        guard let songs, songs.count == 1, let said = songs.first?.song else { return (song, 0, remark) }
        if let title = said.title, !title.isEmpty { song.title = title }
        song.key = said.key?.description
        return (song, SongView.frets.contains(said.capo) ? said.capo : 0, remark)
    }

    private static func find(_ name: String, in library: Library, now: Timestamp) throws -> (SongText, String?) {
        // Upcoming plans come first, so that a song is taken with the key of the next plan that has it.
        let plans = try library.plans.all().sorted { !$0.plan.isPast(at: now) && $1.plan.isPast(at: now) }
        var songs: [(item: PlanItem, song: ItemSong)] = []
        for item in plans.flatMap(\.items) {
            if let song = item.song, !songs.contains(where: { $0.song.id == song.id }) { songs.append((item, song)) }
        }
        let wanted = name.searched
        let found = songs.strictest([
            { $0.song.id.text == name }, { $0.song.title.searched == wanted },
            { !wanted.isEmpty && ($0.song.title.searched.contains(wanted) || $0.item.title.searched.contains(wanted)) },
        ])
        let words = { (each: (item: PlanItem, song: ItemSong)) in "\(each.song.id)  \(each.song.title)" }
        guard let first = found.first else {
            throw Trouble.unknown(
                name, "no file, and no song with words and chords here,", among: songs.map(words),
                none: "there is no file '\(name)', and no plan here has a song with words and chords")
        }
        guard found.count == 1 else { throw Trouble.ambiguous(name, "songs", among: found.map(words)) }
        guard let text = try library.songs.text(first.song.text) else {
            throw CommandFailure(.failed, "the words and chords of \(first.song.title) are not here; 'woodshed sync' brings them")
        }
        return (text, first.item.keyName.isEmpty ? nil : first.item.keyName)
    }
}
