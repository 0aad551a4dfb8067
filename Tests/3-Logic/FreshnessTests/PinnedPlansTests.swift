import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PinnedPlansTests {
    private func plan(_ day: Int, charts: [String]) -> PlanSnapshot {
        let time = RandomLibrary.now + .seconds(86_400 * day)
        return PlanSnapshot(
            plan: Plan(id: PlanID("\(day)"), serviceType: ServiceTypeID("s"), firstTime: time, lastTime: time),
            charts: charts.map {
                ChartSnapshot(attachment: AttachmentID($0), hash: ChartHash(SHA256.digest(of: $0)), pageCount: 5)
            })
    }

    private func rules(pinned: [Int]) -> WantedSet.Rules {
        var rules = RandomLibrary.rules
        rules.pinned = Set(pinned.map { PlanID("\($0)") })
        return rules
    }

    private func images(of chart: String, in set: WantedSet) -> [WantedImage] {
        set.images.filter { $0.inputs.chart == ChartHash(SHA256.digest(of: chart)) }
    }

    @Test func pinnedPlansAreWantedWhateverTheirDate() {
        let library = LibrarySnapshot(plans: [-90, -20, -5, 3, 9, 50, 80].map { plan($0, charts: ["\($0)"]) })
        let set = WantedSet(library, rules: rules(pinned: [-90, -20, 9, 80]), now: RandomLibrary.now)
        #expect(set.plans == ["3", "9", "80", "-20", "-90"].map { PlanID($0) })
        #expect(set.pinned == Set(set.images.map(\.name)).subtracting(images(of: "3", in: set).map(\.name)))
    }

    @Test func chartOfAPinnedAndAnotherPlanIsPinnedAndTakesItsNearestUse() {
        let library = LibrarySnapshot(plans: [plan(2, charts: ["shared", "own"]), plan(60, charts: ["shared"])])
        let set = WantedSet(library, rules: rules(pinned: [60]), now: RandomLibrary.now)
        #expect(images(of: "shared", in: set).allSatisfy { $0.priority.planRank == 0 && set.pinned.contains($0.name) })
        #expect(images(of: "own", in: set).allSatisfy { !set.pinned.contains($0.name) })
    }

    @Test func worthFollowsThePlans() throws {
        let days = [-60, -10, 70, 40, 20, 2, 5]
        let library = LibrarySnapshot(plans: days.map { plan($0, charts: ["\($0)"]) })
        let rules = rules(pinned: [5])
        let set = WantedSet(library, rules: rules, now: RandomLibrary.now)
        let past = PastImages(library, rules: rules, now: RandomLibrary.now)
        // The plans ascend in worth: even the thumbnail of a plan's last page is worth more than any image of the plan before.
        let all = WantedSet(library, rules: self.rules(pinned: days), now: RandomLibrary.now)
        let worths = try days.map { day in
            try images(of: "\(day)", in: all).map { image in
                try #require(set.images.first { $0.name == image.name }.map(set.worth) ?? past.worth(of: image.name))
            }
        }

        for (lesser, greater) in zip(worths, worths.dropFirst()) {
            #expect(try #require(lesser.max()) < #require(greater.min()))
        }
        #expect(worths.compactMap(\.first?.standing) == [.past, .past, .far, .far, .coming, .coming, .pinned])
    }

    @Test func withinAPlanThumbnailsGoFirstThenLaterPagesThenLaterCharts() {
        let set = WantedSet(
            LibrarySnapshot(plans: [plan(2, charts: ["a", "b"])]), rules: RandomLibrary.rules, now: RandomLibrary.now)
        let order = set.images.sorted { set.worth(of: $0) < set.worth(of: $1) }
            .filter { $0.inputs.variant == .plain }
            .map { "\($0.inputs.chart == ChartHash(SHA256.digest(of: "a")) ? "a" : "b")\($0.inputs.page.value)" }
        #expect(order == ["b4", "b3", "a4", "a3", "b2", "b1", "b0", "a2", "a1", "a0"])
        #expect(set.images.min { set.worth(of: $0) < set.worth(of: $1) }?.inputs.variant == .thumbnail)
    }
}
