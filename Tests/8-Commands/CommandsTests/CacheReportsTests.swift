import CommandTestSupport
import JSON
import Model
import Testing

@testable import CommandLine
@testable import Commands
@testable import PageCache

/// The reports of the cache commands, made without a library or a cache.
@Suite(.timeLimit(.minutes(5)))
struct CacheReportsTests {
    @Test func limitsThatDoNotHoldAreTold() {
        func problems(limit: Int, leastFree: Int) -> [String] {
            CacheState(
                images: 2, size: ByteCount(12_288), limit: ByteCount(limit), free: ByteCount(1 << 30), leastFree: ByteCount(leastFree)
            ).problems
        }
        #expect(problems(limit: 12_288, leastFree: 1 << 30) == [])
        let both = problems(limit: 8192, leastFree: 1 << 31)
        #expect(both.count == 2 && both[0].contains("take up 12.3 kB, more than their limit of 8.2 kB"), "\(both)")
        #expect(both[0].contains("'woodshed sync'") && both[1].contains("2.1 GB should stay free"), "\(both)")
    }

    @Test func chartsOfOtherPlansAreSpared() {
        let contents = ["1", "2", "4"].map { id in
            let attachments = [id, "s\(id)"].map { Attachment(id: AttachmentID($0), filename: "\($0).pdf") }
            let plan = Plan(id: PlanID(id), serviceType: ServiceTypeID("7"), title: "Plan \(id)")
            return PlanContents(plan: plan, items: [PlanItem(id: ItemID("i"), sequence: 1, title: "", attachments: attachments)])
        }
        // All plans share one chart, and each plan also has a chart of its own.
        func hash(_ attachment: String) -> ChartHash { ChartHash(SHA256.digest(of: attachment.hasPrefix("s") ? "shared" : attachment)) }
        func choice(_ plan: Int, kept: [Int]) -> (charts: [ChartHash], spared: [String]) {
            CacheCommand.charts(of: contents[plan].plan, among: contents, kept: kept.map { contents[$0] }) { hash($0.attachment.text) }
        }
        #expect(choice(0, kept: [0, 1]).charts == [hash("1")])
        #expect(choice(0, kept: [0, 1]).spared == ["s1.pdf"])
        #expect(choice(0, kept: [0]).charts == [hash("1"), hash("s")], "it is not in its own way")
        #expect(choice(0, kept: [0]).spared == [])
        // Plans that are not kept ready protect no charts.
        #expect(choice(2, kept: []).charts == [hash("4"), hash("s")])
    }

    @Test func clearingSaysWhatWasRemovedAndWhatIsSpared() throws {
        func report(_ count: Int, spared: [String] = [], away: [String] = []) throws -> CacheReport {
            var done = TrimReport()
            done.removed = try (0..<count).map { number in
                try #require(
                    ImageName(folder: SHA256.digest(of: "c").shortHex, file: "\(number)-plain-\(SHA256.digest(of: "k").shortHex).png"))
            }
            done.freed = ByteCount(4096 * count)
            return CacheReport(what: "Harvest\u{1B}", done: done, spared: spared, away: away, state: nil)
        }
        func captured(_ report: CacheReport) -> CapturedOutput {
            let captured = CapturedOutput()
            report.print(on: captured.output)
            return captured
        }
        let none = captured(try report(0))
        #expect(none.results.hasSuffix(": removed 0 images, 0 B\n") && none.messages.isEmpty, "\(none.results) \(none.messages)")
        let some = captured(try report(3, spared: ["a.pdf", "b.pdf"], away: ["c.pdf"]))
        #expect(some.results.contains(": removed 3 images, 12.3 kB\n") && !some.results.contains("\u{1B}"), "\(some.results)")
        #expect(some.messages.contains("The next sync or the agent draws again what upcoming and pinned plans need"))
        #expect(some.messages.contains("2 charts kept, since another upcoming or pinned plan shows them: a.pdf, b.pdf\n"))
        #expect(some.messages.contains("1 chart kept, since nobody could draw it again without its file"))
        let json = CacheReport.form.json(try report(3, spared: ["a.pdf"], away: ["c.pdf"])).line
        #expect(json.contains(#""images":3,"bytes":12288,"kept_charts":["a.pdf","c.pdf"]"#), "\(json)")
    }
}
