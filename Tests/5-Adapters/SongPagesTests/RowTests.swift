import Model
import Songs
import Testing

@testable import SongPages

/// How lines are broken into rows, with chords over their words.
@Suite(.timeLimit(.minutes(5)))
struct RowTests {
    /// The rows of a text, 20 letters wide by default.
    private func rows(_ text: String, letters: Double = 20, mayGrow: Bool = true) throws -> (rows: [Row], slots: [Slot]) {
        let copies = try SongCopies(of: SongSheet(SongText(text, title: "x", key: "C")))
        let lines = SongLines(of: copies, measure: EvenMeasure())
        let flow = SongRows(lines, width: letters / 2, measure: EvenMeasure(), mayGrow: mayGrow).flow
        let groups = flow.flatMap { step -> [Group] in
            guard case .part(let stanzas) = step else { return [] }
            return stanzas.flatMap(\.self)
        }
        return (groups.flatMap(\.rows), lines.slots)
    }

    @Test func aLongLineIsBrokenBetweenWordsAndTheChordsGoWithThem() throws {
        let (rows, slots) = try rows("Amazing grace, how [C]sweet the sound, that [G]saved")
        #expect(rows.map { $0.runs.map(\.text).joined(separator: "|") } == ["Amazing grace, how", "sweet the sound,", "that saved"])
        #expect(rows.map { $0.chords.map { slots[$0.slot].text } } == [[], ["C"], ["G"]])
        // A continued row is indented together with its chords.
        #expect(rows[1].runs[0].x == RowSetter.hanging && rows[1].chords[0].x == RowSetter.hanging)
        #expect(rows[2].chords[0].x == RowSetter.hanging + 2.5)
    }

    @Test func wordsGiveWayToWideChords() throws {
        let (rows, slots) = try rows("[Cmaj7]a [Dm7]man [G]A[F#dim7]men", letters: 80)
        let row = rows[0]
        #expect(rows.count == 1 && row.runs.map(\.text) == ["a", "man", "A", "men"])
        for (chord, next) in zip(row.chords, row.chords.dropFirst()) {
            #expect(next.x >= chord.x + slots[chord.slot].room + RowSetter.chordGap - 1e-9)
        }
        // Between words, the gap is just wider; within a word, a line shows that the word continues.
        #expect(
            row.gaps.count == 1 && row.gaps[0].x == row.runs[2].x + row.runs[2].width && row.gaps[0].x + row.gaps[0].width == row.runs[3].x)
    }

    @Test func chordsThatLeaveRoomChangeNoWord() throws {
        let (rows, _) = try rows("A[C]mazing grace, [F]how sweet the [G]sound", letters: 80)
        #expect(rows[0].runs.map(\.text) == ["Amazing grace, how sweet the sound"] && rows[0].gaps.isEmpty)
    }

    /// The parts of a word are joined by a hyphen unless the text has one, and punctuation stays with its word.
    @Test(arguments: [
        ("cheer[Bbm7(b5)]i[Ebmaj7]ness", 1), ("new-[Bbm7(b5)]b[F]orn", 1), ("[Bbm7(b5)]one-[F]horse", 0), ("[Bbm7(b5)]in[F],", 0),
        ("[Bbm7(b5)]in[F]. and", 0),
    ])
    func aWordThatIsDrawnApartShowsIt(text: String, hyphens: Int) throws {
        let (rows, _) = try rows(text)
        let gaps = rows.flatMap(\.gaps)
        #expect(gaps.count == hyphens && gaps.allSatisfy { $0.width >= RowSetter.leastHyphen - 1e-9 })
        #expect(!rows.flatMap(\.runs).contains { $0.text.first.map { ",.".contains($0) } ?? false }, "it stays with its word")
    }

    @Test func chordsBetweenWordsHaveAPlaceOfTheirOwn() throws {
        for text in ["low [C]  sweet", "low [C][F] sweet", "low [C] | sweet"] {
            let (rows, slots) = try rows(text, letters: 80)
            let last = try #require(rows[0].chords.last)
            #expect(rows[0].runs[0].text == "low" && rows[0].runs[1].x >= last.x + slots[last.slot].room, "\(text)")
        }
    }

    /// Many people write every chord with a space behind it. It is for the word there, which begins as close as without the chord.
    @Test(arguments: ["[Cmaj7] sweet", "low [Cmaj7] sweet", "low [C] [F#m7] sweet"]) func aChordBeforeASpacePushesNoWord(text: String)
        throws
    {
        let (rows, _) = try rows(text, letters: 80)
        let (word, chord) = (try #require(rows[0].runs.last), try #require(rows[0].chords.last))
        #expect(word.text == "sweet" && abs(word.x - chord.x - 0.5) < 1e-9)
    }

    @Test func aWordOnALineOfItsOwnHasCompany() throws {
        let (rows, _) = try rows("Amazing grace how [C]sweet")
        #expect(rows.map { $0.runs.map(\.text).joined() } == ["Amazing grace", "how sweet"])
        // A chord that comes along makes the line higher, which a full page has no room for.
        let higher = try [true, false].map { try self.rows("[C]Amazing grace [G]how sweet", mayGrow: $0).rows }
        #expect(higher.map { $0.map { $0.runs.map(\.text).joined(separator: " ") }.last } == ["how sweet", "sweet"])
        // Where two words are a row, none is left alone there.
        #expect(try self.rows("Amazing gracefully sweet").rows.map { $0.runs.map(\.text).joined() } == ["Amazing gracefully", "sweet"])
        #expect(try self.rows("Amazing grace how sweet the sound that").rows.count == 3)
    }

    /// In an instrumental line without blanks, no chord may be lost at the edge.
    @Test(arguments: ["", "word", " word"]) func chordsWithNoWordsBetweenThemAreBroken(text: String) throws {
        let (rows, _) = try rows(String(repeating: "[Cmaj7]", count: 40) + text)
        #expect(rows.count > 5 && rows.flatMap(\.chords).map(\.slot) == Array(0..<40))
        for row in rows { #expect(row.end <= 10.001 && row.chords.allSatisfy { $0.x < 10 }) }
    }

    @Test func whatIsLongerThanARowIsBrokenAnywhere() throws {
        let word = String(repeating: "la", count: 40)
        let (rows, _) = try rows("[C]\(word) end")
        #expect(rows.allSatisfy { $0.end <= 10 + 1e-9 } && rows.flatMap(\.runs).map(\.text).joined() == word + " end")
        let chord = try self.rows("[| C | F | G | C | F | G | C | F | G | C |]la").rows
        #expect(chord.flatMap(\.chords).allSatisfy { $0.scale < 1 } && chord.allSatisfy { $0.end <= 10 + 1e-9 })
    }

    @Test func chordsStandOverTheLettersTheyWereWrittenBefore() throws {
        for song in try SampleSong.all {
            for view in [SongView(), SongView(key: "Db"), SongView(writing: .numbers)] {
                let layout = try SongLayout(song, view)
                let copies = try SongCopies(of: SongSheet(song, view))
                // For each slot, the letter that follows it in its word.
                let letters = copies.shown.sections.flatMap(\.lines).flatMap { line -> [Character?] in
                    switch line {
                    case .words(let words), .note(let words, _):
                        // Chords on a line above the words are only near their letter; ChordPlacesTests tests them.
                        words.chords.map { chord in
                            let rest = words.hasChordsAbove ? nil : words.text.unicodeScalars.dropFirst(chord.place).first
                            return rest.flatMap { $0.properties.isWhitespace ? nil : Character($0) }
                        }
                    default: line.chordTexts.map { _ in nil }
                    }
                }
                #expect(letters.count == layout.slots.count)
                let follows = copies.shown.slotsThatFollow
                var seen = 0
                for row in layout.rows {
                    for (chord, next) in zip(row.chords, row.chords.dropFirst()) {
                        #expect(next.x >= chord.x + layout.slots[chord.slot].room + RowSetter.chordGap - 1e-9)
                    }
                    for chord in row.chords {
                        guard let letter = letters[chord.slot] else { continue }
                        // Of several chords at one place, only the first is over the letter.
                        guard chord.slot == 0 || !follows.contains(chord.slot) else { continue }
                        let run = row.runs.last { $0.x <= chord.x + 1e-6 }
                        let place = run.map { Int(((chord.x - $0.x) / 0.5 / $0.face.size).rounded()) }
                        #expect(run.flatMap { $0.text.dropFirst(place ?? 0).first } == letter, "\(song.title): \(row.runs.map(\.text))")
                        seen += 1
                    }
                }
                #expect(seen > 0)
            }
        }
    }
}

extension Song {
    /// The slots of chords that stand at the same place in the words as the chord before.
    fileprivate var slotsThatFollow: Set<Int> {
        var (found, slot): (Set<Int>, Int) = ([], 0)
        for line in sections.flatMap(\.lines) {
            if case .words(let words) = line {
                for (number, pair) in zip(words.chords, words.chords.dropFirst()).enumerated() where pair.0.place == pair.1.place {
                    found.insert(slot + number + 1)
                }
            }
            slot += line.chordTexts.count
        }
        return found
    }
}
