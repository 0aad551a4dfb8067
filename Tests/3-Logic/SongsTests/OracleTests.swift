import Testing

@testable import Songs

/// Compares two hundred symbols in fifteen major and fifteen minor keys with the results of another library.
@Suite(.timeLimit(.minutes(5)))
struct OracleTests {
    /// Moves from C to every major key, or from A minor to every minor key.
    private struct Way {
        let from: Key
        let facts: [OutsideOracle.KeyFacts]
        let rows: [String: [(name: String, pitch: Int)]]
    }

    private let ways = [
        Way(from: Key("C")!, facts: OutsideOracle.majors, rows: OutsideOracle.major),
        Way(from: Key("Am")!, facts: OutsideOracle.minors, rows: OutsideOracle.minor),
    ]

    private func name(_ note: Note) -> String { Naming.english.name(of: note, signs: false) }

    @Test func thereAreThirtyKeysAndTwoHundredSymbols() {
        #expect(ways.allSatisfy { way in way.facts.count == 15 && way.rows.count == 21 && way.rows.values.allSatisfy { $0.count == 15 } })
        #expect(Set(OutsideOracle.chords.map(\.symbol)).count == 200)
    }

    @Test func scalesHoldTheSameNotes() throws {
        for facts in ways.flatMap(\.facts) {
            let key = try #require(Key(facts.name))
            let held = (-15...19).map { Note(fifths: $0) }.filter { key.holds($0) }
            #expect(Set(held.map(name)) == facts.scale)
        }
    }

    /// Moving by the interval gives the names of music21. Only names that are awkward in the key change, and the piano key stays.
    @Test func notesAreRespeltOnlyWhereTheyAreAwkward() throws {
        for way in ways {
            for (text, row) in way.rows {
                let note = try #require(Chord(text)?.root)
                for (facts, expected) in zip(way.facts, row) {
                    let key = try #require(Key(facts.name))
                    let plain = note + way.from.interval(to: key)
                    #expect(name(plain) == expected.name && plain.pitch == expected.pitch, "\(text) in \(key)")
                    let isDouble = expected.name.count > 2
                    let isAwkward = isDouble || ["E#", "B#", "Fb", "Cb"].contains(expected.name) && !facts.scale.contains(expected.name)
                    #expect(name(plain.respelt(in: key)) == (isAwkward ? neighbour(expected, key) : expected.name), "\(text) in \(key)")
                }
            }
        }
    }

    private func neighbour(_ note: (name: String, pitch: Int), _ key: Key) -> String {
        let isFlat = key.signature == 0 ? note.name.contains("b") : key.signature < 0
        let names = isFlat ? "C Db D Eb E F Gb G Ab A Bb B" : "C C# D D# E F F# G G# A A# B"
        return String(names.split(separator: " ")[note.pitch])
    }

    @Test func symbolsMoveByTheSameSemitonesInEveryKey() throws {
        for (symbol, root, bass) in OutsideOracle.chords {
            let chord = try #require(Chord(symbol), "\(symbol)")
            #expect(chord.root?.pitch == root && (chord.bass ?? chord.root)?.pitch == bass, "\(symbol)")
            for way in ways {
                for facts in way.facts {
                    let key = try #require(Key(facts.name))
                    let moved = chord.moved(by: way.from.interval(to: key), in: key, .english, signs: false)
                    // Reading the written chord gives the same chord.
                    let again = try #require(Chord(moved.written), "\(moved.written)")
                    #expect(again == moved && again.quality == chord.quality && again.extensions == chord.extensions)
                    let shift = way.from.interval(to: key).semitones
                    #expect(
                        again.root?.pitch == (root + shift) % 12 && (again.bass ?? again.root)?.pitch == (bass + shift) % 12,
                        "\(symbol) in \(key)")
                }
            }
        }
    }
}
