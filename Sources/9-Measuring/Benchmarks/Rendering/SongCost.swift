import Model
import Platform
import Rendering

/// The cost of a song that is drawn from its words and chords: a musician who asks for another key waits for it.
@LoopActor
struct SongCost {
    /// Adds what a song takes in one key after the other, from its text to the image of its page; and the PDF alone.
    static func measure(runs: Int, with renderer: MeasuredRenderer, in folder: String, into measured: inout Measurements) async throws {
        // The first song loads the fonts, as the first page of a chart does.
        for (run, key) in (0...runs).map({ ($0, keys[$0 % keys.count]) }) {
            let file = try TemporaryFile.create(inFolderOf: folder + "/songs")
            let image = try TemporaryFile.create(inFolderOf: folder + "/songs")
            let sheet = SongSheet(song, SongView(key: key))
            let drawing = try await renderer.measure {
                _ = try await renderer.pool.draw(SongJob(sheet, output: file.descriptor), in: .background)
            }
            let output = PageJob.Output(.plain, key: ImageKey(SHA256.digest(of: "\(run) \(key)")), descriptor: image.descriptor)
            let job = PageJob(chart: file.path, page: PageIndex(0), settings: renderer.settings, outputs: [output])
            let rendering = try await renderer.measure { _ = try await renderer.pool.render(job) }
            guard run > 0 else { continue }
            measured.add("song_text_to_image_ms", "ms", drawing.cpu + rendering.cpu)
            measured.add("song_text_to_image_wall_ms", "ms", drawing.wall + rendering.wall)
            measured.add("song_pdf_ms", "ms", drawing.cpu)
        }
    }

    private static let keys = ["G", "Ab", "A", "Bb", "D", "Eb"]

    /// As long as most songs are.
    private static let song = SongText(
        (1...4).map { verse in
            """
            VERSE \(verse)
            A[G]mazing [G/B]grace, how [C]sweet the [G]sound
            That [G]saved a [Em]wretch like [D]me
            I [G]once was [G/B]lost, but [Cmaj7]now am [G]found
            Was [Em]blind, but [Dsus4]now I [G]see
            """
        }.joined(separator: "\n\n"), title: "Amazing Grace", key: "G", author: "John Newton", tempo: 72, meter: "3/4",
        order: ["Verse 1", "Verse 2", "Verse 3", "Verse 4"])
}
