import Freshness
import Model
import Testing

@testable import ImageKeeping

@Suite(.timeLimit(.minutes(5)))
struct WantedByNameTests {
    private static func set(pages: Int) -> WantedSet {
        let chart = ChartSnapshot(
            attachment: AttachmentID("a"), madeFrom: "", hash: ChartHash(SHA256.digest(of: "a")), pageCount: pages, needsFonts: false,
            marks: [:])
        let plan = Plan(id: PlanID("1"), serviceType: ServiceTypeID("1"))
        return WantedSet(
            LibrarySnapshot(plans: [PlanSnapshot(plan: plan, charts: [chart])]),
            rules: WantedSet.Rules(
                settings: RenderSettings(), renderer: RendererIdentity(tag: RendererTag("t"), fonts: FontSet(SHA256.digest(of: "f"))),
                ahead: .seconds(86_400), pinned: [plan.id]),
            now: Timestamp(nanoseconds: 0))
    }

    /// After each new set, a viewer requests every image of a chart, so a single request must not search all images of all plans.
    @Test func imagesAreGatheredOnceHoweverManyAreAskedFor() {
        let set = Self.set(pages: 40)
        #expect(set.images.count >= 80)
        var gathered = 0
        var byName = WantedByName(set) {
            gathered += 1
            return WantedByName.places(in: $0)
        }
        #expect(gathered == 0, "most looks are followed by no question")
        for _ in 0..<3 {
            for image in set.images { #expect(byName[image.name] == image) }
        }
        #expect(byName[Self.set(pages: 41).images.map(\.name).first { name in !set.images.contains { $0.name == name } }!] == nil)
        #expect(gathered == 1)
    }
}
