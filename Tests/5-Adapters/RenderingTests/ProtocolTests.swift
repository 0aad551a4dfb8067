import CShims
import Glibc
import Model
import Platform
import Rendering
import TestSupport
import Testing

/// Each side of the socket receives messages that the other side should never send.
@Suite(.onLoop)
struct ProtocolTests {
    /// A pool whose workers run a shell script; the folder must outlive the pool.
    @LoopActor
    private static func pool(_ script: String, in folder: TemporaryFolder) async throws -> WorkerPool {
        let path = folder.path("worker")
        let null = try Descriptor.open("/dev/null", O_RDWR)
        // A separate process writes the script: if this process had it open, a child that another test starts at that moment would
        // hold it open for writing, too, and the kernel would refuse to run it.
        let writer = try Child.start(
            "/bin/sh", arguments: ["-c", "printf '%s\\n' '#!/bin/sh' \"$1\" >\"$2\" && chmod 700 \"$2\"", "sh", script, path],
            environment: ["PATH=/usr/bin:/bin"], descriptors: [null.number, null.number, null.number])
        #expect(await writer.exit() == .code(0))
        return WorkerPool(WorkerOptions(program: path, width: 1))
    }

    /// The beginning of a message, which is the same in every version.
    private static func message(version: Int, rest: [UInt8] = []) -> [UInt8] {
        let name = Array("woodshed renderer\n".utf8)
        return [name.count].bytes + name + [version].bytes + rest
    }

    /// A script that writes these bytes and then stays silent.
    private static func writing(_ bytes: [UInt8]) -> String {
        "printf '\(bytes.map { "\\" + octal($0) }.joined())' >&3; exec sleep 100"
    }

    private static func octal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 8)
        return String(repeating: "0", count: 3 - digits.count) + digits
    }

    @Test(arguments: [
        (Array("garbage".utf8), "it is not a message"),
        (message(version: JobMessage.currentVersion), "its fields are not those of version \(JobMessage.currentVersion)"),
        (message(version: JobMessage.currentVersion, rest: [0]), "its fields are not those of version \(JobMessage.currentVersion)"),
        ((try? ReplyMessage(number: 77, reply: .rendered).encoded()) ?? [], "it does not match any request"),
    ])
    @LoopActor func answersWithoutSenseEndTheWorker(answer: [UInt8], reason: String) async throws {
        let folder = TemporaryFolder()
        let pool = try await Self.pool(Self.writing(answer), in: folder)
        await #expect(throws: RenderFailure.malformedReply(reason)) { try await pool.identity() }
        await pool.stop()
        #expect(pool.processes.isEmpty)
    }

    @Test @LoopActor func workerOfAnotherVersionIsRefused() async throws {
        let folder = TemporaryFolder()
        let pool = try await Self.pool(Self.writing(Self.message(version: 999)), in: folder)
        await #expect(throws: RenderFailure.versionMismatch(ours: JobMessage.currentVersion, theirs: 999)) { try await pool.identity() }
        await pool.stop()
    }

    @Test @LoopActor func workerThatEndsBeforeItsFirstAnswerDidNotStart() async throws {
        let folder = TemporaryFolder()
        let pool = try await Self.pool("echo 'error while loading shared libraries' >&2; exit 127", in: folder)
        let failure = await #expect(throws: RenderFailure.self) { try await pool.identity() }
        #expect(failure == .cannotStart("ended with code 127: error while loading shared libraries"))
        #expect(failure?.isLasting == false)
        await pool.stop()
    }

    @Test @LoopActor func workerReplacedUnderUsIsRefused() async throws {
        let bench = Bench()
        _ = try await bench.pool.identity()
        let worker = try RawWorker(pid: getpid())
        var order = RenderOrder(
            PageJob(chart: "", page: PageIndex(0), settings: RenderSettings(), outputs: []), tag: RendererTag("raster-0"))
        order.outputs = []
        let chart = try Descriptor.open(bench.chart(.halfBlack), O_RDONLY)
        let reply = try await worker.ask(JobMessage(number: 5, job: .render(order)).encoded(), [chart.number])
        #expect(reply.number == 5)
        #expect(reply.reply == .failed(.rendererChanged(try await bench.pool.identity().tag)))
        await worker.end()
        await bench.pool.stop()
    }

    @Test func ordersSurviveTheSocket() throws {
        let fonts = FontSet(SHA256.digest(of: "fonts"))
        let output = PageJob.Output(.plain, key: Bench.key(.plain), descriptor: 0)
        let page = PageJob(
            chart: "x", page: PageIndex(7), settings: RenderSettings(fullSize: 100), outputs: [output], marks: nil, fonts: fonts)
        let plain = ComposeJob(
            plain: 0, plainKey: "ab", marks: try #require(PageMarks(drawing: [Self.mark])), output: output, fonts: nil)
        var next = plain
        next.previous = ComposeJob.Previous(descriptor: 0, key: "cd", marks: plain.marks)
        let jobs: [JobMessage.Job] = [
            .hello, .describe, .annotations, .render(RenderOrder(page, tag: nil)), .render(RenderOrder(page, tag: RendererTag("ä"))),
            .compose(ComposeOrder(plain, tag: nil)), .compose(ComposeOrder(next, tag: RendererTag("x"))),
        ]
        for job in jobs {
            let message = JobMessage(number: 3, job: job)
            let bytes = try message.encoded()
            #expect(try JobMessage(bytes: bytes) == message)
            // A message that is cut off anywhere, or has more bytes at its end, is refused.
            for count in 0..<bytes.count {
                #expect(throws: RenderFailure.self) { try JobMessage(bytes: Array(bytes[..<count])) }
            }
            #expect(throws: RenderFailure.self) { try JobMessage(bytes: bytes + [0]) }
        }
    }

    private static let mark = Mark(
        id: "1", page: PageIndex(0), kind: .line, color: Color(red: 0, green: 0, blue: 0), width: 2,
        points: [Mark.Point(x: 10, y: 10), Mark.Point(x: 100, y: 100)])

    @Test @LoopActor func questionOfAnotherVersionIsRefused() async throws {
        let worker = try RawWorker(pid: getpid())
        let reply = try await worker.ask(Self.message(version: 999, rest: Array("dance".utf8)), [])
        #expect(reply.reply == .failed(.versionMismatch(ours: JobMessage.currentVersion, theirs: 999)))
        // The worker lives on; the parent decides whether to end it.
        guard case .hello = try await worker.ask(JobMessage(number: 2, job: .hello).encoded(), []).reply else {
            Issue.record("no tag")
            return
        }
        await worker.end()
    }

    @Test @LoopActor func questionsWithTheWrongFilesAreRefused() async throws {
        let worker = try RawWorker(pid: getpid())
        guard case .failed(.malformedReply) = try await worker.ask(JobMessage(number: 1, job: .describe).encoded(), []).reply else {
            Issue.record("described nothing")
            return
        }
        await worker.end()
    }

    @Test @LoopActor func workerEndsWithItsSocket() async throws {
        let worker = try RawWorker(pid: getpid())
        #expect(await worker.end() == .code(0))
    }

    @Test @LoopActor func workerOfAnotherParentEndsAtOnce() async throws {
        let worker = try RawWorker(pid: 1)
        #expect(await worker.child.exit() == .code(1))
        await worker.end()
    }

    @Test @LoopActor func startedByHandItPrintsWhatItIs() async throws {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        let child = try Child.start(Bench.program, environment: [], descriptors: [null.number, null.number, null.number])
        #expect(await child.exit() == .code(2))
    }

    @Test func everyFailureSurvivesTheSocketAndReadsAsASentence() throws {
        let failures: [RenderFailure] = [
            .encrypted, .unreadable("x"), .noPages, .tooManyPages(1), .noSuchPage(PageIndex(2)), .tooLarge(width: 1, height: 2),
            .drawing("x"), .timedOut(seconds: 3), .crashed("x"), .cannotOpen("x"), .cannotWrite(ENOSPC), .cannotStart("x"),
            .versionMismatch(ours: 1, theirs: 2), .rendererChanged(RendererTag("x")), .fontsChanged, .malformedReply("x"), .stopped,
            .cancelled, .heldUp(seconds: 3),
        ]
        for failure in failures {
            let reply = ReplyMessage(number: 1, reply: .failed(failure), warnings: ["ä\n"])
            #expect(try ReplyMessage(bytes: reply.encoded()) == reply)
            #expect(!"\(failure)".isEmpty && !"\(failure)".contains("RenderFailure"))
        }
    }
}

extension [Int] {
    /// The bytes of the numbers, as they lie in memory.
    fileprivate var bytes: [UInt8] { withUnsafeBytes { [UInt8]($0) } }
}

/// A real worker without a pool, to get messages that no pool would send.
@LoopActor
private final class RawWorker {
    let child: Child
    private var socket: Int32

    init(pid: Int32) throws {
        var sockets: [Int32] = [-1, -1]
        #expect(woodshed_message_socket_pair(&sockets) == 0)
        socket = sockets[0]
        let theirs = Descriptor(owning: sockets[1])
        let null = try Descriptor.open("/dev/null", O_RDWR)
        child = try Child.start(
            Bench.program, arguments: ["--parent", "\(pid)"], environment: WorkerOptions(program: "", width: 1).environment,
            descriptors: [null.number, null.number, null.number, theirs.number])
    }

    func ask(_ bytes: [UInt8], _ descriptors: [Int32]) async throws -> ReplyMessage {
        try MessageSocket.send(bytes, descriptors: descriptors, over: socket)
        var watch: DescriptorWatch?
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var waiter: CheckedContinuation<Void, any Error>? = continuation
            do {
                watch = try Loop.shared.watch(socket, for: .read) { _ in
                    waiter?.resume()
                    waiter = nil
                }
            } catch {
                continuation.resume(throwing: error)
            }
        }
        if let watch { Loop.shared.cancel(watch) }
        return try ReplyMessage(bytes: try #require(try MessageSocket.receive(from: socket)).bytes)
    }

    @discardableResult
    func end() async -> Child.Exit {
        close(socket)
        return await child.exit()
    }
}
