import Testing

@testable import Songs

/// All forms that a chord can take in any key are known, so that a layout can leave room for the widest.
@Suite(.timeLimit(.minutes(5)))
struct ChordFormsTests {
    @Test(arguments: PublicDomainSong.all) func noKeyHasAChordThatIsNotForeseen(_ old: PublicDomainSong) throws {
        for change in ["", "TRANSPOSE KEY +3\n", "REDEFINE KEY -2\n"] {
            let song = try SongReading(service: change + old.text() + "\n" + change + old.text(), title: old.title, key: old.key).song
            let forms = ChordForms(of: song)
            let own = try #require(song.key)
            let texts = song.lines.flatMap(\.chordTexts)
            #expect(forms.places.count == texts.count && forms.forms.count < texts.count)
            for signature in -7...7 {
                let key = Key(tonic: Note(fifths: signature + (own.isMinor ? 3 : 0)), isMinor: own.isMinor)
                for (capo, writing) in [(0, ChordWriting.letters), (4, .letters), (0, .numbers(.fromMajor)), (0, .numbers(.fromTonic))] {
                    let copy = try song.written(in: key, capo: capo, as: writing)
                    for copy in [copy, copy.named(.german)] {
                        for (place, text) in zip(forms.places, copy.lines.flatMap(\.chordTexts)) {
                            #expect(forms.forms[place].contains(text.written), "\(text.written) in \(key)")
                        }
                    }
                }
            }
        }
    }

    @Test func namesOfNotesChangeAndTheMusicDoesNot() throws {
        let song = try SongReading(service: "[B]Oh [Bb7/F#]oh [N.C.]oh [E]oh\nTRANSPOSE KEY +2\n[B]oh", key: "B").song
        let german = song.named(.german)
        #expect(german.chords.map(\.written) == ["H", "B7/F#", "E", "H"] && german.key == song.key && german.detail("key") == "H")
        #expect(german.chords.map(\.notes) == song.chords.map(\.notes))
        #expect(german.named(.english) == song && song.named(.english) == song)
    }

    @Test func aKeyIsStatedWhereTheTextHasNone() throws {
        let song = try SongReading.chordPro("[H]Oh [E]oh")[0].song
        #expect(song.stating(key: "B").key == Key("B") && song.stating(key: "B").detail("key") == "H")
        #expect(try SongReading.chordPro("{key: G}\n[G]Oh")[0].song.stating(key: "B").key == Key("G"))
    }
}
