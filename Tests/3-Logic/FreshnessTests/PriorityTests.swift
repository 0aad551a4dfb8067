import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PriorityTests {
    private func wanted(charts: Int, pages: Int, plans: Int = 1, marks: [PageIndex: MarkDigest] = [:]) -> WantedSet {
        WantedSet(
            LibrarySnapshot(
                plans: (0..<plans).reversed().map { number in
                    let time = RandomLibrary.now + .seconds(86_400 * (number + 1))
                    return PlanSnapshot(
                        plan: Plan(id: PlanID("\(number)"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
                        charts: (0..<charts).map {
                            ChartSnapshot(
                                attachment: AttachmentID("\(number) \($0)"), hash: ChartHash(SHA256.digest(of: "\(number) \($0)")),
                                pageCount: pages, marks: marks)
                        })
                }), rules: RandomLibrary.rules, now: RandomLibrary.now)
    }

    @Test func nearestPlanIsWholeBeforeTheNextBegins() {
        let ranks = wanted(charts: 2, pages: 5, plans: 3).images.map(\.priority.planRank)
        #expect(ranks == ranks.sorted())
        #expect(Set(ranks) == [0, 1, 2])
    }

    @Test func firstPagesOfAllChartsComeBeforeAnyLaterPage() throws {
        let images = wanted(charts: 4, pages: 6).images
        let lastFirst = try #require(images.lastIndex { $0.inputs.page.value < 3 })
        let firstLater = try #require(images.firstIndex { $0.inputs.page.value >= 3 })
        #expect(lastFirst < firstLater)
    }

    @Test func firstPageOfFirstChartComesBeforeFirstPageOfLast() throws {
        let set = wanted(charts: 5, pages: 1)
        let places = set.images.filter { $0.inputs.variant == .plain }.map(\.priority.chartPlace)
        #expect(places == [0, 1, 2, 3, 4])
    }

    @Test func fullSizesComeBeforeThumbnails() throws {
        let images = wanted(charts: 3, pages: 3, marks: [PageIndex(1): MarkDigest(SHA256.digest(of: "m"))]).images
        let lastFull = try #require(images.lastIndex { $0.inputs.variant != .thumbnail })
        let firstThumbnail = try #require(images.firstIndex { $0.inputs.variant == .thumbnail })
        #expect(lastFull < firstThumbnail)
    }

    @Test func pageWithoutMarksHasNoAnnotatedImage() {
        let images = wanted(charts: 1, pages: 4, marks: [PageIndex(2): MarkDigest(SHA256.digest(of: "m"))]).images
        #expect(images.filter { $0.inputs.variant == .annotated }.map(\.inputs.page) == [PageIndex(2)])
    }

    @Test func sharedChartTakesItsNearestUse() {
        let hash = ChartHash(SHA256.digest(of: "shared"))
        func plan(_ day: Int) -> PlanSnapshot {
            let time = RandomLibrary.now + .seconds(86_400 * day)
            return PlanSnapshot(
                plan: Plan(id: PlanID("\(day)"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
                charts: [ChartSnapshot(attachment: AttachmentID("x"), hash: hash, pageCount: 1)])
        }
        let set = WantedSet(LibrarySnapshot(plans: [plan(9), plan(2)]), rules: RandomLibrary.rules, now: RandomLibrary.now)
        #expect(set.images.map(\.priority.planRank) == [0, 0])
    }
}
