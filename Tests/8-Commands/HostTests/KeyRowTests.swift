import Model
import Testing
import Viewer

@testable import Host

/// The keys in which a song can be read, as the viewer's panel offers them.
@Suite struct KeyRowTests {
    @Test func aRowHasEachKeyOnceUnderTheNameThatIsKnown() {
        let row = KeyRow(writtenIn: "Gb", wanted: "C#")
        #expect(row.keys.map(\.name) == ["C", "C#", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"])
        #expect(row.written == "Gb" && row.wanted == "C#" && row.reason == nil)
    }

    @Test func shapesBehindACapoAreThoseWithTheFewestAccidentals() {
        let row = KeyRow(writtenIn: "G", wanted: "Bb")
        #expect(row.keys.first { $0.name == "Bb" }?.shapes == ["Bb", "A", "Ab", "G", "Gb", "F", "E", "Eb", "D", "Db"])
        #expect(row.keys.first { $0.name == "G" }?.shapes[3] == "E")
    }

    @Test func aMinorSongIsOfferedMinorKeys() {
        let row = KeyRow(writtenIn: "Em", wanted: "F#m")
        #expect(row.keys.map(\.name) == ["Am", "Bbm", "Bm", "Cm", "C#m", "Dm", "D#m", "Em", "Fm", "F#m", "Gm", "G#m"])
        // A plan that has the song in a major key contradicts the text.
        #expect(KeyRow(writtenIn: "Em", wanted: "G").wanted == nil)
    }

    @Test(arguments: [(nil, "Nobody says"), ("H?", "'H?', which is no key")] as [(String?, String)])
    func withoutAKeyThereIsNoOtherAndAReason(written: String?, reason: String) {
        let row = KeyRow(writtenIn: written, wanted: "G")
        #expect(row.keys.isEmpty && row.reason?.contains(reason) == true)
    }

    /// The panel and the sheet must state the same key, in which the capo of the song's text is included.
    @Test func aSongWithACapoOfItsOwnSoundsBehindIt() {
        #expect(SongFacts(key: "G", capo: 2, layout: 1).sound(of: "G") == "A")
        #expect(SongFacts(key: "G", capo: 0, layout: 1).sound(of: "G") == "G")
        #expect(SongFacts(key: nil, capo: 2, layout: 1).sound(of: nil) == nil)
    }
}
