import CShims
import Glibc
import Model
import Platform

/// One `woodshed-render` process with at most one job, which it must answer in time.
@LoopActor
final class Worker {
    private struct Running {
        let number: Int
        let order: Order
        var deadline: TimerID
        var complaints = ComplaintBuffer()
        var wasDelivered = true
    }

    /// What can be asked of it.
    private enum Stage {
        case working
        /// It takes no more jobs after the one that it has.
        case outdated
        /// It is ending, for a reason that its own end does not tell.
        case leaving(Reason?)
        /// Its process has ended.
        case gone
    }

    private enum Reason {
        /// Its job is to be done later, alone.
        case crowdedOut
        /// Its job fails of this.
        case failure(RenderFailure)
    }

    private let child: Child
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private let channel: WorkerChannel
    private var stage = Stage.working
    private var running: Running?
    private var idleTimer: TimerID?
    private var threadTimer: TimerID?
    /// How many seconds of computing its job was given.
    private var computing = 0
    private var jobsDone = 0
    private var hasAnswered: Bool { jobsDone > 0 }
    private var ending: Task<Void, Never>?

    /// Whether its process has ended.
    var isGone: Bool { if case .gone = stage { true } else { false } }
    /// Whether it is ending, or has ended.
    private var isLeaving: Bool {
        switch stage {
        case .working, .outdated: false
        case .leaving, .gone: true
        }
    }
    /// The job that it was given when it had ended while idle, or that is to be done alone: another worker's, since the job is not to
    /// blame.
    private(set) var undelivered: Order?
    /// Whether it can be given a job.
    var isIdle: Bool { running == nil && !isLeaving }
    /// The PDF that it most likely has open.
    private(set) var openChart: String?
    /// Called now and then while it has a job.
    var whileRunning: (@LoopActor () -> Void)?
    /// The job that it has.
    var order: Order? { running?.order }
    var pid: Int32 { child.pid }

    /// Starts a process. `changed` is called whenever it has become idle, and once more when it has ended.
    init(_ options: WorkerOptions, clock: any TimeKeeper, changed: @escaping @LoopActor (Worker) -> Void) throws(SystemError) {
        let null = try Descriptor.open("/dev/null", O_RDWR)
        var arguments = ["--parent", String(getpid()), "--address-space", String(options.addressSpace.bytes)]
        if options.isBackground { arguments.append("--background") }
        for wall in options.omittedWalls { arguments += ["--without", wall] }
        var started: Child?
        channel = try WorkerChannel { (errors, socket) throws(SystemError) in
            started = try Child.start(
                options.program, arguments: arguments, environment: options.environment,
                descriptors: [null.number, null.number, errors, socket])
        }
        let child = started!
        self.child = child
        self.options = options
        self.clock = clock
        ending = spawn { [self] in
            let exit = await child.exit()
            ended(exit)
            changed(self)
        }
        do {
            try channel.listen(complaints: { [self] in readComplaints() }, reply: { [self] in if readReply() { changed(self) } })
        } catch {
            child.kill(SIGKILL)
            throw error
        }
    }

    // MARK: - Jobs

    /// Gives it a job; the order hears of the end in every case but one, in which it becomes `undelivered`.
    func run(_ order: Order, number: Int, tag: RendererTag?) {
        if let idleTimer { clock.cancel(idleTimer) }
        idleTimer = nil
        do throws(RenderFailure) {
            let (bytes, files) = try order.message(number: number, tag: tag)
            let patience = order.patience.map { Int($0.inSeconds.rounded(.up)) }
            limitComputing(to: min(options.cpuSeconds, patience ?? options.cpuSeconds))
            let deadline = clock.schedule(at: clock.now + options.jobTime) { [self] in
                end(because: .heldUp(seconds: Int(options.jobTime.inSeconds.rounded(.up))))
            }
            countThreads()
            running = Running(number: number, order: order, deadline: deadline)
            order.worker = self
            do throws(SystemError) {
                try channel.send(bytes, descriptors: files.numbers)
            } catch  where [EPIPE, ECONNRESET, ENOTCONN].contains(error.code) {
                running?.wasDelivered = false
                hangUp()
            } catch {
                // The machine is short of something; the process is none the worse for it.
                running = nil
                clock.cancel(deadline)
                order.worker = nil
                throw .cannotStart(error.description)
            }
        } catch {
            order.finish(.failure(error))
            beginIdling()
        }
    }

    private func beginIdling() {
        idleTimer = clock.schedule(at: clock.now + options.idleTime) { [self] in leave() }
    }

    /// The limit counts from the process's birth, so it is set anew for every job.
    private func limitComputing(to seconds: Int) {
        var id = clockid_t()
        var used = timespec()
        guard clock_getcpuclockid(child.pid, &id) == 0, clock_gettime(id, &used) == 0 else { return }
        _ = woodshed_limit_process(child.pid, Int32(RLIMIT_CPU.rawValue), Self.computingLimit(after: used.tv_sec, allowing: seconds))
        computing = seconds
    }

    /// What a process may have computed by the end of a job, in seconds. Where its clock says what cannot be, there is no limit to
    /// set by it, and the time on the wall alone ends the job.
    nonisolated static func computingLimit(after used: Int, allowing seconds: Int) -> UInt64 {
        guard (0...longestLife).contains(used), (0...longestLife).contains(seconds) else { return UInt64.max }
        return UInt64(used + 1 + seconds)
    }

    /// In seconds of computing: a year.
    private nonisolated static let longestLife = 366 * 86_400

    // MARK: - Threads

    /// Ends a process that starts threads by the hundred. It may start some, for text is laid out with their help, and nothing
    /// within it can count them. Once more after its job, too; then it lets the machine sleep.
    private func countThreads() {
        if let threadTimer { clock.cancel(threadTimer) }
        threadTimer = clock.schedule(at: clock.now + Self.threadRhythm) { [self] in
            threadTimer = nil
            guard !isGone else { return }
            let count = threadCount
            guard count <= options.mostThreads else {
                return end(because: .crashed("was ended because it had \(count) threads"))
            }
            guard running != nil else { return }
            countThreads()
            whileRunning?()
        }
    }

    private static let threadRhythm = Duration.milliseconds(250)

    private var threadCount: Int {
        let text = (try? AtomicFile.read("/proc/\(child.pid)/stat", limit: 4096)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        // The program's name, in brackets, may hold blanks.
        let fields = text.utf8.lastIndex(of: UInt8(ascii: ")")).map { text[$0...].split(separator: " ") } ?? []
        return fields.count > Self.threadField ? Int(fields[Self.threadField]) ?? 0 : 0
    }

    /// Counted from the end of the name.
    private static let threadField = 18

    /// Reads a reply; answers whether the worker is idle by it.
    private func readReply() -> Bool {
        do {
            guard let bytes = try channel.receive() else {
                hangUp()
                return false
            }
            let reply = try ReplyMessage(bytes: bytes)
            guard let running, running.number == reply.number else { throw RenderFailure.malformedReply("it does not match any request") }
            jobsDone += 1
            finish(reply)
            return true
        } catch let error as SystemError where error.code == EAGAIN {
            return false
        } catch let error as SystemError where error.code == ECONNRESET {
            // It went with our message unread.
            running?.wasDelivered = false
            hangUp()
        } catch {
            end(because: error as? RenderFailure ?? .malformedReply("\(error)"))
        }
        return false
    }

    /// It is ending, or has closed what it lives by; its exit tells which.
    private func hangUp() {
        channel.stopListening()
        if !isLeaving { stage = .leaving(nil) }
        child.kill(SIGKILL)
    }

    private func finish(_ reply: ReplyMessage) {
        // What it complained about was written before it answered.
        readComplaints()
        guard let running = self.running else { return }
        self.running = nil
        clock.cancel(running.deadline)
        openChart = running.order.chart ?? openChart
        var reply = reply
        reply.warnings += running.complaints.lines
        running.order.finish(.success(reply))
        if mayGoOn { beginIdling() } else { leave() }
    }

    /// Whether it is worth another job.
    private var mayGoOn: Bool {
        if case .outdated = stage { return false }
        return jobsDone < options.jobsPerProcess && residentMemory <= options.residentMemory
    }

    /// Nobody waits for its job any more: it may finish it within moments, else it is ended.
    func abandonJob() {
        guard running?.order.isAbandoned == false else { return }
        running?.order.isAbandoned = true
        if let deadline = running?.deadline { clock.cancel(deadline) }
        running?.deadline = clock.schedule(at: clock.now + options.graceTime) { [self] in end(because: .cancelled) }
    }

    /// What it holds of the machine's memory.
    var residentMemory: ByteCount {
        let words = (try? AtomicFile.read("/proc/\(child.pid)/statm", limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
        let pages = words?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return ByteCount(pages * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    private func readComplaints() {
        channel.readComplaints { running?.complaints.append($0) }
    }

    // MARK: - The end

    /// Ends it at once; a job that runs fails for this reason as soon as the process is gone.
    func end(because failure: RenderFailure) {
        switch stage {
        case .leaving(.failure), .gone: break
        case .working, .outdated, .leaving: stage = .leaving(.failure(failure))
        }
        child.kill(SIGKILL)
    }

    /// Ends it so that its job is done later, alone.
    func crowdOut() {
        guard running != nil, !isLeaving else { return }
        stage = .leaving(.crowdedOut)
        child.kill(SIGKILL)
    }

    /// Waits until the process is gone and everything of it is given back.
    func ended() async {
        await ending?.value
    }

    /// Lets it go as soon as it has no job.
    func leaveWhenDone() {
        if case .working = stage { stage = .outdated }
        leave()
    }

    /// Lets it go: it ends by itself when it finds its socket closed.
    private func leave() {
        guard isIdle else { return }
        stage = .leaving(nil)
        channel.shutDown()
        // One that a PDF has made deaf is not waited for.
        idleTimer = clock.schedule(at: clock.now + options.idleTime) { [self] in child.kill(SIGKILL) }
    }

    private func ended(_ exit: Child.Exit) {
        // What it said last, or left unread.
        if channel.isHeard { _ = readReply() }
        readComplaints()
        let reason: Reason? = if case .leaving(let reason) = stage { reason } else { nil }
        stage = .gone
        for timer in [idleTimer, threadTimer] { if let timer { clock.cancel(timer) } }
        channel.close()
        guard let running = self.running else { return }
        self.running = nil
        clock.cancel(running.deadline)
        if case .failure(let failure) = reason { return running.order.finish(.failure(failure)) }
        if !running.order.isAbandoned {
            if case .crowdedOut = reason {
                running.order.isLarge = true
                undelivered = running.order
                return
            }
            if hasAnswered, !running.wasDelivered {
                undelivered = running.order
                return
            }
        }
        running.order.finish(.failure(failure(exit, running.complaints)))
    }

    private func failure(_ exit: Child.Exit, _ complaints: ComplaintBuffer) -> RenderFailure {
        if exit == .signal(SIGXCPU) { return .timedOut(seconds: computing) }
        // Whoever ends the agent's session or service may end us first. No page does that.
        if [.signal(SIGTERM), .signal(SIGINT), .signal(SIGHUP)].contains(exit) { return .stopped }
        let how = complaints.lines.last.map { "\(exit): \($0)" } ?? "\(exit)"
        // One that ends by itself before its first answer never got to the job: a library is missing, or the program is another.
        if !hasAnswered, case .code = exit { return .cannotStart(how) }
        return .crashed(how)
    }
}
