import Model
import Platform
import Rendering

/// The cost of drawing a song from its words and chords, for which a musician waits after asking for another key.
@LoopActor
struct SongCost {
    /// Adds the cost of a song in one key after another, from its text to the image of its page, and of its PDF alone.
    static func measure(runs: Int, with renderer: MeasuredRenderer, in folder: String, into measured: inout Measurements) async throws {
        // The first song loads the fonts and is not counted.
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

    /// The song that is drawn. It is as long as most songs.
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
