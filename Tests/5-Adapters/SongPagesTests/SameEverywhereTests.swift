import Model
import Songs
import Testing

@testable import SongPages

/// In another key, with a capo or in numbers, a song's words and chords keep their places.
@Suite(.timeLimit(.minutes(5)))
struct SameEverywhereTests {
    static let majors = "C Db D Eb E F F# Gb G Ab A Bb B C# Cb".split(separator: " ").map(String.init)
    static let minors = "Cm C#m Dm Ebm Em Fm F#m Gm G#m Am Bbm Bm D#m".split(separator: " ").map(String.init)

    @Test func everyKeyBreaksAtTheSamePlaces() throws {
        for song in try SampleSong.all {
            let plain = try SongLayout(song).skeleton
            for key in song.title == "What Child Is This" ? Self.minors : Self.majors {
                for (capo, writing) in [(0, SongView.Writing.letters), (3, .letters), (0, .german), (5, .numbers), (0, .minorNumbers)] {
                    #expect(
                        try SongLayout(song, SongView(key: key, capo: capo, writing: writing)).skeleton == plain, "\(song.title) in \(key)")
                }
            }
        }
    }

    /// Each plan may have its own order of a song's parts, but all plans share the marks on the song.
    @Test func anyOrderOfThePartsLeavesTheWordsWhereTheyAre() throws {
        var song = SampleSong.grace
        let layouts = try [["Chorus"], ["Verse 1", "Chorus", "Verse 2"], Array(repeating: "Chorus 2", count: 40)].map { order in
            song.order = order
            return (try SongLayout(song).skeleton, SongSheet(song).placing(layout: 2))
        }
        #expect(layouts.allSatisfy { $0 == layouts[0] })
        song.text += " again"
        #expect(SongSheet(song).placing(layout: 2) != layouts[0].1)
        song.order = []
        #expect(try SongLayout(song).skeleton != layouts[0].0, "nor is there room where none is said")
    }

    @Test func whatCannotBeMovedIsDrawnAsWritten() throws {
        let song = SongText("VERSE 1\nA[G]mazing [C]grace", title: "Amazing Grace")
        let asked = try SongCopies(of: SongSheet(song, SongView(key: "A", capo: 2)))
        // The capo needs no key.
        #expect(asked.shown.chords.map(\.written) == ["F", "Bb"] && asked.sounding == nil)
        #expect(asked.remarks.count == 1 && asked.remarks[0].hasPrefix("Drawn as written: the song does not say which key"))
        #expect(try SongCopies(of: SongSheet(song)).remarks == [])
        // A change between major and minor is no reason to remove the capo.
        var known = song
        known.key = "G"
        let minor = try SongCopies(of: SongSheet(known, SongView(key: "Am", capo: 2)))
        #expect(minor.shown.chords.map(\.written) == ["F", "Bb"] && minor.sounding == "G" && minor.remarks.count == 1)
        let none = try SongCopies(of: SongSheet(known, SongView(key: "Q")))
        #expect(none.shown.chords.map(\.written) == ["G", "C"])
        #expect(none.remarks == ["'Q' is no key; the song is drawn in the one that it is written in."])
    }

    @Test func aSheetSaysItsKeyAndItsCapo() throws {
        func words(_ view: SongView) throws -> [String] { try SongLayout(SampleSong.grace, view).labels.first.map(\.text) }
        #expect(try words(SongView(key: "Bb", capo: 3)).contains("Capo 3 · shapes in G"))
        #expect(try words(SongView(key: "Bb", capo: 3)).contains("Bb"))
        #expect(try words(SongView(key: "B", writing: .german)).contains("H"))
        #expect(try !words(SongView()).contains { $0.contains("Capo") })
        let later = try SongLayout(SampleSong.long(verses: 30), SongView(key: "A", capo: 2)).labels.later(1, of: 3).map(\.text)
        #expect(later == ["Long · Key A · Capo 2 · shapes in G", "Page 2 of 3"])
    }

    @Test func numbersRaiseWhatFollowsThem() throws {
        let song = SongText("[C2]Oh [F#m7b5]oh [G/B]oh [Em7]oh", title: "x", key: "G")
        let slots = try SongLayout(song, SongView(writing: .numbers)).slots
        #expect(
            slots.map { $0.parts.map { $0.isRaised ? "^\($0.text)" : $0.text } } == [
                ["4", "^2"], ["7-", "^7b5"], ["1", "/3"], ["6-", "^7"],
            ])
    }
}
