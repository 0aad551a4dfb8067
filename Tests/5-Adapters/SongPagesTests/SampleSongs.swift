import Model
import TestSupport

@testable import SongPages

/// Every letter is half as wide as the font's size, in every face, so tests can compute places.
struct EvenMeasure: TextMeasure {
    func width(of text: String, in face: Face) -> Double { Double(text.unicodeScalars.count) * 0.5 * face.size }
}

/// Old songs, with everything that a chart may contain.
enum SampleSong {
    static let grace = SongText(
        """
        INTRO
        | G | D/F# | Em7 . C2 . | x2

        VERSE 1
        A[G]mazing [D/F#]grace, <b>how [C]sweet</b> the [G]sound
        That [G]saved a [Em]wretch like [D]me
        { softly }
        I [G]once was [G/B]lost, but [Cmaj7]now am [G]found

        CHORUS
        [F#m7b5]Ven[G#dim7]i[Bm7]te a[Em7]do[D/F#]remus [C] [G] [D]
        {{ drums in }}
        TRANSPOSE KEY +2
        Em        C       N.C.   (hold)
        That saved a wretch like me
        REDEFINE KEY -1
        TAG (x2)
        Was [Eb]blind, but [Bb7]now I see [Ab/C]
        """, title: "Amazing Grace", key: "G", author: "John Newton", copyright: "Public domain", tempo: 72, meter: "3/4",
        order: ["Verse 1", "Chorus", "Tag"])

    static let minor = SongText(
        """
        Verse 1
        [Em]What child is [G]this who [D]laid to [Bm]rest
        On [Em]Mary's [C]lap is [B7]sleeping?
        Whom [Em]angels [G]greet with [D]anthems [Bm]sweet
        While [Em]shepherds [B7]watch are [Em]keeping

        Chorus
        [G]This, this is [D]Christ the [Bm]King
        Whom [Em]shepherds [C]guard and [B7]angels sing
        """, title: "What Child Is This", key: "Em")

    static let german = SongText(
        "STROPHE 1\nStille [G]Nacht, heilige [D]Nacht, alles [H7]schläft, [Em]einsam [C]wacht [G]", title: "Stille Nacht", key: "G")

    static var corpus: [SongText] {
        get throws {
            [
                SongText(try Repository.text("Tests/Fuzz/corpus/song/service.txt"), title: "Service", key: "G"),
                SongText(try Repository.text("Tests/Fuzz/corpus/song/song.cho"), dialect: .chordPro, title: "Swing Low"),
            ]
        }
    }

    static var all: [SongText] {
        get throws { [grace, minor, german, long(verses: 16)] + (try corpus) }
    }

    /// A song whose verses need more than one page if there are many.
    static func long(verses: Int, line: String = "The [G]Lord has [G/B]promised [Csus4]good to [G]me") -> SongText {
        let verse = [String](repeating: line, count: 4).joined(separator: "\n")
        return SongText((1...verses).map { "VERSE \($0)\n\(verse)" }.joined(separator: "\n\n"), title: "Long", key: "G")
    }
}

extension SongLayout {
    init(_ song: SongText, _ view: SongView = SongView()) throws {
        try self.init(SongCopies(of: SongSheet(song, view)), song, measure: EvenMeasure())
    }

    /// The places of everything in the layout, without the chords' names.
    var skeleton: [String] {
        ["\(fit.size) \(fit.columns) \(labels.frame)"]
            + fit.places.map { place in
                let runs = place.row.runs.map { "\($0.x) \($0.face.isMono || $0.text.hasPrefix("Key") ? "" : $0.text)" }
                return "\(place.page) \(place.column) \(place.y) \(place.row.chords.map { "\($0.x) \($0.slot)" }) \(runs) \(place.row.gaps)"
            }
    }

    var rows: [Row] { fit.places.map(\.row) }
}
