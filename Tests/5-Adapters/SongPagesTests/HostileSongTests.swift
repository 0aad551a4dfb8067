import Model
import Songs
import TestSupport
import Testing

@testable import SongPages

/// Texts that are not songs, or that are damaged.
@Suite(.timeLimit(.minutes(5)))
struct HostileSongTests {
    @Test func whateverATextSaysItIsLaidOutWithinItsColumns() throws {
        let samples = try (SampleSong.corpus + [SampleSong.grace]).map { Array($0.text.utf8) }
        var mutator = Mutator(
            samples,
            words: [
                "[", "]", "{", "}", "<b>", "[C#m7b5/G#]", "\n", "\t", "COLUMN_BREAK", "PAGE_BREAK", "{sot}", "e\u{301}", "\u{5D0}",
                "{define: G frets 3 2 0 0 0 3}",
            ])
        for number in 0..<Mutator.count(120) {
            var song = SongText(String(decoding: mutator.next(), as: UTF8.self), title: "x", key: "G")
            song.dialect = number % 2 == 0 ? .service : .chordPro
            song.size = [nil, 40, nil, 6][number % 4]
            song.diagrams = [nil, .guitar, .piano][number % 3]
            let layout: SongLayout
            do {
                layout = try SongLayout(song)
            } catch {
                #expect(error is Trouble, "\(error)")
                continue
            }
            let width = layout.labels.frame.columnWidth(layout.fit.columns) / layout.fit.size
            #expect(layout.rows.allSatisfy { $0.end <= width + 1e-6 || $0.runs.first?.text.hasPrefix("Key") == true })
            #expect(try SongLayout(song, SongView(key: "Db", writing: .german)).skeleton == layout.skeleton)
        }
    }

    @Test func aLineWithoutBlanksTakesNoTimeToSpeakOf() throws {
        let word = String(repeating: "la", count: 50_000)
        // Many chords on a line above one word.
        let above = SongText("VERSE 1\n\(String(repeating: "C ", count: 5000))\n\(word.prefix(40_000))", title: "x", key: "C")
        #expect(throws: Never.self) { try SongLayout(above) }
        for text in [word, "[C]\(word)", "[\(word)]la", "{sot}\n\(word)\n{eot}"] {
            let song = SongText(text, dialect: .chordPro, title: word, key: "C", author: word, copyright: word, order: [word])
            #expect(throws: Never.self) { try SongLayout(song).fit.pages <= SongLayout.mostPages }
        }
    }
}
