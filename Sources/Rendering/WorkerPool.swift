import FoundationEssentials
public import Model
public import Platform

/// Renders in child processes, since a PDF comes from anywhere: a crash or a hang costs one job.
///
/// Processes are started when there is work and let go when there has been none for a while.
@LoopActor
public final class WorkerPool: PageRenderer {
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private var waiting: [Order] = []
    /// Those that are not gone yet; one that was ended counts until it is.
    private var workers: [Worker] = []
    private var knownIdentity: RendererIdentity?
    private var isStopped = false
    private var lastNumber = 0

    /// Makes a pool; no process is started yet.
    public init(_ options: WorkerOptions, clock: any TimeKeeper = SystemClock()) {
        self.options = options
        self.clock = clock
    }

    public var width: Int { options.width }

    /// The processes there are.
    package var processes: [Int32] { workers.map(\.pid) }
    /// How many of them have a job.
    package var busyCount: Int { workers.count { !$0.isIdle } }

    public func identity() async throws(RenderFailure) -> RendererIdentity {
        if let knownIdentity { return knownIdentity }
        let reply = try await submit(.hello)
        guard case .hello(let identity) = reply.reply else { throw .malformedReply("not an identity") }
        knownIdentity = knownIdentity ?? identity
        return identity
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

    public func render(_ job: PageJob) async throws(RenderFailure) -> PageOutcome {
        let reply = try await submit(.render(job))
        guard case .rendered = reply.reply else { throw .malformedReply("not a page") }
        return PageOutcome(warnings: reply.warnings)
    }

    public func stop() async {
        isStopped = true
        for order in waiting { order.finish(.failure(.stopped)) }
        waiting = []
        for worker in workers { worker.end(because: .stopped) }
        for worker in workers { await worker.ended() }
    }

    // MARK: - The queue

    private func submit(_ work: Order.Work) async throws(RenderFailure) -> ReplyMessage {
        let ticket = Ticket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let order = Order(work, waiter: continuation)
                guard !isStopped else { return order.finish(.failure(.stopped)) }
                guard !Task.isCancelled else { return order.finish(.failure(.cancelled)) }
                ticket.order = order
                waiting.append(order)
                dispatch()
            }
        } onCancel: {
            spawn { [self] in withdraw(ticket) }
        }
        let reply = try result.get()
        if case .failed(let failure) = reply.reply { throw failure }
        return reply
    }

    /// Links a waiting task to its order.
    @LoopActor
    private final class Ticket {
        weak var order: Order?
    }

    /// Takes back an order that no worker has yet.
    private func withdraw(_ ticket: Ticket) {
        guard let place = waiting.firstIndex(where: { $0 === ticket.order }) else { return }
        waiting.remove(at: place).finish(.failure(.cancelled))
    }

    /// Hands out jobs for as long as there are both jobs and workers.
    private func dispatch() {
        while let order = waiting.first, !isStopped {
            do {
                guard let worker = try worker(for: order) else { return }
                waiting.removeFirst()
                lastNumber += 1
                worker.run(order, number: lastNumber, tag: knownIdentity?.tag)
            } catch {
                waiting.removeFirst().finish(.failure(.cannotStart(error.description)))
            }
        }
    }

    /// An idle worker that has the chart open, else any idle one, else a new one if there may be more.
    private func worker(for order: Order) throws(SystemError) -> Worker? {
        let idle = workers.filter(\.isIdle)
        if let worker = idle.first(where: { $0.openChart == order.chart }) ?? idle.first { return worker }
        guard workers.count < options.width else { return nil }
        let worker = try Worker(options, clock: clock) { [weak self] worker in
            guard let self else { return }
            if worker.isGone { workers.removeAll { $0 === worker } }
            if let order = worker.undelivered { waiting.insert(order, at: 0) }
            dispatch()
        }
        workers.append(worker)
        return worker
    }
}
