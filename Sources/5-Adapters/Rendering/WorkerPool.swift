public import Following
import JSON
public import Model
public import Platform

/// Renders in child processes, since a PDF may come from an untrusted source: a crash or a hang costs only one job.
///
/// Processes are started when there is work, and ended after a while without work. Pages that a screen waits for have a process of
/// their own, separate from those that render ahead. Equal jobs that wait or run at the same time are done once.
@LoopActor
public final class WorkerPool: PageRenderer, PDFMaker, SongDrawer {
    private let live: Crew
    private let background: Crew
    private var knownIdentity: RendererIdentity?
    private var knownGaps: [SandboxGap] = []
    private var isStopped = false

    public let width: Int

    /// Makes a pool; starts no process yet.
    public init(_ options: WorkerOptions, clock: any TimeKeeper = SystemClock()) {
        var single = options
        single.width = 1
        single.isBackground = false
        live = Crew(single, clock: clock)
        background = Crew(options, clock: clock)
        width = options.width
    }

    private var crews: [Crew] { [live, background] }

    package var processes: [Int32] { crews.flatMap { $0.workers.map(\.pid) } }
    public var processCount: Int { processes.count }
    package var startCount: Int { crews.reduce(0) { $0 + $1.startCount } }
    package var requestCount: Int { crews.reduce(0) { $0 + $1.requestCount } }

    public func identity() async throws(RenderFailure) -> RendererIdentity {
        if let knownIdentity { return knownIdentity }
        let reply = try await submit(.hello)
        guard case .hello(let identity, let gaps) = reply.reply else { throw .malformedReply("not an identity") }
        knownIdentity = knownIdentity ?? identity
        knownGaps = gaps
        for crew in crews { crew.tag = knownIdentity?.tag }
        return identity
    }

    /// The gaps in the sandbox of the worker that was last asked for its identity.
    public func gaps() async throws(RenderFailure) -> [SandboxGap] {
        _ = try await identity()
        return knownGaps
    }

    public func describe(chart path: String, in lane: RenderLane) async throws(RenderFailure) -> ChartDescription {
        do {
            let answer = try MemoryFile.create()
            let reply = try await submit(.describe(chart: path, answer: answer.number), in: lane)
            guard case .described = reply.reply else { throw RenderFailure.malformedReply("not a description") }
            let json = try MemoryFile.read(answer.number, limit: ChartDescription.mostBytes)
            guard var description = try? JSONReader.decode(ChartDescription.self, from: json), description.isSound else {
                throw RenderFailure.malformedReply("the description cannot be read")
            }
            description.places = description.places?.possible(pages: description.pages.count)
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

    public func part(_ job: PartJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome { try await bound(.part(job), lane) }

    public func bind(_ job: BindJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome { try await bound(.bind(job), lane) }

    public func draw(_ job: SongJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome { try await bound(.song(job), lane) }

    public func draw(_ job: PictureJob, in lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        try await bound(.picture(job), lane)
    }

    private func bound(_ work: Order.Work, _ lane: RenderLane) async throws(RenderFailure) -> PDFOutcome {
        let reply = try await submit(work, in: lane)
        guard case .bound(let pages, let bytes, let key, let song) = reply.reply, pages > 0, bytes > 0 else {
            throw .malformedReply("not a PDF")
        }
        return PDFOutcome(pages: pages, bytes: bytes, warnings: reply.warnings, key: key, song: song)
    }

    /// Reads the annotations of a PDF as marks. Other programs or our own export may have made the annotations.
    public func annotations(of path: String, in lane: RenderLane) async throws(RenderFailure) -> ImportedMarks {
        let answer: Descriptor
        do {
            answer = try MemoryFile.create()
        } catch {
            throw .cannotStart(error.description)
        }
        let reply = try await submit(.annotations(chart: path, answer: answer.number), in: lane)
        guard case .found(let leftOut) = reply.reply, leftOut.values.allSatisfy({ (1...ImportedMarks.mostBytes).contains($0) }),
            let bytes = try? MemoryFile.read(answer.number, limit: ImportedMarks.mostBytes),
            let marks = MarkCoding.decode(bytes)
        else { throw .malformedReply("not marks") }
        return ImportedMarks(marks: marks, leftOut: leftOut)
    }

    public func follow(_ job: FollowJob, in lane: RenderLane) async throws(RenderFailure) -> [Following.Moved?] {
        let answer: Descriptor
        do {
            answer = try MemoryFile.create()
        } catch {
            throw .cannotStart(error.description)
        }
        let reply = try await submit(.follow(job, answer: answer.number), in: lane)
        guard case .followed = reply.reply, let bytes = try? MemoryFile.read(answer.number, limit: FollowCoding.mostBytes(for: job)),
            let moved = FollowCoding.decode(bytes, for: job.marks)
        else { throw .malformedReply("not marks at other places") }
        return moved
    }

    public func warm() {
        // If the lane has requests, its process is running or about to start.
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
        let request = Request(outputs: work.outputs)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.waiter = continuation
                place(request, for: work, in: lane)
            }
        } onCancel: {
            spawn { [self] in withdraw(request) }
        }
        let reply = try result.get()
        guard case .failed(let failure) = reply.reply else { return reply }
        if failure == .fontsChanged { forgetIdentity() }
        throw failure
    }

    /// Replaces all processes, since one of them found other fonts than were reported before. The next caller gets the new identity.
    private func forgetIdentity() {
        knownIdentity = nil
        for crew in crews { crew.replaceWorkers() }
    }

    /// Adds a request to the order for an equal job or, if there is none, makes an order.
    private func place(_ request: Request, for work: Order.Work, in lane: RenderLane) {
        guard !isStopped else { return request.finish(.failure(.stopped)) }
        guard !Task.isCancelled else { return request.finish(.failure(.cancelled)) }
        if let identity = work.identity, let order = crews.lazy.compactMap({ $0.order(like: identity) }).first {
            order.join(request)
            // The order was waiting in the background, but a screen wants it now.
            if lane == .live, background.remove(order) { live.add(order) }
            return
        }
        do {
            (lane == .live ? live : background).add(try Order(work, for: request))
        } catch {
            request.finish(.failure(.cannotStart(error.description)))
        }
    }

    /// Withdraws a request. If it is the last one for a job, the job is cancelled: a waiting job now, a running one within moments.
    private func withdraw(_ request: Request) {
        guard let order = request.order, order.requests.contains(where: { $0 === request }) else { return }
        if order.requests.count == 1, !crews.contains(where: { $0.remove(order) }) {
            order.worker?.abandonJob()
        } else {
            order.leave(request)
        }
    }
}

/// The workers of one lane, and the orders that are waiting for them.
@LoopActor
final class Crew {
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private var waiting: [Order] = []
    /// The workers whose processes still exist, including those that are ending.
    private(set) var workers: [Worker] = []
    private(set) var startCount = 0
    private var isStopped = false
    private var lastNumber = 0
    /// Until this time, new processes run at normal priority.
    private var fairUntil: Moment?

    /// How long new processes run at normal priority after a job was starved.
    private static let fairTime = Duration.seconds(600)
    /// The tag of the renderer that the images' keys are made for, once it is known.
    var tag: RendererTag?

    init(_ options: WorkerOptions, clock: any TimeKeeper) { (self.options, self.clock) = (options, clock) }

    /// Adds an order at the end of the queue.
    func add(_ order: Order) {
        waiting.append(order)
        dispatch()
    }

    /// Removes an order that is still waiting; returns `false` if the order is not in the queue.
    func remove(_ order: Order) -> Bool {
        guard let place = waiting.firstIndex(where: { $0 === order }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// The orders that are waiting or being worked on.
    private var orders: [Order] { waiting + workers.compactMap(\.order) }

    /// The number of callers who are waiting for an order, even one that is being worked on.
    var requestCount: Int { orders.reduce(0) { $0 + $1.requests.count } }

    /// An order for the same job that another caller can join.
    func order(like identity: JobIdentity) -> Order? { orders.first { $0.identity == identity && $0.canBeShared } }

    func stop() async {
        isStopped = true
        for order in waiting { order.finish(.failure(.stopped)) }
        waiting = []
        for worker in workers { worker.end(because: .stopped) }
        for worker in workers { await worker.ended() }
    }

    /// Ends every idle process.
    func dismissIdle() {
        for worker in workers where worker.isIdle { worker.leaveWhenDone() }
    }

    /// Ends every process after its present job; new ones are started when there is work.
    func replaceWorkers() {
        for worker in workers { worker.leaveWhenDone() }
    }

    /// Gives waiting orders to workers until there are no more orders or no free workers, or the next order must run alone.
    private func dispatch() {
        while let order = waiting.first, mayBegin(order) {
            do {
                guard let worker = try worker(for: order) else { return }
                waiting.removeFirst()
                lastNumber += 1
                worker.run(order, number: lastNumber, tag: tag)
            } catch {
                waiting.removeFirst().finish(.failure(.cannotStart(error.description)))
            }
        }
    }

    /// An idle worker that has the chart open, or else any idle worker, or else a new one; `nil` if all allowed workers are busy.
    private func worker(for order: Order) throws(SystemError) -> Worker? {
        var options = options
        options.isBackground = options.isBackground && fairUntil.map { clock.now >= $0 } ?? true
        for worker in workers where worker.isIdle && worker.givesWay != options.isBackground { worker.leaveWhenDone() }
        let idle = workers.filter(\.isIdle)
        if let worker = idle.first(where: { $0.openChart == order.chart }) ?? idle.first { return worker }
        guard workers.count < options.width else { return nil }
        let worker = try Worker(options, clock: clock) { [weak self] worker in self?.changed(worker) }
        worker.whileRunning = { [weak self] in
            self?.holdMemory()
            self?.claimShare()
        }
        workers.append(worker)
        startCount += 1
        return worker
    }

    /// True if an order may begin now. An order that takes a lot of memory runs alone.
    private func mayBegin(_ order: Order) -> Bool {
        let running = workers.compactMap(\.order)
        return running.isEmpty || !order.isLarge && !running.contains { $0.isLarge }
    }

    /// Frees memory if the processes of this lane together use too much. Ends the idle processes or, if there are none and at least
    /// two are busy, the largest process. The job of that process is done again later, alone.
    private func holdMemory() {
        // An ending worker reports less memory than it holds. So end no others until its memory is free, which takes a moment.
        guard !workers.contains(where: \.isLeaving) else { return }
        let sizes = workers.map { (worker: $0, bytes: $0.residentMemory.bytes) }
        guard sizes.reduce(0, { $0 + $1.bytes }) > options.memoryTogether.bytes else { return }
        let idle = workers.filter(\.isIdle)
        if !idle.isEmpty {
            for worker in idle { worker.leaveWhenDone() }
            return
        }
        let running = sizes.filter { $0.worker.order != nil }
        guard running.count > 1 else { return }
        running.max { $0.bytes < $1.bytes }?.worker.giveBack(alone: true)
    }

    /// Processes that draw ahead compute only when the machine is otherwise idle. If this leaves them almost no time, their jobs
    /// start again at normal priority: even in a busy week, Sunday's pages must be drawn.
    private func claimShare() {
        let starved = workers.filter(\.isStarved)
        guard !starved.isEmpty else { return }
        fairUntil = clock.now + Self.fairTime
        for worker in starved { worker.giveBack(alone: false) }
    }

    private func changed(_ worker: Worker) {
        if worker.isGone { workers.removeAll { $0 === worker } }
        if let order = worker.undelivered {
            if isStopped { order.finish(.failure(.stopped)) } else { waiting.insert(order, at: 0) }
        }
        dispatch()
    }
}
