import Freshness
import Model
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WantedSetTests {
    static let seeds: Range<UInt64> = 0..<200

    @Test(arguments: seeds)
    func renderingWhatIsMissingLeavesNothingMissing(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let wanted = WantedSet(random.library(), rules: RandomLibrary.rules, now: RandomLibrary.now)
        let present = random.present(of: wanted)

        let rendered = Set(PageWork.group(wanted.missing(from: present)).flatMap(\.images).map(\.name))

        #expect(wanted.missing(from: present.union(rendered)).isEmpty)
        #expect(rendered.isDisjoint(with: present))
    }

    @Test(arguments: seeds)
    func everyPresentImageIsEitherWantedOrSurplus(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let wanted = WantedSet(random.library(), rules: RandomLibrary.rules, now: RandomLibrary.now)
        let present = random.present(of: wanted)

        let surplus = wanted.surplus(in: present)

        #expect(surplus.union(present.intersection(wanted.images.map(\.name))) == present)
        #expect(surplus.isDisjoint(with: wanted.images.map(\.name)))
    }

    /// An image cannot be made without the file of its chart: a missing image is not requested, and an existing one is kept.
    @Test(arguments: seeds)
    func whatIsOfAChartThatIsNotHereIsKeptAndNotMade(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let library = random.library()
        var here = library
        for plan in here.plans.indices {
            for chart in here.plans[plan].charts.indices { here.plans[plan].charts[chart].isHere = true }
        }
        let wanted = WantedSet(library, rules: RandomLibrary.rules, now: RandomLibrary.now)
        let whole = WantedSet(here, rules: RandomLibrary.rules, now: RandomLibrary.now)
        #expect(wanted.images == whole.images.filter { RandomLibrary.isHere($0.inputs.chart) })
        let lost = Set(whole.images.filter { !RandomLibrary.isHere($0.inputs.chart) }.map(\.name.folder))
        #expect(whole.away.isEmpty && lost.isSubset(of: wanted.away.keys))
        let entries = whole.images.map { CacheEntry(name: $0.name, size: ByteCount(4096), usedAt: RandomLibrary.now - .seconds(9_000_000)) }
        let decision = TrimDecision(
            entries: entries, wanted: wanted, past: PastImages(library, rules: RandomLibrary.rules, now: RandomLibrary.now),
            limits: CacheLimits(bytes: ByteCount(0), leastFree: ByteCount(0), greatestAge: .seconds(1)),
            disk: DiskSpace(total: ByteCount(1), free: ByteCount(1)), now: RandomLibrary.now)
        #expect(Set(decision.removals.map(\.entry.name)) == Set(wanted.images.map(\.name)))
    }

    @Test(arguments: seeds)
    func orderFollowsThePriorityAndNamesStandOnce(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let wanted = WantedSet(random.library(), rules: RandomLibrary.rules, now: RandomLibrary.now)

        #expect(Set(wanted.images.map(\.name)).count == wanted.images.count)
        for (earlier, later) in zip(wanted.images, wanted.images.dropFirst()) {
            #expect(earlier.priority <= later.priority)
        }
    }

    @Test(arguments: seeds)
    func orderOfPlansAndChartsInTheInputChangesNoName(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let library = random.library()
        var moved = library
        moved.plans.shuffle(using: &random.generator)
        for index in moved.plans.indices { moved.plans[index].charts.shuffle(using: &random.generator) }

        let before = WantedSet(library, rules: RandomLibrary.rules, now: RandomLibrary.now)
        let after = WantedSet(moved, rules: RandomLibrary.rules, now: RandomLibrary.now)

        #expect(Set(before.images.map(\.name)) == Set(after.images.map(\.name)))
        #expect(before.plans == after.plans)
    }

    @Test(arguments: seeds)
    func oneChangedPageChangesOneAnnotatedName(seed: UInt64) throws {
        var random = RandomLibrary(seed: seed)
        var library = random.library()
        let plan = Plan(id: PlanID("next"), serviceType: ServiceTypeID("s"), firstTime: RandomLibrary.now, lastTime: RandomLibrary.now)
        let hash = ChartHash(SHA256.digest(of: "marked chart"))
        let page = PageIndex(Int.random(in: 0...3, using: &random.generator))
        func chart(_ marks: String) -> ChartSnapshot {
            ChartSnapshot(
                attachment: AttachmentID("m"), hash: hash, pageCount: 4, marks: [page: MarkDigest(SHA256.digest(of: marks))])
        }
        library.plans.append(PlanSnapshot(plan: plan, charts: [chart("before")]))
        let before = WantedSet(library, rules: RandomLibrary.rules, now: RandomLibrary.now)
        library.plans[library.plans.count - 1].charts = [chart("after")]
        let after = WantedSet(library, rules: RandomLibrary.rules, now: RandomLibrary.now)

        let missing = after.missing(from: Set(before.images.map(\.name)))

        try #require(missing.count == 1)
        #expect(missing[0].inputs.variant == .annotated)
        #expect(missing[0].inputs.page == page)
        #expect(missing[0].inputs.chart == hash)
    }

    @Test(arguments: seeds)
    func anInstalledFontChangesExactlyTheImagesThatNeedOne(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let library = random.library()
        var rules = RandomLibrary.rules
        let before = WantedSet(library, rules: rules, now: RandomLibrary.now)
        rules.renderer = RandomLibrary.renderer("test-1", fonts: "one more")
        let after = WantedSet(library, rules: rules, now: RandomLibrary.now)

        let missing = Set(after.missing(from: Set(before.images.map(\.name))).map(\.name))

        for image in after.images {
            let needsFonts = RandomLibrary.needsFonts(image.inputs.chart) || image.inputs.marks?.showsText == true
            #expect(missing.contains(image.name) == needsFonts)
        }
        #expect(before.images.count == after.images.count)
    }

    @Test(arguments: seeds)
    func pastAndFarPlansWantNothing(seed: UInt64) {
        var random = RandomLibrary(seed: seed)
        let library = random.library()
        let wanted = WantedSet(library, rules: RandomLibrary.rules, now: RandomLibrary.now)

        for plan in library.plans.map(\.plan) {
            let isPast = plan.lastTime.map { RandomLibrary.now > $0 + .seconds(12 * 3600) } ?? false
            let isFar = plan.firstTime.map { $0 > RandomLibrary.now + .seconds(28 * 86_400) } ?? false
            #expect(wanted.plans.contains(plan.id) == (!isPast && !isFar))
        }
    }
}
