import Model
import Songs
import Testing

@testable import SongPages

/// Chords on a line above the words go near their syllable, and split no word inside a syllable.
@Suite struct ChordPlacesTests {
    /// The words, with each chord in brackets before its letter.
    private func placed(_ chords: String, _ words: String) throws -> String {
        let song = try SongReading(service: "VERSE 1\n\(chords)\n\(words)").song
        guard case .words(let line)? = song.sections.first?.lines.first else { return "" }
        var text = Array(line.text.unicodeScalars).map { String(Character($0)) }
        for (chord, place) in zip(line.chords, ChordPlaces(Array(line.text.unicodeScalars)).places(of: line)).reversed() {
            text.insert("[\(chord.chord.written)]", at: min(place, text.count))
        }
        return text.joined()
    }

    @Test(arguments: [
        (
            "   F     F/E   D7        Gm  Gdim/Bb", "For Christ is born of Mary, and gathered",
            "For [F]Christ [F/E]is [D7]born of Ma[Gm]ry, [Gdim/Bb]and gathered"
        ),
        // A chord between two syllables goes to the nearer one; the silent e at the end of a word does not count.
        ("   Bb", "Victorious", "Vic[Bb]torious"), ("       C", "We confide in", "We con[C]fide in"),
        // A chord over the last letters of a word goes to the next word; over other letters, to the word itself.
        ("   G", "lead on", "lead [G]on"), (" G", "lead on", "[G]lead on"), ("    G", "Amen!", "Amen![G]"),
        ("          G", "Sing along.", "Sing along.[G]"),
        // A single blank before a word is skipped; between words that are far apart, a chord stays between them.
        ("  G", "De o", "De [G]o"), ("G    D", "Oh        my", "[G]Oh   [D]     my"),
        // A second chord over a syllable goes beside the first, and does not split the syllable.
        ("G   F", "strength", "[G][F]strength"),
        // Where syllables are not known, each chord stays where it was written.
        ("G  D  A", "Аллилуйя", "[G]Алл[D]илу[A]йя"),
        // However many chords there are, none passes another.
        ("G D A E", "born", "[G]born[D][A][E]"),
    ])
    func chordsGoToTheNearestSyllable(chords: String, words: String, text: String) throws {
        let found = try placed(chords, words)
        #expect(found == text)
    }

    /// Chords stay where their writer put them, even inside a syllable.
    @Test func chordsInBracketsStay() throws {
        let song = try SongReading(service: "VERSE 1\nb[G]orn").song
        guard case .words(let line)? = try #require(song.sections.first?.lines.first) as Song.Line? else {
            Issue.record("no words were read")
            return
        }
        #expect(ChordPlaces(Array("born".unicodeScalars)).places(of: line) == [1])
    }

    @Test(arguments: [
        ("victorious", "vic-to-rious"), ("contempt", "con-tempt"), ("anywhere", "a-ny-where"), ("confide", "con-fide"), ("born", "born"),
        ("Halleluja", "Hal-le-lu-ja"), ("one-horse", "one-horse"), ("gathered", "ga-the-red"), ("strengths", "strengths"),
        ("Übermut", "Ü-ber-mut"), ("主我", "主-我"), ("LORD", "LORD"), ("rr", "rr"), ("", ""),
    ])
    func wordsArePartedNearTheirSyllables(word: String, parted: String) {
        let letters = Array(word.unicodeScalars)
        let beginnings = Syllables.beginnings(in: letters[...])
        var text = ""
        for (place, letter) in letters.enumerated() {
            if beginnings.contains(place), text.last != "-" { text += "-" }
            text.unicodeScalars.append(letter)
        }
        #expect(text == parted)
    }
}
