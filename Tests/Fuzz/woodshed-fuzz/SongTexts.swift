import Model
import Songs

/// Songs as text, in both forms that are read: the service's and ChordPro's.
enum SongTexts {
    /// The limits are small, so that cases reach them.
    private static let limits: SongLimits = {
        var limits = SongLimits()
        limits.bytes = 1 << 15
        limits.lines = 400
        limits.chords = 1000
        return limits
    }()

    private static let keys = ["G", "Db", "F#", "Am", "Ebm"].compactMap { Key($0) }

    static func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            check(try SongReading(service: text, title: "x", key: "G", limits: limits))
            for reading in try SongReading.chordPro(text, limits: limits) { check(reading) }
        } catch {
            precondition(!error.description.isEmpty)
        }
    }

    private static func check(_ reading: SongReading) {
        precondition(reading.remarks.allSatisfy { $0.line > 0 && !$0.description.isEmpty })
        let song = reading.song
        precondition((try? SongReading.chordPro(song.chordPro).map(\.song)) == [song])
        for key in keys {
            for writing in [ChordWriting.letters, .numbers(.fromMajor), .numbers(.fromTonic)] {
                guard let moved = try? song.written(in: key, capo: 2, as: writing) else { continue }
                precondition(words(moved) == words(song))
                // Writing the song again in the same way must not change its chords.
                guard writing == .letters, let again = try? moved.written(capo: 2) else { continue }
                precondition(again.chords == moved.chords)
            }
        }
    }

    private static func words(_ song: Song) -> [[UInt8]] {
        song.sections.flatMap(\.lines).map { line in
            switch line {
            case .words(let words), .note(let words, _): Array(words.text.utf8)
            default: []
            }
        }
    }
}
