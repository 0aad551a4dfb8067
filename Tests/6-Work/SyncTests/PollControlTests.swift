import Catalogue
import Library
import Model
import PlanningCenter
import Platform
import TestSupport
import Testing

@testable import Sync

/// Polls that are paused, cancelled, narrowed, or kept from useless requests.
@Suite(.onLoop)
struct PollControlTests {
    private static let byTheClock = PollScope(isRequested: false)

    private static func plan(_ id: String, charts: [String]) -> SmallService.Plan {
        SmallService.Plan(
            id: id, startsAt: "2026-11-22T10:00:00Z",
            charts: charts.map { SmallService.Chart(id: $0, name: "Song \($0)", bytes: SmallService.pdf($0)) })
    }

    @Test(arguments: [1, 10, 100]) @LoopActor func aPollWithoutChangeCostsThreeRequestsAPlan(count: Int) async throws {
        let stage = try Stage((0..<count).map { Self.plan("\($0)", charts: ["c\($0)"]) })
        #expect(await stage.sync().isComplete)
        let before = stage.service.network.requests.count
        #expect(await stage.sync().isComplete)
        #expect(stage.service.network.requests.count - before == 1 + 3 * count)
    }

    @Test @LoopActor func aChartThatIsNotGivenKeepsNoPollFromBeingGood() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        stage.service.network.route(.post, "\(SmallService.api)/attachments/a/open", status: 403, "Forbidden")
        #expect(await !stage.sync().isComplete)
        let first = try #require(try stage.library.lastPoll)
        await stage.wait(for: .seconds(86_400))
        await stage.sync()
        #expect(try #require(try stage.library.lastPoll) - first >= .seconds(86_400))
        // A refused chart does not keep a poll from counting as the last good one, but missing contents of a plan do.
        let last = try stage.library.lastPoll
        stage.service.network.route(
            .get, "\(SmallService.api)/service_types/7/plans/1/items?include=song,arrangement,key&per_page=100", status: 403, "Forbidden")
        await stage.wait(for: .seconds(3600))
        await stage.sync()
        #expect(try stage.library.lastPoll == last)
    }

    /// An answer is as old as its request, even if the machine sleeps in the middle of the poll.
    @Test @LoopActor func aPollIsAsOldAsItsQuestion() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        for _ in 0..<2 {
            let asked = stage.clock.timestamp
            stage.service.network.delay = .seconds(1800)
            await stage.sync()
            #expect(stage.clock.timestamp >= asked + .seconds(7200))
            #expect(try stage.library.lastPoll == asked)
        }
    }

    /// A poll is trusted only if its answers show that the service's clock agrees with this machine's. Without that, nothing is
    /// removed as too old.
    @Test(arguments: [0, 240, 301, -301, 366 * 86_400, nil])
    @LoopActor func aPollIsTrustedOnlyWhereTheServiceMeansTheSameTime(ahead: Int?) async throws {
        let stage = try Stage([])
        let list = "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
        let date = ahead.map { Self.date(Timestamp(sinceEpoch: stage.clock.wallTime + .seconds($0))) }
        stage.service.network.route(.get, list, headers: date.map { ["date": $0] } ?? [:], #"{"data":[],"included":[],"links":{}}"#)
        let outcome = await stage.sync()
        #expect(outcome.isComplete)
        #expect(outcome.isTrusted == ahead.map { abs($0) <= 300 } ?? false)
        #expect(try (stage.library.service.clockAhead == nil) == (ahead.map { abs($0) <= 300 } ?? true))
        stage.service.network.failure = HTTPFailure(.unreachable, "no network")
        #expect(await !stage.sync().isTrusted)
        // Once the service's clock is right, its former dates no longer count.
        stage.service.network.failure = nil
        let right = Self.date(stage.clock.timestamp)
        stage.service.network.route(.get, list, headers: ["date": right], #"{"data":[],"included":[],"links":{}}"#)
        #expect(await stage.sync().isTrusted)
        #expect(try stage.library.service.clockAhead == nil)
    }

    @Test @LoopActor func aPlanThatTheMusicianDeclinedIsSaidToBeThat() async throws {
        let stage = try Stage(["1", "2"].map { Self.plan($0, charts: ["a"]) })
        await stage.sync()
        let list = "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
        let schedules = ["D", "C"].enumerated().map { place, status in
            #"{"type":"Schedule","id":"s\#(place)","attributes":{"status":"\#(status)"},"relationships":{"#
                + #""plan":{"data":{"type":"Plan","id":"\#(place + 1)"}},"service_type":{"data":{"type":"ServiceType","id":"7"}}}}"#
        }
        stage.service.network.route(.get, list, #"{"data":[\#(schedules.joined(separator: ","))],"included":[],"links":{}}"#)
        let changes = await stage.sync().changes.map(\.sentence).filter { $0.contains("until it is past") }
        #expect(changes.count == 1 && changes[0].hasPrefix("you declined "), "\(changes)")
    }

    /// The date as a server writes it. The day of the week is always the same, because clients ignore it.
    private static func date(_ time: Timestamp) -> String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = time.description.split { "-T:Z.".contains($0) }.compactMap { Int($0) }
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "Sun, \(two(parts[2])) \(months[parts[1] - 1]) \(parts[0]) \(two(parts[3])):\(two(parts[4])):\(two(parts[5])) GMT"
    }

    @Test @LoopActor func downloadsThatHaveNotBegunAreHeld() async throws {
        let charts = (0..<12).map { "\($0)" }
        let stage = try Stage([Self.plan("1", charts: charts)])
        let outcome = await stage.play {
            let poll = spawn { await stage.poll() }
            // Each file takes a second, so the first four are under way.
            try? await stage.clock.sleep(for: .milliseconds(500))
            stage.gate.close()
            try? await stage.clock.sleep(for: .seconds(3600))
            #expect(stage.service.opened.count == 4)
            #expect(stage.polls.downloads.total.charts == 4)
            stage.gate.open()
            return await poll.value
        }
        #expect(outcome.isComplete)
        #expect(stage.polls.downloads.total.charts == 12)
    }

    @Test @LoopActor func aHeldPollCanBeCancelled() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        stage.gate.close()
        let outcome = await stage.play {
            let poll = spawn { await stage.poll() }
            try? await stage.clock.sleep(for: .seconds(1))
            stage.polls.cancel()
            return await poll.value
        }
        #expect(outcome.isCancelled && !outcome.isComplete && outcome.setbacks.isEmpty)
        #expect(stage.service.network.requests.isEmpty)
        stage.gate.open()
        #expect(await stage.sync().isComplete)
    }

    /// Whenever the poll is cancelled, everything in the library is whole, and the next poll fetches the rest.
    @Test(arguments: Array(stride(from: 0, through: 2800, by: 200))) @LoopActor
    func aCancelledPollLeavesNothingHalfDone(milliseconds: Int) async throws {
        let charts = (0..<8).map { "\($0)" }
        let stage = try Stage([Self.plan("1", charts: Array(charts[..<4])), Self.plan("2", charts: Array(charts[4...]))])
        stage.service.network.delay = .milliseconds(100)
        let outcome = await stage.play {
            let poll = spawn { await stage.poll() }
            try? await stage.clock.sleep(for: .milliseconds(milliseconds))
            stage.polls.cancel()
            let outcome = await poll.value
            return outcome
        }
        #expect(outcome.isCancelled)
        #expect(outcome.setbacks.isEmpty)
        // Either all plans are stored, or none.
        #expect([0, 2].contains(try stage.library.plans.all().count))
        for chart in charts {
            guard let stored = try stage.library.charts.chart(of: AttachmentID(chart)) else { continue }
            #expect(stored.hash == ChartHash(SHA256.digest(of: SmallService.pdf(chart))))
            #expect(try stage.library.charts.hasBytes(of: stored.hash))
        }
        let opened = stage.service.opened.count
        let kept = stage.polls.downloads.total.charts
        #expect(await stage.sync().isComplete)
        #expect(stage.polls.downloads.total.charts == 8)
        #expect(stage.service.opened.count == opened + 8 - kept)
    }

    @Test @LoopActor func aPollCanBeAboutOnePlanOrOneChart() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"]), Self.plan("2", charts: ["c"])])
        await stage.sync(
            PollScope(plans: [PlanID("1")], charts: { attachment, item in attachment.id.text == "b" && item.title == "Song b" }))
        #expect(stage.service.opened == ["b"])
        #expect(try stage.library.plans.all().map(\.plan.id.text) == ["1"])
        #expect(try stage.library.plans.all().first?.attachments.count == 2)
        #expect(try stage.library.lastPoll == nil)
        await stage.sync()
        #expect(stage.service.opened.sorted() == ["a", "b", "c"])
        #expect(try stage.library.lastPoll != nil)
    }

    @Test @LoopActor func aFileThatTheServiceRefusesIsAskedForMoreRarelyButWithinTwoHours() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        stage.service.network.route(.post, "\(SmallService.api)/attachments/a/open", status: 404, "")
        @LoopActor func asked() -> Int {
            stage.service.network.requests.count { $0.method == .post && $0.url.hasSuffix("/a/open") }
        }
        for _ in 0..<3 {
            // The missing file is still reported.
            #expect(await stage.sync(Self.byTheClock).setbacks.map(\.subject) == ["Song a.pdf"])
        }
        #expect(asked() == 1)
        await stage.wait(for: .seconds(15 * 60))
        await stage.sync(Self.byTheClock)
        await stage.wait(for: .seconds(15 * 60))
        await stage.sync(Self.byTheClock)
        #expect(asked() == 2)
        for _ in 0..<10 {
            await stage.wait(for: .seconds(2 * 3600))
            await stage.sync(Self.byTheClock)
        }
        #expect(asked() == 12)
        // A person's request is sent immediately.
        await stage.sync()
        #expect(asked() == 13)
    }

    @Test @LoopActor func aLineThatBrokeIsNotHeldAgainstTheFile() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        stage.service.network.route(.post, "\(SmallService.api)/attachments/a/open") { (_) throws(HTTPFailure) in
            throw HTTPFailure(.interrupted, "broken off")
        }
        #expect(await stage.sync(Self.byTheClock).setbacks.count == 1)
        stage.service.network.route(.post, "\(SmallService.api)/attachments/a/open", status: 500, "")
        #expect(await stage.sync(Self.byTheClock).setbacks.count == 1)
        let asked = stage.service.network.requests.count { $0.method == .post }
        #expect(asked == 2)
    }

    @Test @LoopActor func aFileThatMayNotBeHadSaysSo() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        stage.service.network.route(.post, "\(SmallService.api)/attachments/a/open", status: 403, "Forbidden")
        let outcome = await stage.sync(Self.byTheClock)
        #expect(outcome.setbacks.map(\.subject) == ["Song a.pdf"])
        #expect(outcome.setbacks.first?.message.hasPrefix("no permission") == true)
        await stage.sync(Self.byTheClock)
        #expect(stage.service.network.requests.count { $0.method == .post && $0.url.hasSuffix("/a/open") } == 1)
        #expect(stage.service.opened == ["b"])
    }

    @Test @LoopActor func aRefusedTokenIsTriedAgainOnceAPoll() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        stage.service.network.route(.get, "\(SmallService.api)/me", status: 401, "HTTP Basic: Access denied.")
        #expect(await stage.sync().reach == .notAuthorised)
        for _ in 0..<5 { #expect(await stage.sync(Self.byTheClock).reach == .notAuthorised) }
        #expect(stage.service.network.requests.count == 2 * 6, "each time once more, for it may have been a slip")
        stage.service.network.route(.get, "\(SmallService.api)/me", #"{"data":{"type":"Person","id":"104","attributes":{}}}"#)
        #expect(await stage.sync().isComplete)
    }

    @Test(arguments: [true, false]) @LoopActor func aDownloadThatBreaksOffGoesOn(isReplaced: Bool) async throws {
        let stage = try Stage([Self.plan("1", charts: ["a"])])
        let longer = SmallService.pdf("0123456789")
        stage.service.plans[0].charts[0].bytes = longer
        stage.service.network.breaks = [6, 3]
        let other = SmallService.pdf("9876543210")
        let outcome = await stage.play {
            let poll = spawn { await stage.poll() }
            // The first try takes a second, so the file is under way.
            try? await stage.clock.sleep(for: .milliseconds(500))
            if isReplaced { stage.service.plans[0].charts[0].bytes = other }
            return await poll.value
        }
        #expect(outcome.isComplete, "\(outcome.setbacks)")
        let stored = try #require(try stage.library.charts.chart(of: AttachmentID("a")))
        #expect(stored.hash == ChartHash(SHA256.digest(of: isReplaced ? other : longer)))
        #expect(stage.service.opened == ["a"])
        #expect(stage.service.ranges == (isReplaced ? ["bytes=6-", "bytes=3-"] : ["bytes=6-", "bytes=9-"]))
    }

    @Test @LoopActor func pollsGoOneAfterTheOther() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        let outcomes = await stage.play {
            let polls = (0..<3).map { _ in spawn { await stage.poll() } }
            try? await stage.clock.sleep(for: .milliseconds(100))
            // A cancelled poll returns without waiting for its turn.
            polls[1].cancel()
            let second = await polls[1].value
            #expect(stage.polls.downloads.total.charts == 0)
            return [await polls[0].value, second, await polls[2].value]
        }
        #expect(outcomes.map(\.isComplete) == [true, false, true])
        #expect(outcomes[1].isCancelled)
        #expect(stage.service.opened.sorted() == ["a", "b"])
    }

    @Test @LoopActor func progressCountsBytesAndForgetsWhatIsVoid() async throws {
        let stage = try Stage([Self.plan("1", charts: ["a", "b"])])
        stage.service.network.breaks = [6]
        var seen: [DownloadProgress] = []
        stage.onDownloads = { seen.append($0) }
        await stage.sync()
        let whole = stage.service.plans[0].charts.reduce(0) { $0 + $1.bytes.utf8.count }
        let last = try #require(seen.last { $0.charts > 0 })
        #expect((last.charts, last.done, last.bytes, last.announcedBytes) == (2, 2, whole, whole))
        #expect(seen.allSatisfy { $0.bytes <= whole })
    }

    @Test @LoopActor func aServiceThatIsGoneIsNotAskedForEveryPlan() async throws {
        let stage = try Stage((0..<50).map { Self.plan("\($0)", charts: []) })
        let list = "\(SmallService.api)/people/104/schedules?filter=future&order=starts_at&include=plan_times&per_page=100"
        await stage.sync()
        let before = stage.service.network.requests.count
        // The network fails once the list of plans has arrived.
        var hasAnswered = false
        stage.service.network.intercept = { request in
            defer { if request.url == list { hasAnswered = true } }
            return hasAnswered ? HTTPFailure(.unreachable, "no route") : nil
        }
        let outcome = await stage.sync()
        #expect(outcome.reach == .offline)
        #expect(stage.service.network.requests.count - before < 10)
    }
}
