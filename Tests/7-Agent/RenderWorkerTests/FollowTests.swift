import Following
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Marks that real workers follow from one chart into another, with the scores of the demo.
@Suite(.onLoop)
struct FollowTests {
    private let bench: Bench

    @LoopActor init() { bench = Bench() }

    private func score(_ name: String) -> String { "\(Repository.path)/Sources/1-Embedded/DemoScores/charts/\(name).pdf" }

    /// Texts all over a page, from its top left corner to its bottom right one.
    private static let marks = (1..<20).flatMap { row in
        (1..<10).map { column in
            let point = Mark.Point(x: Double(column) / 10, y: Double(row) / 20)
            return Mark(
                id: "\(row)-\(column)", page: PageIndex(0), kind: .text, points: [point], text: "no. \(row)-\(column)",
                setting: .init(size: 0.02, font: "Serif"))
        }
    }

    @Test(arguments: ["holy-holy-holy-violin", "saints-chord-chart"])
    @LoopActor func inTheSameChartEachMarkStaysWhereItIs(name: String) async throws {
        let moved = try await bench.pool.follow(FollowJob(Self.marks, of: score(name), to: score(name)), in: .live)
        try #require(moved.count == Self.marks.count)
        let sure = zip(Self.marks, moved).filter { $1?.isSure == true }
        #expect(sure.count > 60, "notes, or words, are near most of the page")
        for (mark, moved) in sure {
            let place = try #require(moved).mark
            #expect(abs(place.points[0].x - mark.points[0].x) < 1e-6 && abs(place.points[0].y - mark.points[0].y) < 1e-6)
        }
        await bench.pool.stop()
    }

    @Test @LoopActor func marksOfAPartAreFollowedIntoTheScoreAndSayWhatTheySaid() async throws {
        let job = FollowJob(Self.marks, of: score("holy-holy-holy-violin"), to: score("holy-holy-holy-full-score"))
        let moved = try await bench.pool.follow(job, in: .live)
        let sure = zip(Self.marks, moved).compactMap { mark, moved in moved.flatMap { $0.isSure ? (mark, $0.mark) : nil } }
        #expect(sure.count > 30)
        for (mark, moved) in sure {
            #expect(moved.id == mark.id && moved.text == mark.text && moved.setting.font == "Serif")
            #expect(try #require(moved.setting.size) < 0.02, "the score is printed smaller")
        }
        // Along each line of the part, the marks keep their order in the score.
        for row in Dictionary(grouping: sure, by: { $0.0.points[0].y }).values {
            let places = row.map { (page: $0.1.page.value, y: $0.1.points[0].y, x: $0.1.points[0].x) }
            for (one, next) in zip(places, places.dropFirst()) {
                #expect(next.page > one.page || next.page == one.page && (next.y > one.y + 0.02 || next.x > one.x), "\(places)")
            }
        }
        await bench.pool.stop()
    }

    @Test(arguments: [("piano-album", "saints-chord-chart"), ("amazing-grace-violin", "piano-album")])
    @LoopActor func nothingIsSureInOtherMusic(name: String, other: String) async throws {
        let moved = try await bench.pool.follow(FollowJob(Self.marks, of: score(name), to: score(other)), in: .live)
        #expect(moved.count == Self.marks.count && moved.allSatisfy { $0?.isSure != true })
        await bench.pool.stop()
    }

    @Test @LoopActor func marksOnPagesThatAreNotThereAndInScansWithoutMusicAreNotPlaced() async throws {
        var mark = Self.marks[0]
        mark.page = PageIndex(99)
        let moved = try await bench.pool.follow(
            FollowJob([mark, Self.marks[0]], of: bench.chart(.halfBlack), to: score("holy-holy-holy-violin")), in: .live)
        #expect(moved.count == 2 && moved[0] == nil && moved[1]?.isSure != true)
        await bench.pool.stop()
    }

    @Test @LoopActor func chartsOfTooManyPagesAreRefusedWithAReason() async throws {
        var long = TestPDF()
        for _ in 0...FollowJob.mostPages {
            long.kids.append("\(long.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 500 500] >>")) 0 R")
        }
        let path = try bench.chart(long, name: "long.pdf")
        await #expect(
            throws: RenderFailure.drawing("one of the charts has 41 pages, and marks can only follow the music in 40")
        ) { try await bench.pool.follow(FollowJob(Self.marks, of: path, to: score("saints-chord-chart")), in: .live) }
        await bench.pool.stop()
    }
}
