import JSON
import Platform
import TestSupport
import Testing

/// `woodshed layers --follow`, as built, for the stand-in's charts.
@Suite(.onLoop)
struct FollowTests {
    private let home = TemporaryFolder()

    @LoopActor
    private func woodshed(_ words: String...) async throws -> Program.Result {
        let sizes = words[0] == "demo" ? ["WOODSHED_RENDER_FULL_SIZE=200", "WOODSHED_RENDER_THUMBNAIL_SIZE=64"] : []
        return try await Program.run("woodshed", words + ["--home", home.path], environment: sizes)
    }

    @Test @LoopActor func marksOfAPartAreBroughtToTheScoreOnceAndNotBack() async throws {
        let (part, score) = ("79073909", "79073907")
        #expect(try await woodshed("demo", "--once").exit == .code(0))
        let nothing = try await woodshed("layers", part, "--follow", score)
        #expect(nothing.exit == .code(0) && nothing.messages.contains("You have drawn nothing on "), "\(nothing.messages)")

        // Words all over the page, and one below all music.
        let places = stride(from: 0.2, to: 0.9, by: 0.1).flatMap { y in [0.2, 0.5, 0.8].map { (x: $0, y: y) } } + [(x: 0.5, y: 0.99)]
        let marks = places.enumerated().map { number, place in
            #"{"id":"\#(number)","page":0,"kind":"text","text":"no. \#(number)","size":0.02,"points":[[\#(place.x),\#(place.y)]]}"#
        }
        let file = home.path("mine.marks.json")
        try AtomicFile.write("{\"marks\":[\(marks.joined(separator: ","))]}", to: file)
        #expect(try await woodshed("layers", part, "--import", file).exit == .code(0))
        let own = home.path("data/annotations")
        let before = try Folder.names(in: own)

        let other = try await woodshed("layers", part, "--follow", "piano album")
        #expect(other.exit == .code(1) && other.messages.contains("Nothing was brought: "), "\(other.messages)")
        #expect(try Folder.names(in: own) == before)

        let first = try await woodshed("layers", part, "--follow", score)
        #expect(first.exit == .code(3) && first.messages.contains(" marks moved with the music; they are in \(own)/"), "\(first.messages)")
        #expect(first.messages.contains(" not placed; --all puts them where they probably belong:\n  page 1: "), "\(first.messages)")
        let path = own + "/" + (try #require(try Folder.names(in: own).first { !before.contains($0) }))
        let brought = try AtomicFile.read(path, limit: 1 << 20)

        let second = try await woodshed("layers", part, "--follow", score)
        #expect(second.exit == .code(3) && second.messages.contains("All of that is in your layer of that chart already"))
        let back = try await woodshed("layers", score, "--follow", part)
        #expect(back.exit == .code(0) && back.messages.contains("You have drawn nothing on "), "\(back.messages)")
        #expect(try AtomicFile.read(path, limit: 1 << 20) == brought)

        struct Answer: Decodable {
            struct Left: Decodable { var page: Int, kind: String, text: String? }
            var followed: Int
            var not_placed: [Left]
        }
        let all = try await woodshed("layers", part, "--follow", score, "--all", "--json")
        let answer = try JSONReader.decode(Answer.self, from: Array(all.output.utf8))
        #expect(answer.followed > 0 && answer.not_placed.contains { $0.page == 1 && $0.kind == "text" && $0.text == "no. 0" })
        #expect(all.messages.contains("It is not certain that these are where they belong; "), "\(all.messages)")
        #expect(try AtomicFile.read(path, limit: 1 << 20).count > brought.count)

        #expect(try await woodshed("layers", part, "--follow", part).exit == .code(2))
        #expect(try await woodshed("layers", part, "--all").exit == .code(2))
    }
}
