import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Marks
@testable import Sync

/// Impossible numbers from the service are stored in the library, and decisions depend on them, so none may stop a poll or crash
/// the agent.
@Suite(.onLoop)
struct AbsurdNumbersTests {
    private static let numbers = [
        "9223372036854775807", "9223372036854775806", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1e400",
        "-1e400",
        "1e18", "-1", "0.5", "\"9223372036854775807\"", "\"-9223372036854775808\"", "\"1e99\"", "null", "[]", "true", "4611686018427387904",
    ]
    private static let times = ["2200-12-31T23:59:59Z", "1700-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0000-00-00T00:00:00Z"]

    /// Runs a poll of two songs, in which `field` of a resource has a wrong value.
    @LoopActor private func poll(_ field: String, _ value: String, revision: Int, _ stage: Stage) async -> PollOutcome {
        let list = "\(SmallService.api)/service_types/7/plans/1"
        func told(_ name: String, _ usual: String) -> String { name == field ? value : usual }
        stage.service.network.route(
            .get, "\(list)/items?include=song,arrangement,key&per_page=100",
            """
            {"data":[\(["i1", "i2"].map { item in
                """
                {"type":"Item","id":"\(item)","attributes":{"title":"Song","sequence":\(told("sequence", "1")),"length":\(told("length", "240")),
                 "item_type":"song"},"relationships":{}}
                """
            }.joined(separator: ","))],"included":[],"links":{}}
            """)
        stage.service.network.route(
            .get, "\(list)/all_attachments?per_page=100",
            """
            {"data":[\(["a", "b", "plan"].map { id in
                """
                {"type":"Attachment","id":"\(id)","attributes":{"filename":"\(id).pdf","content_type":"application/pdf",
                 "file_size":\(told("file_size", "\(Self.bytes.utf8.count)")),"page_order":\(told("page_order", "null")),"pco_type":"AttachmentS3",
                 "updated_at":\(told("updated_at", "\"2026-11-01T10:00:00Z\""))},
                 "relationships":{"attachable":{"data":{"type":"\(id == "plan" ? "Plan" : "Item")","id":"\(id == "plan" ? "1" : id == "a" ? "i1" : "i2")"}}}}
                """
            }.joined(separator: ","))],"included":[],"links":{}}
            """)
        stage.service.layers["1"] = [
            """
            {"type":"AnnotationLayer","id":"l","attributes":{"attachment_id":"a","name":"n","revision":\(told("revision", "\(revision)")),
             "updated_at":"2026-11-18T20:31:31Z","deleted_at":null,"marks":[{"id":"m","page":\(told("page", "0")),"kind":"pen",
             "width":\(told("width", "0.01")),"fill":\(told("fill", "null")),"size":\(told("size", "null")),"more":\(told("more", "1")),
             "points":[[\(told("x", "0.5")),0.5]],"created_at":\(told("created_at", "\"2026-11-18T20:31:31Z\""))}]}}
            """
        ]
        return await stage.sync()
    }

    private static let fields = [
        "sequence", "length", "file_size", "page_order", "revision", "page", "width", "fill", "size", "more", "x",
    ]

    private static let bytes = SmallService.pdf("one")

    @Test(arguments: fields) @LoopActor func noNumberStopsAPoll(field: String) async throws {
        let charts = ["a", "b", "plan"].map { SmallService.Chart(id: $0, name: $0, bytes: Self.bytes) }
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: charts)])
        for (revision, number) in Self.numbers.enumerated() {
            let outcome = await poll(field, number, revision: revision + 1, stage)
            #expect(outcome.reach == .reached && outcome.hasList, "\(field) \(number)")
            // The stored plan can be read, compared with the next one, and requested again.
            #expect(try stage.library.plans.all().first?.items.count == 3)
            _ = try await stage.agent.planTable()
        }
        // A revision below the former one is not accepted for a while.
        #expect(await poll("", "", revision: 100, stage).setbacks.allSatisfy { field == "revision" && $0.subject.hasPrefix("marks of") })
        #expect(try stage.library.plans.all().first?.attachments.count == 3)
        await stage.agent.stop()
    }

    @Test func anyNumberOfFilesOfAnySizeIsSummedUp() {
        func downloads(_ sizes: [Int]) -> DownloadProgress {
            DownloadProgress(of: sizes.map { Attachment(id: AttachmentID("a"), filename: "a.pdf", fileSize: $0) })
        }
        #expect(downloads([1, 2]).announcedBytes == 3)
        #expect(downloads([.max, 1, .max, -1, .min, 0]).announcedBytes == .max)
    }

    /// Any program can set a file's time to any value, and every value must be compared without a crash.
    @Test(arguments: [Int64.min, -2_145_916_800_000_000_000, 0, 9_000_000_000_000_000_000, .max]) func noTimeOfAFileStopsMatching(
        time: Int64
    ) {
        for other in [Int64.min, 0, .max] {
            let former = FileStamp(device: 1, inode: 1, size: 1, modified: other)
            let isNear = time == other
            #expect(FileStamp(device: 1, inode: 2, size: 1, modified: time).standsIn(for: former) == isNear)
        }
    }

    @Test(arguments: ["updated_at", "created_at"], times) @LoopActor func noTimeStopsAPoll(field: String, time: String) async throws {
        let charts = ["a", "b", "plan"].map { SmallService.Chart(id: $0, name: $0, bytes: SmallService.pdf("one")) }
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: time, charts: charts)])
        #expect(await poll(field, "\"\(time)\"", revision: 1, stage).reach == .reached)
        _ = try await stage.agent.planTable()
        await stage.agent.stop()
    }

    @Test(arguments: [10_098_000_000, -10_098_000_000, Int64.max, Int64.min, 0]) @LoopActor func noClockStopsAnAgent(seconds: Int64)
        async throws
    {
        let chart = SmallService.Chart(id: "a", name: "a", bytes: SmallService.pdf("one"))
        let stage = try Stage([SmallService.Plan(id: "1", startsAt: "2026-11-22T10:00:00Z", charts: [chart])])
        await stage.sync()
        stage.clock.wallTimeAtStart = .seconds(seconds)
        stage.agent.beginPolling(in: SimulatedSurroundings()) { _ in }
        await stage.wait(for: .seconds(60))
        _ = try await stage.agent.planTable()
        #expect(try stage.library.plans.all().count == 1)
        await stage.agent.stop()
    }
}
