import Testing

@testable import Songs

/// Reads some seventy old songs in every key, with capos and as numbers, and compares the results with a reading that shares no code
/// with the module.
@Suite(.timeLimit(.minutes(5)))
struct SongFolderTests {
    private static let major = "C Db D Eb E F F# G Ab A Bb B".split(separator: " ").map(String.init)
    private static let minor = "Cm C#m Dm Ebm Em Fm F#m Gm G#m Am Bbm Bm".split(separator: " ").map(String.init)

    private func pitch(ofKey name: String) throws -> Int { try #require(PlainChord(name[...], isGerman: false)).root }

    private func read(_ song: FolderSong) throws -> SongReading { try SongReading(service: song.text, title: song.title, key: song.key) }

    @Test func thereAreManySongsInManyKeys() {
        #expect(FolderSong.all.count >= 60 && Set(FolderSong.all.map(\.key)).count >= 20)
        #expect(FolderSong.all.allSatisfy { PlainReading(service: $0.text).chords.count >= 8 })
    }

    @Test(arguments: FolderSong.all) func noWordAndNoChordIsLost(_ old: FolderSong) throws {
        let (said, song) = (PlainReading(service: old.text), try read(old).song)
        let written = PlainReading(written: song.chordPro)
        #expect(written.words == said.words && written.lines == said.lines)
        #expect(written.chords == said.chords && written.others.joined() == said.others.joined())
        #expect(try SongReading.chordPro(song.chordPro).map(\.song) == [song])
    }

    @Test func chordsStayOverTheirWords() throws {
        var count = 0
        for old in FolderSong.all {
            let lines = try read(old).song.chordPro.split(separator: "\n").map(String.init)
            for pair in PlainReading(service: old.text).pairs {
                count += 1
                #expect(lines.contains(pair), "\(old.title): \(pair)")
            }
        }
        #expect(count > 150)
    }

    @Test(arguments: FolderSong.all) func inEveryKeyOnlyTheChordsMove(_ old: FolderSong) throws {
        let said = PlainReading(service: old.text)
        let song = try read(old).song
        let own = try pitch(ofKey: old.key)
        for name in old.key.hasSuffix("m") ? Self.minor : Self.major {
            let steps = try pitch(ofKey: name) - own
            try expect(try song.written(in: Key(name)), says: said, moved: steps, "\(name)")
        }
        for fret in [1, 3, 5] { try expect(try song.written(capo: fret), says: said, moved: -fret, "capo \(fret)") }
    }

    private func expect(_ moved: Song, says said: PlainReading, moved steps: Int, _ place: Comment) throws {
        let written = PlainReading(written: moved.chordPro)
        #expect(written.words == said.words && written.lines == said.lines, place)
        #expect(written.others == said.others, place)
        #expect(written.chords.map { $0.moved(0) } == zip(said.chords, said.shifts).map { $0.moved(steps + $1) }, place)
        #expect(try SongReading.chordPro(moved.chordPro).map(\.song) == [moved], place)
    }

    @Test(arguments: FolderSong.all, [ChordWriting.MinorNumbers.fromMajor, .fromTonic])
    func numbersCountFromTheKeyInForce(_ old: FolderSong, _ minor: ChordWriting.MinorNumbers) throws {
        let said = PlainReading(service: old.text)
        let numbers = try read(old).song.written(as: .numbers(minor))
        let written = PlainReading(written: numbers.chordPro, hasNumbers: true)
        #expect(written.words == said.words && written.lines == said.lines && written.others == said.others)
        #expect(written.chords.count == said.chords.count)
        // The note that the number 1 stands for. Counted from a minor tonic, degrees 3, 6 and 7 are a semitone lower without a flat sign.
        let isMinor = old.key.hasSuffix("m")
        let one = try pitch(ofKey: old.key) + (isMinor && minor == .fromMajor ? 3 : 0)
        for (place, chord) in written.chords.enumerated() where place < said.chords.count {
            let expected = said.chords[place].moved(said.shifts[place])
            let found = chord.moved(one + written.keys[place], inMinor: isMinor && minor == .fromTonic)
            #expect(found == expected, "\(said.chords[place].text) became \(chord.text)")
        }
        #expect(try SongReading.chordPro(numbers.chordPro).map(\.song) == [numbers])
    }
}

extension PlainChord {
    /// Like `moved`, for a number that counts in a minor scale.
    fileprivate func moved(_ semitones: Int, inMinor: Bool) -> [Int?] {
        guard inMinor else { return moved(semitones) }
        let parts = text.split(separator: "/").map { $0.first { "1234567".contains($0) } }
        let lowered = parts.map { $0.map { "367".contains($0) } == true ? -1 : 0 }
        let plain = moved(semitones)
        return zip(plain, [lowered[0], bass == nil ? 0 : lowered[lowered.count - 1]]).map { pitch, step in
            pitch.map { ($0 + step + 12) % 12 }
        }
    }
}
