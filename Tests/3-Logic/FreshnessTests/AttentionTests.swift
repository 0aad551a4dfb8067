import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AttentionTests {
    private static let hashes = (0..<4).map { ChartHash(SHA256.digest(of: "chart \($0)")) }

    private static func page(_ chart: Int, _ page: Int) -> WantedImage.Page {
        WantedImage.Page(chart: hashes[chart], index: PageIndex(page))
    }

    /// Two plans, each with two charts of five pages. Charts 0 and 1 belong to the first plan.
    private static let works: [PageWork] = PageWork.group(
        WantedSet(
            LibrarySnapshot(
                plans: (0..<2).map { number in
                    let time = RandomLibrary.now + .seconds(86_400 * (number + 1))
                    return PlanSnapshot(
                        plan: Plan(id: PlanID("\(number)"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
                        charts: (0..<2).map {
                            ChartSnapshot(attachment: AttachmentID("\(number) \($0)"), hash: hashes[2 * number + $0], pageCount: 5)
                        })
                }), rules: RandomLibrary.rules, now: RandomLibrary.now
        ).images)

    /// The order in which jobs are done.
    private static func order(_ works: [PageWork], _ attention: Attention) -> [PageWork] {
        var (rest, order) = (works, [PageWork]())
        while let place = attention.mostUrgent(of: rest, where: { _ in true }) { order.append(rest.remove(at: place)) }
        return order
    }

    private static func names(_ works: [PageWork]) -> [String] {
        works.map { work in "\(hashes.firstIndex(of: work.chart)!).\(work.page.value)" }
    }

    private static let usual = ["0.0", "0.1", "0.2", "1.0", "1.1", "1.2", "0.3", "0.4", "1.3", "1.4"]
    private static let later = ["2.0", "2.1", "2.2", "3.0", "3.1", "3.2", "2.3", "2.4", "3.3", "3.4"]

    @Test(arguments: [
        (Attention(), usual + later),
        (Attention(onScreen: page(3, 4)), ["3.4"] + usual + later.dropLast()),
        (
            Attention(onScreen: page(3, 1), next: [page(3, 4), page(3, 0)]),
            ["3.1", "3.4", "3.0"] + usual + ["2.0", "2.1", "2.2", "3.2", "2.3", "2.4", "3.3"]
        ),
        (
            Attention(onScreen: page(0, 3), charts: [hashes[3], hashes[2]]),
            ["0.3", "3.0", "3.1", "3.2", "2.0", "2.1", "2.2"] + usual.filter { $0 != "0.3" } + ["2.3", "2.4", "3.3", "3.4"]
        ),
        (Attention(onScreen: page(0, 9), charts: [hashes[0]]), usual + later),
    ])
    func whatIsLookedAtComesFirst(attention: Attention, expected: [String]) {
        #expect(Self.names(Self.order(Self.works, attention)) == expected)
    }

    @Test func missingThumbnailsOfTheLookedAtPlanComeAfterItsFullPages() throws {
        let images = Self.works.flatMap(\.images).filter {
            $0.inputs.chart == Self.hashes[3] ? $0.inputs.variant == .thumbnail : $0.inputs.chart == Self.hashes[2]
        }
        let order = Self.order(PageWork.group(images), Attention(charts: [Self.hashes[3], Self.hashes[2]]))
        #expect(Self.names(order).prefix(6) == ["2.0", "2.1", "2.2", "3.0", "3.1", "3.2"])
    }

    @Test func whatMayNotStartIsPassedOver() {
        let attention = Attention(onScreen: Self.page(3, 1), next: [Self.page(3, 2)])
        let place = attention.mostUrgent(of: Self.works) { $0.page != PageIndex(1) }
        #expect(place.map { Self.names([Self.works[$0]]) } == ["3.2"])
        #expect(attention.mostUrgent(of: Self.works) { _ in false } == nil)
        #expect(Attention().mostUrgent(of: []) { _ in true } == nil)
    }

    @Test(arguments: UInt64(0)..<200)
    func nothingIsLostAndEquallyUrgentWorksKeepTheirOrder(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let works = PageWork.group(WantedSet(random.library(), rules: RandomLibrary.rules, now: RandomLibrary.now).images)
        let pages = works.map { WantedImage.Page(chart: $0.chart, index: $0.page) }.shuffled(using: &random.generator)
        let charts = Array(Set(works.map(\.chart)).sorted().prefix(2))
        let attention = Attention(onScreen: pages.first, next: Array(pages.dropFirst().prefix(2)), charts: charts)

        let order = Self.order(works, attention)

        #expect(Set(order) == Set(works) && order.count == works.count)
        let urgencies = order.map(attention.urgency)
        #expect(urgencies == urgencies.sorted())
        for urgency in Set(urgencies) {
            #expect(order.filter { attention.urgency(of: $0) == urgency } == works.filter { attention.urgency(of: $0) == urgency })
        }
        if let first = order.first { #expect(WantedImage.Page(chart: first.chart, index: first.page) == pages.first) }
    }
}
