import FoundationEssentials
public import Model
public import Platform

/// Renders in child processes, since a PDF may come from anywhere: a crash or a hang costs one job.
///
/// Processes are started when there is work, and ended when there has been none for a while. Pages that somebody is looking at have a
/// process of their own, apart from those that render ahead. Equal jobs that wait or run at the same time are done once.
@LoopActor
public final class WorkerPool: PageRenderer {
    private let live: Crew
    private let background: Crew
    private var knownIdentity: RendererIdentity?
    private var knownGaps: [String] = []
    private var isStopped = false

    public let width: Int

    /// Makes a pool; no process is started yet.
    public init(_ options: WorkerOptions, clock: any TimeKeeper = SystemClock()) {
        var single = options
        single.width = 1
        single.isBackground = false
        live = Crew(single, clock: clock)
        background = Crew(options, clock: clock)
        width = options.width
    }

    private var crews: [Crew] { [live, background] }

    /// The present processes.
    package var processes: [Int32] { crews.flatMap { $0.workers.map(\.pid) } }
    public var processCount: Int { processes.count }
    /// How many of them have a job.
    package var busyCount: Int { crews.reduce(0) { $0 + $1.workers.count { !$0.isIdle } } }
    /// How many processes have been started in all.
    package var startCount: Int { crews.reduce(0) { $0 + $1.startCount } }
    /// How many callers wait for something.
    package var requestCount: Int { crews.reduce(0) { $0 + $1.requestCount } }

    public func identity() async throws(RenderFailure) -> RendererIdentity {
        if let knownIdentity { return knownIdentity }
        let reply = try await submit(.hello)
        guard case .hello(let identity) = reply.reply else { throw .malformedReply("not an identity") }
        knownIdentity = knownIdentity ?? identity
        knownGaps = reply.warnings
        for crew in crews { crew.tag = knownIdentity?.tag }
        return identity
    }

    /// What is missing in the workers' sandbox, one sentence each.
    public func gaps() async throws(RenderFailure) -> [String] {
        _ = try await identity()
        return knownGaps
    }

    public func describe(chart path: String) async throws(RenderFailure) -> ChartDescription {
        do {
            let answer = try MemoryFile.create()
            let reply = try await submit(.describe(chart: path, answer: answer.number))
            guard case .described = reply.reply else { throw RenderFailure.malformedReply("not a description") }
            let json = try MemoryFile.read(answer.number, limit: ChartDescription.mostBytes)
            guard var description = try? JSONDecoder().decode(ChartDescription.self, from: Data(json)), description.isSound else {
                throw RenderFailure.malformedReply("the description cannot be read")
            }
            description.warnings += reply.warnings
            return description
        } catch {
            throw error as? RenderFailure ?? .malformedReply("\(error)")
        }
    }

    public func render(_ job: PageJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome {
        let reply = try await submit(.render(job), in: lane)
        guard case .rendered = reply.reply else { throw .malformedReply("not a page") }
        return PageOutcome(warnings: reply.warnings)
    }

    public func compose(_ job: ComposeJob, in lane: RenderLane) async throws(RenderFailure) -> PageOutcome {
        let reply = try await submit(.compose(job), in: lane)
        guard case .rendered = reply.reply else { throw .malformedReply("not a page") }
        return PageOutcome(warnings: reply.warnings)
    }

    public func warm() {
        // A worker that has a job is warm.
        guard !isStopped, live.requestCount == 0 else { return }
        // If this fails, the next job will report it.
        spawn { [self] in _ = try? await submit(.hello, in: .live) }
    }

    public func rest() {
        for crew in crews { crew.dismissIdle() }
    }

    public func stop() async {
        isStopped = true
        for crew in crews { await crew.stop() }
    }

    // MARK: - Orders

    private func submit(_ work: Order.Work, in lane: RenderLane = .background) async throws(RenderFailure) -> ReplyMessage {
        let ticket = Ticket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let request = Request(outputs: work.outputs, waiter: continuation)
                ticket.request = request
                place(request, for: work, in: lane)
            }
        } onCancel: {
            spawn { [self] in
                if let request = ticket.request { withdraw(request) }
            }
        }
        let reply = try result.get()
        guard case .failed(let failure) = reply.reply else { return reply }
        if failure == .fontsChanged { forgetIdentity() }
        throw failure
    }

    /// Some process found other fonts than another had reported: all processes are replaced, and whoever asks next gets the new answer.
    private func forgetIdentity() {
        knownIdentity = nil
        for crew in crews { crew.replaceWorkers() }
    }

    /// Links a waiting task to its request.
    @LoopActor
    private final class Ticket {
        weak var request: Request?
    }

    /// Finds the order that a request belongs to, or makes one.
    private func place(_ request: Request, for work: Order.Work, in lane: RenderLane) {
        guard !isStopped else { return request.finish(.failure(.stopped)) }
        guard !Task.isCancelled else { return request.finish(.failure(.cancelled)) }
        if let identity = work.identity, let order = crews.lazy.compactMap({ $0.order(like: identity) }).first {
            order.join(request)
            // What was to be made ahead is wanted on a screen now.
            if lane == .live, background.remove(order) { live.add(order) }
            return
        }
        do {
            (lane == .live ? live : background).add(try Order(work, for: request))
        } catch {
            request.finish(.failure(.cannotStart(error.description)))
        }
    }

    /// Withdraws a request. The last one for a job cancels the job, even in the worker if it is not finished within moments.
    private func withdraw(_ request: Request) {
        guard let order = request.order, order.requests.contains(where: { $0 === request }) else { return }
        if order.requests.count == 1, !crews.contains(where: { $0.remove(order) }) {
            order.worker?.abandonJob()
        } else {
            order.leave(request)
        }
    }
}
