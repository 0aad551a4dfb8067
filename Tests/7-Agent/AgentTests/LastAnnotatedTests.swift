import Freshness
import Model
import Testing

@testable import Agent

@Suite(.timeLimit(.minutes(5)))
struct LastAnnotatedTests {
    private let chart = ChartHash(SHA256.digest(of: "chart"))

    private func image(_ page: Int, points: Int) throws -> (page: WantedImage.Page, entry: LastAnnotated.Entry) {
        let mark = Mark(id: "a", page: PageIndex(page), kind: .pen, points: [Mark.Point](repeating: Mark.Point(x: 0, y: 0), count: points))
        let marks = try #require(PageMarks(drawing: [mark]))
        let inputs = ImageInputs(
            renderer: RendererIdentity(tag: RendererTag("a"), fonts: FontSet(SHA256.digest(of: ""))), chart: chart,
            chartNeedsFonts: false, page: PageIndex(page), variant: .annotated, settings: RenderSettings(), marks: marks.digest)
        return (WantedImage.Page(chart: chart, index: PageIndex(page)), (ImageName(inputs), marks))
    }

    @Test func onlyThoseOfTheLastPagesAreKept() throws {
        var images = LastAnnotated()
        for page in 0..<200 {
            let (page, entry) = try image(page, points: 1)
            images.note(entry, of: page)
        }
        let kept = try (0..<200).filter { images[try image($0, points: 1).page] != nil }
        #expect(kept == Array(136..<200))
    }

    @Test func marksOfManyPointsLeaveRoomForFewPages() throws {
        var images = LastAnnotated()
        for number in 0..<10 {
            let (page, entry) = try image(number % 5, points: 30_000)
            images.note(entry, of: page)
        }
        #expect(try (0..<5).filter { images[try image($0, points: 1).page] != nil } == [2, 3, 4])
        images.keep { $0.index.value > 2 }
        #expect(try images[image(2, points: 1).page] == nil)
        #expect(try images[image(4, points: 1).page]?.name == image(4, points: 30_000).entry.name)
        let (page, entry) = try image(1, points: 40_000)
        images.note(entry, of: page)
        #expect(try (0..<5).filter { images[try image($0, points: 1).page] != nil } == [1, 3, 4])
    }
}
