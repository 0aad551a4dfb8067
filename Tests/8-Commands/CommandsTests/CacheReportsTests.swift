import CommandTestSupport
import Freshness
import JSON
import Model
import Testing

@testable import CommandLine
@testable import Commands

/// Five plans: two are coming, one is past and pinned, one is past, one is too far away.
private enum Samples {
    static let now = Timestamp(nanoseconds: 1_795_000_000_000_000_000)
    static let renderer = RendererIdentity(tag: RendererTag("r"), fonts: FontSet(SHA256.digest(of: "fonts")))
    static let rules = WantedSet.Rules(
        settings: RenderSettings(), renderer: renderer, ahead: .seconds(28 * 86_400), pinned: [PlanID("3")])
    static let shared = ChartHash(SHA256.digest(of: "shared"))

    /// Plans by their ids, each with a chart of one page of its own and one that all of them show.
    static let plans = [("1", 1), ("2", 8), ("3", -9), ("4", -20), ("5", 60)].map { id, day in
        let time = now + .seconds(86_400 * day)
        return PlanSnapshot(
            plan: Plan(id: PlanID(id), serviceType: ServiceTypeID("7"), title: "Plan \(id)", firstTime: time, lastTime: time),
            charts: [chart(id), ChartSnapshot(attachment: AttachmentID("s\(id)"), hash: shared, pageCount: 1)])
    }

    static func chart(_ plan: String) -> ChartSnapshot {
        ChartSnapshot(attachment: AttachmentID(plan), hash: ChartHash(SHA256.digest(of: plan)), pageCount: 1)
    }

    static func image(_ hash: ChartHash, _ variant: Variant = .plain) -> ImageName {
        ImageName(
            ImageInputs(
                renderer: renderer, chart: hash, chartNeedsFonts: false, page: PageIndex(0), variant: variant, settings: RenderSettings()))
    }

    static func image(_ plan: String, _ variant: Variant = .plain) -> ImageName { image(chart(plan).hash, variant) }

    static let uses = ImageUses(
        wanted: WantedSet(LibrarySnapshot(plans: plans), rules: rules, now: now),
        past: PastImages(LibrarySnapshot(plans: plans), rules: rules, now: now), plans: plans.map(\.plan))

    static func entries(_ names: [ImageName]) -> [CacheEntry] {
        names.enumerated().map { CacheEntry(name: $1, size: ByteCount(4096 << $0), usedAt: now) }
    }
}

/// What the cache commands make of a library and a cache, without either.
@Suite(.timeLimit(.minutes(5)))
struct CacheReportsTests {
    @Test(arguments: [
        (Samples.image("1"), ImageUses.Use.plan(PlanID("1"))), (Samples.image("2", .thumbnail), .plan(PlanID("2"))),
        (Samples.image("3"), .plan(PlanID("3"))),
        (Samples.image("4"), .past), (Samples.image("5"), .far), (Samples.image("6"), .none),
        // Five plans show it.
        (Samples.image(Samples.shared), .plan(PlanID("1"))),
    ])
    func imageIsThereForTheNearestPlan(name: ImageName, use: ImageUses.Use) {
        #expect(Samples.uses.use(of: name) == use)
        #expect(Samples.uses.all.contains(use))
    }

    @Test func everyImageCountsOnce() {
        let entries = Samples.entries(["1", "2", "4", "5", "6"].map { Samples.image($0) } + [Samples.image(Samples.shared, .thumbnail)])
        let needs = CacheStatistics.Needs(entries: entries, uses: Samples.uses, pinned: [PlanID("3")], withheld: 0, reason: nil)
        #expect(needs.rows.map(\.present.images) == [2, 1, 0, 1, 1, 1])
        #expect(needs.rows.reduce(0) { $0 + $1.present.size.bytes } == entries.reduce(0) { $0 + $1.size.bytes })
        #expect(needs.rows.map(\.wanted) == [4, 2, 2, nil, nil, nil])
        #expect(needs.rows.map(\.isPinned) == [false, false, true, false, false, false])
    }

    private static func statistics(total: Int = 1 << 40, leastFree: Int = 0) -> CacheStatistics {
        CacheStatistics(
            folder: "/cache\u{1B}", entries: Samples.entries([Samples.image("1"), Samples.image("1", .thumbnail)]),
            limits: CacheLimits(bytes: ByteCount(total), leastFree: ByteCount(leastFree), greatestAge: .seconds(86_400 * 90)),
            disk: DiskSpace(total: ByteCount(1 << 40), free: ByteCount(1 << 30)))
    }

    @Test func totalsAreToldWithoutARenderer() {
        var statistics = Self.statistics()
        statistics.problem = "the renderer does not start"
        let captured = CapturedOutput()
        statistics.print(on: captured.output)
        #expect(captured.results.contains("2 page images, 12.3 kB, in /cache"), "\(captured.results)")
        #expect(captured.results.contains("are removed 90 days after they were last shown"))
        #expect(!captured.results.contains("over the limit"))
        #expect(!captured.results.contains("\u{1B}"))
        #expect(captured.messages.contains("the renderer does not start"))
        let json = CacheStatistics.form.json(statistics).line
        #expect(json.contains(#""uses":null,"problem":"the renderer does not start""#), "\(json)")
    }

    @Test func limitsThatDoNotHoldAreTold() {
        var statistics = Self.statistics(total: 8192, leastFree: 1 << 31)
        statistics.needs = CacheStatistics.Needs(entries: [], uses: Samples.uses, pinned: [], withheld: 2, reason: "no room for 2 images")
        let captured = CapturedOutput()
        statistics.print(on: captured.output)
        #expect(captured.results.contains("they take up 12.3 kB, which is over the limit."), "\(captured.results)")
        #expect(captured.results.contains("2.1 GB must stay free, so it is short."))
        #expect(captured.results.contains("Withheld: no room for 2 images.\n"))
        #expect(captured.results.contains(" Plan 1 (plan 1)"))
        #expect(!captured.results.contains("past plans"), "there are no images of any")
        #expect(CacheStatistics.form.json(statistics).line.contains(#""withheld":2,"withheld_reason":"no room for 2 images""#))
    }

    // MARK: Trimming

    private static func outcome(limit: Int, _ names: [ImageName]) -> TrimOutcome {
        let decision = TrimDecision(
            entries: Samples.entries(names), wanted: Samples.uses.wanted,
            past: PastImages(LibrarySnapshot(plans: Samples.plans), rules: Samples.rules, now: Samples.now),
            limits: CacheLimits(bytes: ByteCount(limit), leastFree: ByteCount(0)), disk: DiskSpace(total: ByteCount(9), free: ByteCount(9)),
            now: Samples.now, isExact: true)
        return TrimOutcome(decision, nil, uses: Samples.uses)
    }

    @Test func whatWouldGoIsToldByReasonAndUse() {
        let names = [
            Samples.image("1"), Samples.image("1", .thumbnail), Samples.image("4"), Samples.image("4", .thumbnail), Samples.image("6"),
        ]
        let outcome = Self.outcome(limit: 4096, names)
        #expect(outcome.groups.map(\.use) == [.none, .past, .plan(PlanID("1"))])
        #expect(outcome.groups.map(\.count.images) == [1, 2, 1])
        #expect(outcome.isEnough)
        let captured = CapturedOutput()
        outcome.print(on: captured.output)
        #expect(captured.results.contains("size  needed by no plan"), "\(captured.results)")
        #expect(captured.results.contains("Would remove 4 images, "))
        #expect(captured.messages.contains("Upcoming or pinned plans need 1 of them"))
        #expect(
            TrimOutcome.form.json(outcome).line.contains(#"{"reason":"size","use":"past","plan":null,"images":2,"bytes":49152}"#),
            "\(TrimOutcome.form.json(outcome).line)")
    }

    @Test func pinnedPlansInTheWayAreTold() {
        let outcome = Self.outcome(limit: 0, [Samples.image("3"), Samples.image("6")])
        #expect(!outcome.isEnough)
        let captured = CapturedOutput()
        outcome.print(on: captured.output)
        #expect(captured.results.contains("Would remove 1 image, 8.2 kB."), "\(captured.results)")
        #expect(captured.messages.contains("images of pinned plans alone take up 4.1 kB more than allowed"))
        #expect(TrimOutcome.form.json(outcome).line.contains(#""excess":4096"#))
    }

    // MARK: Clearing

    @Test func chartsOfOtherPlansAreSpared() {
        let contents = Samples.plans.map { snapshot in
            let attachments = snapshot.charts.map { Attachment(id: $0.attachment, filename: "\($0.attachment).pdf") }
            return PlanContents(plan: snapshot.plan, items: [PlanItem(id: ItemID("i"), sequence: 1, title: "", attachments: attachments)])
        }
        let hashes = Dictionary(uniqueKeysWithValues: Samples.plans.flatMap(\.charts).map { ($0.attachment, $0.hash) })
        func choice(_ plan: Int, kept: [Int]) -> ClearChoice {
            ClearChoice(of: contents[plan].plan, among: contents, kept: kept.map { contents[$0] }) { hashes[$0.attachment] }
        }
        #expect(choice(0, kept: [0, 1]).charts == [Samples.plans[0].charts[0].hash])
        #expect(choice(0, kept: [0, 1]).spared == ["s1.pdf"])
        #expect(choice(0, kept: [0]).charts == Samples.plans[0].charts.map(\.hash), "it is not in its own way")
        #expect(choice(0, kept: [0]).spared == [])
        // Nor are plans in its way that are not kept ready.
        #expect(choice(3, kept: []).charts == Samples.plans[3].charts.map(\.hash))
    }

    @Test func clearingSaysWhatIsMadeAgain() {
        func text(_ again: Int?, spared: [String] = []) -> String {
            let captured = CapturedOutput()
            ClearOutcome(
                choice: ClearChoice(what: "Harvest", charts: [], spared: spared), removed: 5, freed: ByteCount(20480), failures: [],
                again: again
            ).print(on: captured.output)
            return captured.results
        }
        #expect(text(nil) == "Harvest: removed 5 images, 20.5 kB\n")
        #expect(text(0).contains("none will be drawn again"))
        #expect(text(1).contains("1 of them is needed by upcoming or pinned plans; the next sync or the agent draws it again."))
        #expect(
            text(3, spared: ["a.pdf", "b.pdf"]).contains("2 charts kept, since another upcoming or pinned plan shows them: a.pdf, b.pdf\n"))
    }
}
