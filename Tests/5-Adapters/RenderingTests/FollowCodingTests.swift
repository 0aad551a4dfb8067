import Following
import Model
import Rendering
import Testing

/// Which answers about the places of marks in another chart are accepted from a worker.
@Suite(.timeLimit(.minutes(5)))
struct FollowCodingTests {
    private static let marks = ["a", "b", "c"].map {
        Mark(
            id: $0, page: PageIndex(0), kind: .text, color: Color(red: 255, green: 0, blue: 0), points: [Mark.Point(x: 0.5, y: 0.5)],
            text: "text of \($0)", setting: .init(size: 0.02))
    }

    /// The answer of a worker that places a mark, after a change of it.
    private static func answer(_ id: String = "1", confidence: Double = 0.95, _ change: (inout Mark) -> Void = { _ in }) -> [UInt8] {
        var mark = Mark(
            id: id, page: PageIndex(2), kind: .text, width: 0.001, points: [Mark.Point(x: 0.25, y: 0.75)], text: "something else",
            setting: .init(size: 0.03))
        change(&mark)
        return FollowCoding.encode([Following.Moved(mark: mark, confidence: confidence)])
    }

    @Test func onlyPlaceAndSizeAreTakenFromAWorker() throws {
        let moved = try #require(FollowCoding.decode(Self.answer(), for: Self.marks))
        #expect(moved.count == 3 && moved[0] == nil && moved[2] == nil)
        var wanted = Self.marks[1]
        (wanted.page, wanted.points, wanted.width, wanted.setting.size) = (PageIndex(2), [Mark.Point(x: 0.25, y: 0.75)], 0.001, 0.03)
        #expect(moved[1] == Following.Moved(mark: wanted, confidence: 0.95))
    }

    @Test func anImpossiblePlaceIsNone() throws {
        let changes: [(inout Mark) -> Void] = [
            { $0.page = PageIndex(-1) }, { $0.page = PageIndex(FollowJob.mostPages) }, { $0.points = [] },
            { $0.points[0].x = .nan }, { $0.points[0].y = 1e9 }, { $0.points[0].width = -1 }, { $0.width = .infinity }, { $0.dash = [1] },
            { $0.setting.size = -0.5 }, { $0.setting.wrap = 1e300 },
        ]
        for (number, change) in changes.enumerated() {
            #expect(FollowCoding.decode(Self.answer("1", change), for: Self.marks) == [nil, nil, nil], "change \(number)")
        }
    }

    @Test func invalidAnswersAreRefused() {
        for id in ["3", "-1", "", "b", "99999999999999999999"] { #expect(FollowCoding.decode(Self.answer(id), for: Self.marks) == nil) }
        for confidence in [-0.1, 1.1, .nan, .infinity] {
            #expect(FollowCoding.decode(Self.answer(confidence: confidence), for: Self.marks) == nil)
        }
        let good = Self.answer()
        for length in good.indices { #expect(FollowCoding.decode(Array(good.prefix(length)), for: Self.marks) == nil, "\(length)") }
        #expect(FollowCoding.decode(good + [0], for: Self.marks) == nil)
        let placed = Following.Moved(mark: Mark(id: "1", page: PageIndex(0), kind: .pen), confidence: 1)
        #expect(FollowCoding.decode(FollowCoding.encode([placed, placed]), for: Self.marks) == nil, "a mark has one place")
    }
}
