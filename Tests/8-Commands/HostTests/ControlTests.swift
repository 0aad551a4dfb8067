import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Agent
@testable import Host
@testable import Sync

@Suite(.onLoop)
struct ControlTests {
    private let folder = TemporaryFolder()
    private var runtime: String { folder.path("runtime") }

    private var library: String { folder.path("data") }

    @LoopActor private func desk(every rhythm: Duration = .seconds(2), by clock: any TimeKeeper = SystemClock()) throws -> ControlDesk {
        let desk = ControlDesk(log: .silent, time: clock, rhythm: rhythm)
        desk.answer("GET", "/v1/echo") { request in
            ControlReply(json: Array(#"{"word":"\#(request.parameter("word") ?? "")"}"#.utf8))
        }
        desk.answer("POST", "/v1/echo") { request in ControlReply(json: request.body) }
        desk.answer("GET", "/v1/never") { _ in throw ControlRefusal(409, "not today") }
        try desk.open(in: runtime, library: library)
        return desk
    }

    @LoopActor private func failure(of work: @LoopActor () async throws(ControlFailure) -> [UInt8]) async -> ControlFailure? {
        do throws(ControlFailure) {
            _ = try await work()
            return nil
        } catch {
            return error
        }
    }

    @Test @LoopActor func questionsAreAnsweredOnTheLoop() async throws {
        let desk = try desk()
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        #expect(client.process == getpid())
        let answer = try await client.ask(.get, "/v1/echo", query: [("word", "a&b=c é")])
        #expect(String(decoding: answer, as: UTF8.self) == "{\"word\":\"a&b=c é\"}\n")
        let large = [UInt8](repeating: 0x20, count: 500_000)
        #expect(try await client.ask(.post, "/v1/echo", body: large) == large + [0x0A])
        desk.close()
    }

    /// After a reload, the former agent must be released with all its memory.
    @Test @LoopActor func aClosedDeskHoldsNobody() async throws {
        final class Agent {}
        let desk = try desk()
        weak var agent: Agent?
        do {
            let former = Agent()
            agent = former
            desk.answer("GET", "/v1/agent") { _ in
                _ = former
                return ControlReply(json: [])
            }
            desk.setProgressSource {
                _ = former
                return ControlProgress()
            }
        }
        #expect(agent != nil)
        desk.close()
        #expect(agent == nil)
    }

    @Test @LoopActor func folderAndSocketAreTheUsersAlone() async throws {
        try Folder.create(runtime, mode: 0o755)
        let desk = try desk()
        var status = stat()
        #expect(stat(runtime, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat(ControlDesk.socket(in: runtime, library: library), &status) == 0 && status.st_mode & 0o777 == 0o600)
        desk.close()
    }

    @Test @LoopActor func withoutAnAgentThereIsNobodyToAsk() async throws {
        #expect(ControlClient.find(runtime: runtime, library: library) == nil)
        try desk().close()
        #expect(ControlClient.find(runtime: runtime, library: library) == nil)
        // A killed agent leaves its socket behind.
        let dead = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(ControlDesk.socket(in: runtime, library: library).utf8)) }
        let code = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        #expect(code == 0)
        close(dead)
        #expect(ControlClient.find(runtime: runtime, library: library) == nil)
        // The next agent replaces that socket by its own.
        let desk = try desk()
        #expect(ControlClient.find(runtime: runtime, library: library) != nil)
        desk.close()
    }

    @Test @LoopActor func refusalsAreSentences() async throws {
        let desk = try desk()
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        #expect(
            await failure { () async throws(ControlFailure) in try await client.ask(.get, "/v1/never") }
                == .refused(status: 409, "not today"))
        #expect(
            await failure { () async throws(ControlFailure) in try await client.ask(.get, "/v2/new") }
                == .refused(status: 404, "this agent does not know /v2/new"))
        #expect(
            await failure { () async throws(ControlFailure) in try await client.ask(.post, "/v1/never") }
                == .refused(status: 405, "/v1/never accepts only GET"))
        desk.close()
    }

    @Test @LoopActor func agentThatHangsIsNotWaitedForAndHearsThatNobodyDoes() async throws {
        let desk = try desk()
        let clock = SystemClock()
        var wasCancelled = false
        desk.answer("GET", "/v1/hang") { _ in
            do { try await clock.sleep(for: .seconds(3600)) } catch { wasCancelled = true }
            return ControlReply()
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        let failure = await failure { () async throws(ControlFailure) in
            try await client.ask(.get, "/v1/hang", patience: .milliseconds(200))
        }
        #expect(failure == .noAnswer(process: getpid(), patience: .milliseconds(200)))
        try await waitUntil { wasCancelled }
        desk.close()
    }

    @Test(arguments: ["GET", "POST"])
    @LoopActor func anAgentThatWorksIsWaitedForAsLongAsItTakes(method: String) async throws {
        let desk = try desk(every: .milliseconds(20))
        let clock = SystemClock()
        var done = 0
        desk.setProgressSource {
            done += 1
            return ControlProgress(
                Progress(
                    plans: 0, plansRead: 0, downloads: DownloadProgress(charts: 100, done: done), wanted: 0, missing: 0, pages: 0,
                    missingPages: 0, uncounted: 0,
                    wait: nil))
        }
        let answer = Array((#"{"result":""# + String(repeating: "x", count: 300_000) + #""}"#).utf8)
        desk.answer(method, "/v1/long") { _ in
            try await clock.sleep(for: .seconds(4))
            return ControlReply(json: answer)
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        var told: [Int] = []
        let found = try await client.ask(method == "GET" ? .get : .post, "/v1/long", patience: .seconds(3)) {
            told.append($0.downloads.done)
        }
        #expect(found == answer)
        #expect(told.count > 5 && told == Array(1...told.count), "\(told)")
        desk.close()
    }

    @Test @LoopActor func whatIsRefusedAfterLongWorkIsARefusal() async throws {
        let desk = try desk(every: .milliseconds(20))
        let clock = SystemClock()
        desk.answer("POST", "/v1/long") { _ in
            try await clock.sleep(for: .milliseconds(300))
            throw ControlRefusal(503, "the agent is shutting down")
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        let failure = await failure { () async throws(ControlFailure) in try await client.ask(.post, "/v1/long") }
        #expect(failure == .refused(status: 503, "the agent is shutting down"))
        desk.close()
    }

    @Test @LoopActor func anAgentThatEndsAtWorkIsSaidToHaveBrokenOff() async throws {
        let desk = try desk(every: .milliseconds(20))
        let clock = SystemClock()
        desk.answer("POST", "/v1/long") { _ in
            try await clock.sleep(for: .seconds(3600))
            return ControlReply()
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        var signs = 0
        desk.setProgressSource {
            signs += 1
            return ControlProgress()
        }
        let waiting = spawn { await self.failure { () async throws(ControlFailure) in try await client.ask(.post, "/v1/long") } }
        try await waitUntil { signs > 3 }
        desk.close()
        let failure = await waiting.value
        guard case .brokeOff(getpid(), _)? = failure else { throw failure ?? .gone(process: 0) }
    }

    /// The limit for requests that only the test ends. The loop also runs many other tests, so no shorter limit is safe.
    private static let asLongAsItTakes: Duration = .seconds(3600)

    @Test @LoopActor func whoSleptHasNotBeenKeptWaiting() async {
        let clock = SimulatedClock()
        let watch = SilenceWatch(clock, .seconds(60))
        watch.begin {}
        clock.skip(.seconds(3600))
        await clock.run { try? await clock.sleep(for: .seconds(50)) }
        #expect(!watch.isTooLong)
        await clock.run { try? await clock.sleep(for: .seconds(60)) }
        #expect(watch.isTooLong)
    }

    @Test func howLongNothingWasSaidIsSaidAsItIs() {
        let words = ControlFailure.noAnswer(process: 7, patience: ControlClient.patience).description
        #expect(words.contains("the agent (process 7) has not answered for 60 seconds"), "\(words)")
        #expect(ControlFailure.brokeOff(process: 7, after: .milliseconds(1200)).description.contains("broke off after 1 second:"))
    }

    @Test @LoopActor func whoGoesAwayDuringLongWorkEndsItAndNothingElse() async throws {
        let desk = try desk(every: .milliseconds(20))
        let clock = SystemClock()
        var (cancelled, begun) = (0, 0)
        desk.answer("POST", "/v1/long") { _ in
            begun += 1
            do { try await clock.sleep(for: .seconds(3600)) } catch { cancelled += 1 }
            return ControlReply()
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        var signs = 0
        desk.setProgressSource {
            signs += 1
            return ControlProgress()
        }
        let one = spawn { try? await client.ask(.post, "/v1/long", patience: Self.asLongAsItTakes) }
        let second = try #require(ControlClient.find(runtime: runtime, library: library))
        let other = spawn { try? await second.ask(.post, "/v1/long", patience: Self.asLongAsItTakes) }
        try await waitUntil { begun == 2 && signs > 10 }
        one.cancel()
        try await waitUntil { cancelled == 1 }
        let before = signs
        try await waitUntil { signs > before + 10 }
        #expect(cancelled == 1)
        other.cancel()
        try await waitUntil { cancelled == 2 }
        _ = (await one.value, await other.value)
        desk.close()
    }

    /// Some work cannot be broken off, for example a sync that waits for the end of a pause. Once its caller is gone, it must
    /// neither keep the socket busy nor wake the agent.
    @Test(.needs(.realTime), arguments: [false, true])
    @LoopActor func workThatCannotBeBrokenOffTroublesNobodyOnceItsCallerHasGone(isTold: Bool) async throws {
        let clock = SimulatedClock()
        let desk = try desk(every: .seconds(2), by: clock)
        var work: CheckedContinuation<Void, Never>?
        var wasCancelled = false
        desk.answer("POST", "/v1/long") { _ in
            await withCheckedContinuation { work = $0 }
            wasCancelled = Task.isCancelled
            return ControlReply()
        }
        var signs = 0
        desk.setProgressSource {
            signs += 1
            return ControlProgress()
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        let caller = spawn { try? await client.ask(.post, "/v1/long", patience: Self.asLongAsItTakes) }
        try await waitUntil { work != nil }
        if isTold { await clock.run { try? await clock.sleep(for: .seconds(3)) } }
        #expect(signs == (isTold ? 1 : 0))
        unlink(ControlDesk.socket(in: runtime, library: library))
        #expect(try desk.keepOpen() == .busy)
        caller.cancel()
        _ = await caller.value
        try await waitUntil { try desk.keepOpen() == .openedAnew }
        await clock.run { try? await clock.sleep(for: .seconds(60)) }
        #expect(signs == (isTold ? 1 : 0), "the agent sleeps")
        work?.resume()
        try await waitUntil { wasCancelled }
        desk.close()
    }

    @Test @LoopActor func agentThatEndsMeanwhileIsSaidToBeGone() async throws {
        let desk = try desk()
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        desk.close()
        #expect(
            await failure { () async throws(ControlFailure) in try await client.ask(.get, "/v1/echo") } == .gone(process: getpid()))
    }

    @Test(arguments: ["socket", "folder", "another file"])
    @LoopActor func aSocketThatIsLostIsOpenedAnew(what: String) async throws {
        let desk = try desk()
        let socket = ControlDesk.socket(in: runtime, library: library)
        #expect(try desk.keepOpen() == .there)
        unlink(socket)
        if what == "folder" { #expect(rmdir(runtime) == 0) }
        if what == "another file" { try AtomicFile.write("", to: socket) }
        #expect(ControlClient.find(runtime: runtime, library: library) == nil)
        #expect(try desk.keepOpen() == .openedAnew)
        #expect(try desk.keepOpen() == .there)
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        #expect(try await !client.ask(.get, "/v1/echo").isEmpty)
        desk.close()
        unlink(socket)
        #expect(try desk.keepOpen() == .there, "nobody is to reach it any more")
        #expect(ControlClient.find(runtime: runtime, library: library) == nil)
    }

    @Test @LoopActor func whoStillWaitsForAnAnswerGetsItBeforeTheSocketIsOpenedAnew() async throws {
        let desk = try desk()
        var waiter: CheckedContinuation<Void, Never>?
        desk.answer("GET", "/v1/long") { _ in
            await withCheckedContinuation { waiter = $0 }
            return ControlReply()
        }
        let client = try #require(ControlClient.find(runtime: runtime, library: library))
        let answer = spawn { try? await client.ask(.get, "/v1/long") }
        try await waitUntil { waiter != nil }
        unlink(ControlDesk.socket(in: runtime, library: library))
        #expect(try desk.keepOpen() == .busy)
        waiter?.resume()
        #expect(await answer.value == Array("{}\n".utf8))
        #expect(try desk.keepOpen() == .openedAnew)
        desk.close()
    }
}
