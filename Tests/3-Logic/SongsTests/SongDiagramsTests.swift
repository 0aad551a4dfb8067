import Model
import Testing

@testable import Songs

/// How chords are played, and which of a song's chords have a diagram.
@Suite(.timeLimit(.minutes(5)))
struct SongDiagramsTests {
    private static let roots = ["C", "C#", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"]

    private func frets(_ name: String, on instrument: SongText.Diagrams = .guitar) throws -> String? {
        guard case .strings(let frets, _)? = ChordShape(of: try #require(Chord(name)), on: instrument) else { return nil }
        return frets.map { $0.map(String.init) ?? "x" }.joined(separator: frets.contains { $0 ?? 0 > 9 } ? " " : "")
    }

    /// The tones of a shape, as semitones above the root.
    private func tones(_ shape: ChordShape, _ strings: [Int], root: Int) -> Set<Int> {
        switch shape {
        case .strings(let frets, _): Set(zip(frets, strings).compactMap { fret, open in fret.map { ($0 + open - root).modulo(12) } })
        case .keys(let keys): Set(keys.map { ($0 - root).modulo(12) })
        }
    }

    @Test(arguments: ChordKind.kinds.keys.sorted()) func everyShapeSoundsItsChord(kind: String) throws {
        for root in Self.roots {
            let chord = try #require(Chord(root + kind))
            let pitch = try #require(chord.root?.pitch)
            let wanted = Set(try #require(ChordKind(of: chord)).intervals.map { $0 % 12 })
            for instrument in SongText.Diagrams.allCases {
                let strings = instrument == .guitar ? ChordShape.guitar : ChordShape.ukulele
                let shape = try #require(ChordShape(of: chord, on: instrument))
                let found = tones(shape, strings, root: pitch)
                // Of four or more tones, the fifth or, on four strings, the root may be left to others.
                let missing = wanted.subtracting(found)
                #expect(found.isSubset(of: wanted) && missing.isSubset(of: wanted.count > 3 ? [0, 7] : []), "\(root + kind) \(shape)")
                #expect(missing.count <= 1, "\(root + kind) \(shape)")
                guard case .strings(let frets, _) = shape else { continue }
                let pressed = frets.compactMap(\.self).filter { $0 > 0 }
                #expect(frets.count == strings.count && (pressed.max() ?? 0) - (pressed.min() ?? 0) < 5, "\(root + kind)")
            }
        }
    }

    @Test func usualChordsHaveTheirUsualShapes() throws {
        let shapes = [
            "G": "320003", "C": "x32010", "D": "xx0232", "Em": "022000", "F": "133211", "Bm": "x24432", "F#m": "244222", "Bb": "x13331",
            "C#m": "x46654", "D7": "xx0212", "Am7": "x02010", "Cmaj7": "x32000", "Dsus4": "xx0233", "Cadd9": "x32030", "A5": "x022xx",
        ]
        for (name, shape) in shapes { #expect(try frets(name) == shape, "\(name)") }
        for (name, shape) in ["C": "0003", "G": "0232", "Am": "2000", "Bm": "4222", "E7": "1202"] {
            #expect(try frets(name, on: .ukulele) == shape, "\(name)")
        }
        let minor = try #require(Chord("Am"))
        #expect(ChordShape(of: minor, on: .piano) == .keys([9, 12, 16]))
    }

    /// Keys for both hands are drawn as the song has them, and the keyboards are long enough for them in every key.
    @Test func aKeyboardHasRoomForBothHands() throws {
        func diagrams(_ keys: String, key: String) throws -> SongDiagrams {
            let own = try #require(try SongReading.chordPro("{key: G}\n{define: G keys \(keys)}\n[G]a").first).song
            return SongDiagrams(of: try own.written(in: Key(key)), own: own, for: .piano)
        }
        #expect(try diagrams("0 7 12 16 19 24", key: "G").diagrams.map(\.shape) == [.keys([7, 14, 19, 23, 26, 31])])
        for key in ["G", "Eb", "B"] {
            #expect(try diagrams("0 7 12 16 19 24", key: key).octaves == 3 && diagrams("0 4 7", key: key).octaves == 2)
        }
        #expect(try diagrams("0 4 99", key: "G").diagrams.map(\.shape) == [.keys([7, 11, 14])], "it is no definition")
    }

    @Test(arguments: [("C2", "Cadd9"), ("Dsus", "Dsus4"), ("A-7", "Am7"), ("GM7", "Gmaj7"), ("B°", "Bdim"), ("F#m7(b5)", "F#m7b5")])
    func aKindHasSeveralNames(name: String, usual: String) throws {
        #expect(try frets(name) == frets(usual) && frets(name) != nil)
    }

    /// Another chord in its place would be wrong.
    @Test func aBassIsInTheShapeOrThereIsNone() throws {
        let shapes = [
            "D/F#": "2x0232", "G/B": "x20003", "C/E": "032010", "C/G": "332010", "A/C#": "x42220", "D/A": "x00232", "F#m/E": "044222",
        ]
        for (name, shape) in shapes {
            #expect(try frets(name) == shape, "\(name)")
        }
        #expect(try frets("G/B", on: .ukulele) == nil)
        let overBass = try #require(Chord("G/B"))
        #expect(ChordShape(of: overBass, on: .piano) == .keys([11, 14, 19, 23]))
        #expect(try frets("C7#9") == nil && frets("/F#") == nil)
    }

    private func diagrams(
        _ text: String, in key: String? = nil, as writing: ChordWriting = .letters, for instrument: SongText.Diagrams = .guitar
    ) throws -> SongDiagrams {
        let song = try #require(try SongReading.chordPro("{key: G}\n" + text).first).song
        return SongDiagrams(of: try song.written(in: key.flatMap { Key($0) }, as: writing), own: song, for: instrument)
    }

    @Test func eachChordComesOnceInTheOrderOfItsFirstUse() throws {
        let text = "[D]a [G]b [D]c [C7#9]d\n{start_of_verse-alto}\n[F]e\n{end_of_verse}"
        #expect(try diagrams(text).diagrams.map(\.name) == ["D", "G"] && diagrams(text).unknown == ["C7#9"])
        #expect(try diagrams(text, in: "A").diagrams.map(\.name) == ["E", "A"])
    }

    @Test func anOwnShapeHoldsInItsOwnKeyAlone() throws {
        let text = "{define: G base-fret 3 frets 1 3 3 2 1 1 fingers 1 3 4 2 1 1}\n{define: Em frets 0 0 0 0 0 0}\n[G]a"
        let shapes = try diagrams(text).diagrams.map(\.shape)
        #expect(shapes == [.strings([3, 5, 5, 4, 3, 3], fingers: ["1", "3", "4", "2", "1", "1"])], "Em is not used")
        #expect(try diagrams(text, in: "C").diagrams == diagrams("[G]a", in: "C").diagrams)
        #expect(try diagrams(text, for: .ukulele).diagrams == diagrams("[G]a", for: .ukulele).diagrams, "it has too few strings")
        let seventh = try diagrams("{define: G7: frets 3 x 0 0 0 1}\n[G7]a").diagrams.map(\.shape)
        #expect(seventh == [.strings([3, nil, 0, 0, 0, 1], fingers: [])])
        #expect(try diagrams("{define-piano: D keys 7 12 16}\n[D]a", for: .piano).diagrams.map(\.shape) == [.keys([9, 14, 18])])
        #expect(try diagrams("{chord: C7#9 frets x 3 2 3 4 x}\n[C7#9]a").unknown.isEmpty)
    }

    @Test func theLastShapeOfAChordIsDrawnAndOthersAreNamed() throws {
        let lines = ["{define: G frets 3 2 0 0 0 3}", "{define: G frets 3 2 0 0 3 3}", "{chord: G frets 3 5 5 4 3 3}"]
        let song = try #require(try SongReading.chordPro("{key: G}\n" + lines.joined(separator: "\n[G]a\n")).first).song
        let drawn = SongDiagrams(of: song, own: song, for: .guitar).diagrams
        #expect(drawn.map(\.shape) == [.strings([3, 2, 0, 0, 3, 3], fingers: [])], "one shape a chord, and not the one for a single place")
        #expect(SongDiagrams.directives(of: song, for: .guitar) == [lines[1]])
    }

    @Test(arguments: ["{diagrams: off}", "{no_grid}", "{ng}"]) func aSongMayWantNone(directive: String) throws {
        let none = try diagrams("{diagrams: guitar}\n\(directive)\n{g}\n[G]a")
        #expect(none.diagrams.isEmpty && none.unknown.isEmpty && none.most == 0)
    }

    /// Otherwise words would be elsewhere in another key.
    @Test func theirRoomIsTheSameInEveryKeyAndInNumbers() throws {
        let text = "{define: Gx7 frets 0 0 0 0 0 0}\n{define: C7#9 frets x 3 2 3 4 x}\n[D/F#]a [G]b\n{transpose: +2}\n[G]c [C7#9]d"
        let plain = try diagrams(text)
        #expect(plain.most == 4 && plain.diagrams.count <= 4)
        for key in ["A", "Bb", "Db", "F#"] {
            let moved = try diagrams(text, in: key)
            #expect(moved.most == 4 && moved.diagrams.count <= 4, "\(key)")
        }
        let numbers = try diagrams(text, as: .numbers(.fromMajor))
        #expect(numbers.most == 4 && numbers.diagrams.isEmpty && numbers.unknown.isEmpty)
    }
}
