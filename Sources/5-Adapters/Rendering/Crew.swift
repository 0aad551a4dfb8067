import Model
import Platform

/// The workers of one lane, and the orders that wait for them.
@LoopActor
final class Crew {
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private var waiting: [Order] = []
    /// The workers that are not gone yet; one that was ended counts until it is gone.
    private(set) var workers: [Worker] = []
    /// How many processes have been started in all.
    private(set) var startCount = 0
    private var isStopped = false
    private var lastNumber = 0
    /// The tag that the images' keys are made with, once it is known.
    var tag: RendererTag?

    init(_ options: WorkerOptions, clock: any TimeKeeper) {
        self.options = options
        self.clock = clock
    }

    /// Adds an order, to be done after those that are already waiting.
    func add(_ order: Order) {
        waiting.append(order)
        dispatch()
    }

    /// Removes an order that no worker has yet; answers whether there was one.
    func remove(_ order: Order) -> Bool {
        guard let place = waiting.firstIndex(where: { $0 === order }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// The orders that are waiting or being worked on.
    private var orders: [Order] { waiting + workers.compactMap(\.order) }

    /// How many callers wait for the orders.
    var requestCount: Int { orders.reduce(0) { $0 + $1.requests.count } }

    /// The order that is for the same job.
    func order(like identity: JobIdentity) -> Order? {
        orders.first { $0.identity == identity && $0.canBeShared }
    }

    /// Ends everything.
    func stop() async {
        isStopped = true
        for order in waiting { order.finish(.failure(.stopped)) }
        waiting = []
        for worker in workers { worker.end(because: .stopped) }
        for worker in workers { await worker.ended() }
    }

    /// Lets every process end that has nothing to do.
    func dismissIdle() {
        for worker in workers where worker.isIdle { worker.leaveWhenDone() }
    }

    /// Lets every process end as soon as it has finished its job; others take their places when there is work.
    func replaceWorkers() {
        for worker in workers { worker.leaveWhenDone() }
    }

    /// Hands out jobs for as long as there are both jobs and workers.
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

    /// An idle worker that has the chart open, or else any idle one, or else a new one if there may be more.
    private func worker(for order: Order) throws(SystemError) -> Worker? {
        let idle = workers.filter(\.isIdle)
        if let worker = idle.first(where: { $0.openChart == order.chart }) ?? idle.first { return worker }
        guard workers.count < options.width else { return nil }
        let worker = try Worker(options, clock: clock) { [weak self] worker in self?.changed(worker) }
        worker.whileRunning = { [weak self] in self?.holdMemory() }
        workers.append(worker)
        startCount += 1
        return worker
    }

    /// Whether an order may begin now: one that takes a lot of memory is done alone.
    private func mayBegin(_ order: Order) -> Bool {
        let running = workers.compactMap(\.order)
        return running.isEmpty || !order.isLarge && !running.contains { $0.isLarge }
    }

    /// If all processes together take up too much of the machine's memory, those that have nothing to do are ended; if there are none,
    /// the largest one, and its job is done again later, alone.
    private func holdMemory() {
        let sizes = workers.map { (worker: $0, bytes: $0.residentMemory.bytes) }
        guard sizes.reduce(0, { $0 + $1.bytes }) > options.memoryTogether.bytes else { return }
        let idle = workers.filter(\.isIdle)
        if !idle.isEmpty {
            for worker in idle { worker.leaveWhenDone() }
            return
        }
        let running = sizes.filter { $0.worker.order != nil }
        guard running.count > 1 else { return }
        running.max { $0.bytes < $1.bytes }?.worker.crowdOut()
    }

    private func changed(_ worker: Worker) {
        if worker.isGone { workers.removeAll { $0 === worker } }
        if let order = worker.undelivered {
            if isStopped { order.finish(.failure(.stopped)) } else { waiting.insert(order, at: 0) }
        }
        dispatch()
    }
}
