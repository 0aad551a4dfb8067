import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PageWorkTests {
    @Test(arguments: UInt64(0)..<200)
    func everyMissingImageIsInExactlyOneWork(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let wanted = WantedSet(random.library(), rules: RandomLibrary.rules, now: RandomLibrary.now)
        let missing = wanted.missing(from: random.present(of: wanted))

        let works = PageWork.group(missing)

        #expect(works.flatMap(\.images).map(\.name).sorted() == missing.map(\.name).sorted())
        for work in works {
            #expect(Set(work.images.map(\.inputs.variant)).count == work.images.count)
            #expect(work.images.allSatisfy { $0.inputs.chart == work.chart && $0.inputs.page == work.page })
            #expect(work.images.compactMap(\.inputs.marks).allSatisfy { $0 == work.marks })
        }
        for (earlier, later) in zip(works, works.dropFirst()) { #expect(earlier.priority <= later.priority) }
    }

    @Test func oneRasterFeedsAllVariantsOfAPage() throws {
        let time = RandomLibrary.now
        let set = WantedSet(
            LibrarySnapshot(plans: [
                PlanSnapshot(
                    plan: Plan(id: PlanID("p"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
                    charts: [
                        ChartSnapshot(
                            attachment: AttachmentID("a"), hash: ChartHash(SHA256.digest(of: "c")), pageCount: 1,
                            marks: [PageIndex(0): MarkDigest(SHA256.digest(of: "m"))])
                    ])
            ]), rules: RandomLibrary.rules, now: time)

        let works = PageWork.group(set.missing(from: []))

        try #require(works.count == 1)
        #expect(Set(works[0].images.map(\.inputs.variant)) == [.plain, .annotated, .thumbnail])
    }
}
