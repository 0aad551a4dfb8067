import Following
import Model
import Testing

/// Finding the places of a chart in another version.
@Suite(.timeLimit(.minutes(5)))
struct FollowingTests {
    private static let tune = Tune.random(40, seed: 7)
    private static let (old, new) = (Tune.Layout(perSystem: 5, apart: 12), Tune.Layout(perSystem: 3, apart: 19, space: 0.011))

    /// How many notes are found at their place in the other version, and how many of the sure answers are wrong.
    private static func judge(
        _ tune: Tune, _ other: Tune, bars: [Int?], lowered: Int = 0
    ) -> (right: Int, sure: Int, wrong: Int, all: Int) {
        let (a, places) = tune.printed(old), (b, targets) = other.printed(new)
        let following = Following(a, b)
        var (right, sure, wrong, all) = (0, 0, 0, 0)
        for (bar, notes) in places.enumerated() {
            for (number, note) in notes.enumerated() {
                let found = following.place(of: note.point, page: note.page)
                all += 1
                var isRight = false
                if let target = bars[bar], let found {
                    let (page, point) = targets[target][number]
                    // A transposed note's place is at the height of the old one.
                    let down = Double(lowered) / 2 * new.space
                    isRight = found.page == page && abs(found.point.x - point.x) < 0.005 && abs(found.point.y + down - point.y) < 0.005
                }
                right += isRight ? 1 : 0
                sure += found?.isSure == true ? 1 : 0
                wrong += found?.isSure == true && !isRight ? 1 : 0
            }
        }
        return (right, sure, wrong, all)
    }

    @Test func aNoteIsFollowedToAnotherLineAndPage() {
        let result = Self.judge(Self.tune, Self.tune, bars: Array(0..<40))
        #expect(result.right == result.all && result.wrong == 0)
        #expect(result.sure * 10 >= result.all * 8)
    }

    @Test(arguments: [2, -3, 7]) func aNoteIsFollowedIntoATransposedPart(halfSpaces: Int) {
        let result = Self.judge(Self.tune, Self.tune.lowered(by: halfSpaces), bars: Array(0..<40), lowered: halfSpaces)
        #expect(result.right * 100 >= result.all * 98 && result.wrong == 0)
    }

    @Test func barsThatWereCutAreNowhereAndThoseAfterThemAreFollowed() {
        var cut = Self.tune
        cut.bars.removeSubrange(12..<16)
        let bars = (0..<40).map { $0 < 12 ? $0 : $0 < 16 ? nil : $0 - 4 }
        let result = Self.judge(Self.tune, cut, bars: bars), kept = bars.indices.filter { bars[$0] != nil }
        #expect(result.right * 100 >= kept.reduce(0) { $0 + Self.tune.bars[$1].count } * 97 && result.wrong == 0)
    }

    /// Four bars stand twice in the chart, with other bars between. Only their neighbours distinguish them.
    @Test func repeatedBarsAreDistinguishedByTheirNeighbours() {
        var tune = Self.tune
        tune.bars.replaceSubrange(25..<29, with: tune.bars[5..<9])
        let result = Self.judge(tune, tune, bars: Array(0..<40))
        #expect(result.right == result.all && result.wrong == 0)
    }

    /// If a bar is repeated eight times, and only seven times in the other version, nothing shows which repetition is missing.
    @Test func whichOfManyEqualBarsIsGoneIsNeverSure() {
        let equal = Array(repeating: [2, 4, 3, 5], count: 8)
        let tune = Tune(bars: Self.tune.bars[..<8] + equal + Self.tune.bars[8...])
        let other = Tune(bars: Self.tune.bars[..<8] + equal.dropLast() + Self.tune.bars[8...])
        let (a, places) = tune.printed(Self.old), following = Following(a, other.printed(Self.new).pages)
        let middle = places[12].compactMap { following.place(of: $0.point, page: $0.page) }
        #expect(middle.allSatisfy { !$0.isSure })
    }

    @Test(arguments: 1...6) func nothingIsSureInOtherMusic(seed: UInt64) {
        let result = Self.judge(Self.tune, Tune.random(36, seed: 100 + seed), bars: Array(repeating: nil, count: 40))
        #expect(result.sure == 0)
    }

    @Test func aMarkIsAsLargeAsTheStaffAndKeepsItsShape() throws {
        let (a, places) = Self.tune.printed(Self.old), (b, targets) = Self.tune.printed(Self.new)
        let (page, note) = places[17][1]
        let points = [(-0.01, -0.01), (0.01, -0.01), (0.01, 0.01), (-0.01, 0.01)]
        let mark = Mark(
            id: "a", page: PageIndex(page), kind: .pen, points: points.map { Mark.Point(x: note.x + $0.0, y: note.y + $0.1) })
        let moved = try #require(Following(a, b).follow(mark)), (newPage, target) = targets[17][1]
        #expect(moved.isSure && moved.mark.page == PageIndex(newPage) && moved.mark.id == "a")
        let scale = Self.new.space / Self.old.space
        for (point, offset) in zip(moved.mark.points, points) {
            #expect(abs(point.x - target.x - offset.0 * scale) < 0.003 && abs(point.y - target.y - offset.1 * scale) < 0.003)
        }
        #expect(abs(moved.mark.width - mark.width * scale) < 1e-9)
    }

    /// A slur over four notes of a bar reaches over the same notes, however far apart they are now.
    @Test func aSlurReachesFromItsFirstNoteToItsLast() throws {
        let tune = Tune(bars: Self.tune.bars.map { $0 + $0 }), (a, places) = tune.printed(Self.old), (b, targets) = tune.printed(Self.new)
        let bar = places[9], points = [bar[0], bar[5]].map { Mark.Point(x: $0.point.x, y: bar[0].point.y - 0.02) }
        let moved = try #require(Following(a, b).follow(Mark(id: "a", page: PageIndex(bar[0].page), kind: .line, points: points)))
        #expect(abs(moved.mark.points[0].x - targets[9][0].point.x) < 0.004 && abs(moved.mark.points[1].x - targets[9][5].point.x) < 0.004)
    }

    /// A chart of words and chords: a verse is added before the word that was marked.
    @Test func aPlaceAtAWordIsFollowedToTheWord() throws {
        func page(_ words: [String], size: Double) -> PageMap {
            var map = PageMap(systems: [], steepness: 1.4)
            for (number, word) in words.enumerated() {
                let from = PagePoint(x: 0.1 + 0.2 * Double(number % 4), y: 0.1 + 2 * size * Double(number / 4))
                map.words.append(PageWord(word, from: from, to: PagePoint(x: from.x + 0.1, y: from.y + size)))
            }
            return map
        }
        let verse = "Amazing grace how sweet the sound that saved a wretch like me".split(separator: " ").map(String.init)
        let added = "Through many dangers toils and snares we have already come".split(separator: " ").map(String.init)
        let (a, b) = (page(verse, size: 0.02), page(added + verse, size: 0.03))
        let marked = a.words[5], target = b.words[added.count + 5]
        let found = try #require(Following([a], [b]).place(of: PagePoint(x: marked.from.x, y: marked.from.y - 0.01), page: 0))
        #expect(found.isSure && abs(found.point.x - target.from.x) < 0.001 && abs(found.point.y - target.from.y + 0.015) < 0.001)
    }

    @Test func emptyChartsAndPagesThatAreNotThereHaveNoPlaces() {
        let (a, places) = Self.tune.printed(Self.old), point = places[0][0].point
        #expect(Following(a, []).place(of: point, page: 0) == nil && Following([], a).place(of: point, page: 0) == nil)
        #expect(Following(a, a).place(of: point, page: 99) == nil)
        #expect(Following(a, a).follow(Mark(id: "a", page: PageIndex(0), kind: .pen)) == nil)
    }
}
