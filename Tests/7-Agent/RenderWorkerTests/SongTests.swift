import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Songs that real workers draw in their sandbox.
@Suite(.onLoop)
struct SongTests {
    private let bench: Bench

    @LoopActor init() { bench = Bench() }

    @Test @LoopActor func aSongIsDrawnInTheSandbox() async throws {
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let song = SongText("VERSE 1\nA[G]mazing [Gx]grace, [C]how sweet the [G]sound", title: "Amazing Grace", key: "G")
        let outcome = try await bench.pool.draw(SongJob(SongSheet(song, SongView(key: "A")), output: file.descriptor), in: .live)
        #expect(outcome.warnings == ["Line 2: 'Gx' is no known chord, and is the same in every key."])
        let pdf = try AtomicFile.read(file.path, limit: 1 << 20)
        #expect(outcome.pages == 1 && outcome.bytes == pdf.count)
        // From here on, the song is a chart like any other.
        let chart = try bench.chart(pdf)
        let description = try await bench.pool.describe(chart: chart)
        #expect(description.pages.count == 1 && description.fontsNotEmbedded == [] && description.warnings == [])
        #expect(try await bench.render(chart, settings: Bench.small).outcome.warnings == [])
        await bench.pool.stop()
    }

    private static let song = SongText(
        "VERSE 1\nA[G]mazing [D]grace, how [C]sweet the [G]sound\nVen[F#m7b5/A]i[Gmaj7/B]te\n{ softly }\n<b>first</b> and last",
        title: "Amazing Grace",
        key: "G", author: "John Newton", copyright: "Public domain", order: ["Verse 1"])

    @Test @LoopActor func wordsCanBeSearchedAndCopied() async throws {
        let text = try await text(SongView(), ["-layout"])
        // No chord may split these words.
        #expect(text.contains("Amazing grace, how sweet the sound") && text.contains("first and last"))
        for word in ["Amazing Grace", "John Newton", "Public domain", "VERSE 1", "softly", "F#m7b5/A"] { #expect(text.contains(word)) }
        await bench.pool.stop()
    }

    @Test @LoopActor func wordsStayInTheirPlacesFromKeyToKey() async throws {
        /// The song's own words, each with its box.
        func words(_ view: SongView) async throws -> [Substring] {
            try await text(view, ["-bbox"]).split(separator: "\n").filter { line in
                ["mazing", "grace,", "how", "sweet", "sound", "softly", "last", "VERSE"].contains {
                    line.hasSuffix(">\($0)</word>") || line.hasSuffix(">A\($0)</word>")
                }
            }
        }
        let plain = try await words(SongView())
        #expect(plain.count >= 8)
        for view in [SongView(key: "Db"), SongView(key: "B", capo: 4), SongView(writing: .german), SongView(key: "E", writing: .numbers)] {
            #expect(try await words(view) == plain)
        }
        await bench.pool.stop()
    }

    @LoopActor
    private func text(_ view: SongView, _ options: [String]) async throws -> String {
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        _ = try await bench.pool.draw(SongJob(SongSheet(Self.song, view), output: file.descriptor), in: .live)
        let result = try await Program.run("/usr/bin/pdftotext", options + [file.path, "-"])
        #expect(result.exit == .code(0), "\(result.messages)")
        return result.output
    }

    @Test @LoopActor func whatIsNoSongIsRefusedWithAReason() async throws {
        let file = try TemporaryFile.create(inFolderOf: bench.folder.path("x"))
        let song = SongText(String(repeating: "la la\n\n", count: 3000), title: "Book")
        await #expect(throws: RenderFailure.self) {
            try await bench.pool.draw(SongJob(SongSheet(song), output: file.descriptor), in: .live)
        }
        // The same process draws the next song.
        let next = SongJob(SongSheet(Self.song), output: file.descriptor)
        #expect(try await bench.pool.draw(next, in: .live).pages == 1 && bench.pool.startCount == 1)
        await bench.pool.stop()
    }
}
