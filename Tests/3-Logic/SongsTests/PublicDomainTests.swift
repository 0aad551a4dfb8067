import Testing

@testable import Songs

/// A dozen old songs, with the habits of people who write charts.
@Suite(.timeLimit(.minutes(5)))
struct PublicDomainTests {
    @Test(arguments: PublicDomainSong.all) func noWordAndNoChordIsLost(_ old: PublicDomainSong) throws {
        let (words, chords) = old.parts
        for end in ["\n", "\r\n", "\r", "\u{2028}"] {
            let reading = try SongReading(service: old.text(end: end), title: old.title, key: old.key)
            #expect(reading.song.words == counted(words) && reading.song.chordWords == counted(chords))
            #expect(reading.remarks.map(\.text) == (old.title == "Be Thou My Vision" ? ["(hold)"] : []))
            #expect(try SongReading.chordPro(reading.song.chordPro).map(\.song) == [reading.song])
        }
    }

    @Test(arguments: PublicDomainSong.all) func inEveryKeyTheWordsAreTheSameBytes(_ old: PublicDomainSong) throws {
        let song = try SongReading(service: old.text(), title: old.title, key: old.key).song
        let own = try song.written()
        let tonic = try #require(own.key)
        for name in OutsideOracle.keys {
            let major = try #require(Key(name))
            let key = tonic.isMinor ? Key(tonic: major.tonic + Interval(fifths: 3), isMinor: true) : major
            let moved = try song.written(in: key)
            #expect(bytes(moved) == bytes(own) && moved.key == key)
            let semitones = (key.tonic.pitch - tonic.tonic.pitch).modulo(12)
            for (chord, was) in zip(moved.chords, own.chords) {
                #expect(
                    chord.root?.pitch == was.root.map { ($0.pitch + semitones) % 12 }
                        && chord.bass?.pitch == was.bass.map { ($0.pitch + semitones) % 12 })
                #expect(
                    chord.quality == was.quality && chord.extensions == was.extensions && chord.notes.allSatisfy { abs($0.accidental) <= 1 }
                )
            }
            #expect(moved.chords.count == own.chords.count)
            guard own.isInOneKey else { continue }
            // When the song moves back, notes of the scale have their old spelling again.
            let back = try moved.written(in: tonic)
            for (chord, was) in zip(back.chords, own.chords) {
                let isInScale = was.notes.allSatisfy { (-1...5).contains($0.fifths - tonic.signature) }
                #expect(chord.notes.map(\.pitch) == was.notes.map(\.pitch) && (chord == was || !isInScale), "\(was.written) from \(key)")
            }
        }
    }

    private func bytes(_ song: Song) -> [[UInt8]] {
        song.sections.flatMap(\.lines).map { line in
            switch line {
            case .words(let words), .note(let words, _): Array(words.text.utf8)
            default: []
            }
        }
    }
}

extension Song {
    fileprivate var isInOneKey: Bool {
        !sections.flatMap(\.lines).contains {
            if case .change = $0 { return true }
            return false
        }
    }
}
