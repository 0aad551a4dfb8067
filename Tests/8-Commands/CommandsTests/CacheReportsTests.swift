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

    private static func report(
        _ names: [ImageName], what: String = "/cache\u{1B}", fate: CacheReport.Fate = .kept, uses: ImageUses? = Samples.uses,
        limit: Int = 1 << 40, leastFree: Int = 0
    ) -> CacheReport {
        let entries = Samples.entries(names)
        let state = CacheState(
            held: ImageCount(entries), limit: ByteCount(limit), free: ByteCount(1 << 30), leastFree: ByteCount(leastFree))
        return CacheReport(what, fate, entries.map { ($0, nil) }, for: uses, in: state)
    }

    @Test func everyImageCountsOnce() {
        let images = ["1", "2", "4", "5", "6"].map { Samples.image($0) } + [Samples.image(Samples.shared, .thumbnail)]
        let report = Self.report(images)
        #expect(report.rows?.map(\.group.use) == [.plan(PlanID("1")), .plan(PlanID("2")), .far, .past, .none])
        #expect(report.rows?.map(\.count.images) == [2, 1, 1, 1, 1])
        #expect(report.rows?.reduce(0) { $0 + $1.count.size.bytes } == report.total.size.bytes)
        #expect(report.needed == 3)
    }

    @Test func totalsAreToldWithoutARenderer() {
        var report = Self.report([Samples.image("1"), Samples.image("1", .thumbnail)], uses: nil)
        report.problem = "the renderer does not start"
        let captured = CapturedOutput()
        report.print(on: captured.output)
        #expect(captured.results.contains(": 2 images, 12.3 kB\n"), "\(captured.results)")
        #expect(!captured.results.contains("\u{1B}"))
        #expect(captured.messages.contains("the renderer does not start") && !captured.messages.contains("more than its limit"))
        let json = CacheReport.form.json(report).line
        #expect(json.contains(#""uses":null,"problem":"the renderer does not start","needed":null"#), "\(json)")
    }

    @Test func limitsThatDoNotHoldAreTold() {
        let captured = CapturedOutput()
        Self.report([Samples.image("1"), Samples.image("1", .thumbnail)], limit: 8192, leastFree: 1 << 31).print(on: captured.output)
        #expect(captured.messages.contains("takes up 12.3 kB, more than its limit of 8.2 kB"), "\(captured.messages)")
        #expect(captured.messages.contains("2.1 GB should stay free"))
        #expect(captured.results.contains(" Plan 1 (plan 1)"))
        #expect(!captured.results.contains("past plans"), "there are no images of any")
    }

    // MARK: Trimming

    private static func trim(limit: Int, _ names: [ImageName]) -> CacheReport {
        let decision = TrimDecision(
            entries: Samples.entries(names), wanted: Samples.uses.wanted,
            past: PastImages(LibrarySnapshot(plans: Samples.plans), rules: Samples.rules, now: Samples.now),
            limits: CacheLimits(bytes: ByteCount(limit), leastFree: ByteCount(0)), disk: DiskSpace(total: ByteCount(9), free: ByteCount(9)),
            now: Samples.now, isExact: true)
        return CacheReport("/cache", decision, nil, for: Samples.uses)
    }

    @Test func whatWouldGoIsToldByReasonAndUse() {
        let names = [
            Samples.image("1"), Samples.image("1", .thumbnail), Samples.image("4"), Samples.image("4", .thumbnail), Samples.image("6"),
        ]
        let report = Self.trim(limit: 4096, names)
        #expect(report.rows?.map(\.group.use) == [.plan(PlanID("1")), .past, .none])
        #expect(report.rows?.map(\.count.images) == [1, 2, 1])
        #expect(report.code == .fine)
        let captured = CapturedOutput()
        report.print(on: captured.output)
        #expect(captured.results.contains(/needed by no plan +1 +65.5 kB +size/), "\(captured.results)")
        #expect(captured.results.contains("/cache: would remove 4 images, "))
        #expect(captured.messages.contains("Upcoming or pinned plans need 1 of them"))
        let json = CacheReport.form.json(report).line
        #expect(json.contains(#"{"use":"past","plan":null,"reason":"size","images":2,"bytes":49152}"#), "\(json)")
    }

    @Test func pinnedPlansInTheWayAreTold() {
        let report = Self.trim(limit: 0, [Samples.image("3"), Samples.image("6")])
        #expect(report.code == .notReady)
        let captured = CapturedOutput()
        report.print(on: captured.output)
        #expect(captured.results.contains("would remove 1 image, 8.2 kB\n"), "\(captured.results)")
        #expect(
            captured.messages.contains("images of pinned plans, and of charts whose files are not here, take up 4.1 kB more than allowed"))
        #expect(CacheReport.form.json(report).line.contains(#""excess":4096"#))
    }

    // MARK: Clearing

    @Test func chartsOfOtherPlansAreSpared() {
        let contents = Samples.plans.map { snapshot in
            let attachments = snapshot.charts.map { Attachment(id: $0.attachment, filename: "\($0.attachment).pdf") }
            return PlanContents(plan: snapshot.plan, items: [PlanItem(id: ItemID("i"), sequence: 1, title: "", attachments: attachments)])
        }
        let hashes = Dictionary(uniqueKeysWithValues: Samples.plans.flatMap(\.charts).map { ($0.attachment, $0.hash) })
        func choice(_ plan: Int, kept: [Int]) -> (charts: [ChartHash], spared: [String]) {
            CacheCommand.charts(of: contents[plan].plan, among: contents, kept: kept.map { contents[$0] }) { hashes[$0.attachment] }
        }
        #expect(choice(0, kept: [0, 1]).charts == [Samples.plans[0].charts[0].hash])
        #expect(choice(0, kept: [0, 1]).spared == ["s1.pdf"])
        #expect(choice(0, kept: [0]).charts == Samples.plans[0].charts.map(\.hash), "it is not in its own way")
        #expect(choice(0, kept: [0]).spared == [])
        // Nor are plans in its way that are not kept ready.
        #expect(choice(3, kept: []).charts == Samples.plans[3].charts.map(\.hash))
    }

    @Test func clearingSaysWhatIsMadeAgain() {
        func captured(_ names: [ImageName], spared: [String] = []) -> CapturedOutput {
            var report = Self.report(names, what: "Harvest", fate: .removed)
            report.spared = spared
            let captured = CapturedOutput()
            report.print(on: captured.output)
            return captured
        }
        let none = captured([Samples.image("6")])
        #expect(none.results.hasPrefix("Harvest: removed 1 image, 4.1 kB\n") && none.messages.isEmpty, "\(none.results) \(none.messages)")
        let some = captured([Samples.image("1"), Samples.image("2"), Samples.image("6")], spared: ["a.pdf", "b.pdf"]).messages
        #expect(some.contains("Upcoming or pinned plans need 2 of them; the next sync or the agent draws them again"))
        #expect(some.contains("2 charts kept, since another upcoming or pinned plan shows them: a.pdf, b.pdf\n"))
    }
}
