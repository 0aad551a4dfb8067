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
        let began: Moment
        /// What the process had computed before.
        let computedBefore: Duration
        var deadline: TimerID
        var complaints = ComplaintBuffer()
        var wasDelivered = true
    }

    private enum Stage {
        case working
        /// It takes no more jobs after its present one.
        case outdated
        /// It is ending; its exit shows why.
        case leaving
        /// It is ending so that another does its job: alone, if it took too much memory.
        case givingBack(alone: Bool)
        /// It is ending, and its job fails with this.
        case failing(RenderFailure)
        case gone
    }

    private let child: Child
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private let channel: WorkerChannel
    private var stage = Stage.working
    private var running: Running?
    private let idling: Alarm
    private let counting: Alarm
    /// How many seconds of computing its job may take.
    private var computing = 0
    private var jobsDone = 0
    private var hasAnswered: Bool { jobsDone > 0 }
    private var ending: Task<Void, Never>?

    var isGone: Bool { if case .gone = stage { true } else { false } }
    /// True from when it is told to end until it has ended; only then is its memory free.
    var isLeaving: Bool {
        switch stage {
        case .working, .outdated: false
        case .leaving, .givingBack, .failing, .gone: true
        }
    }
    /// A job that it could not take because it had ended while idle, or that it gave back: another worker gets it, since the job is not
    /// to blame.
    private(set) var undelivered: Order?
    var isIdle: Bool { running == nil && !isLeaving }
    /// The PDF that it most likely has open.
    private(set) var openChart: String?
    /// Called now and then while it has a job.
    var whileRunning: (@LoopActor () -> Void)?
    var order: Order? { running?.order }
    var pid: Int32 { child.pid }

    /// Starts a process. `changed` is called whenever it becomes idle, and once more when it has ended.
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
        (idling, counting) = (Alarm(clock), Alarm(clock))
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

    /// Gives it a job; the order always gets a result, unless it becomes `undelivered`.
    func run(_ order: Order, number: Int, tag: RendererTag?) {
        idling.cancel()
        do throws(RenderFailure) {
            let (bytes, files) = try order.message(number: number, tag: tag)
            let patience = order.patience.map { Int($0.inSeconds.rounded(.up)) }
            limitComputing(to: min(options.cpuSeconds, patience ?? options.cpuSeconds))
            let deadline = clock.schedule(at: clock.now + options.jobTime) { [self] in
                end(because: .heldUp(seconds: Int(options.jobTime.inSeconds.rounded(.up))))
            }
            countThreads()
            running = Running(number: number, order: order, began: clock.now, computedBefore: computed ?? .zero, deadline: deadline)
            order.worker = self
            do throws(SystemError) {
                try channel.send(bytes, descriptors: files.numbers)
            } catch  where [EPIPE, ECONNRESET, ENOTCONN].contains(error.code) {
                running?.wasDelivered = false
                hangUp()
            } catch {
                // The machine is short of something; the process is unharmed.
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

    private func beginIdling() { idling.set(in: options.idleTime) { [self] in leave() } }

    /// The limit counts from the start of the process, so it is set again for every job.
    private func limitComputing(to seconds: Int) {
        let used = computed.map { Int($0.components.seconds) } ?? -1
        _ = woodshed_limit_process(child.pid, Int32(RLIMIT_CPU.rawValue), Self.computingLimit(after: used, allowing: seconds))
        computing = seconds
    }

    /// How long the process has computed so far; `nil` if its clock cannot be read, or shows an impossible time.
    private var computed: Duration? {
        var id = clockid_t()
        var used = timespec()
        guard clock_getcpuclockid(child.pid, &id) == 0, clock_gettime(id, &used) == 0, (0...Self.longestLife).contains(used.tv_sec)
        else { return nil }
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }

    /// True if it only computes when the machine is otherwise idle.
    var givesWay: Bool { options.isBackground }

    /// True if it gives way, and that has left next to nothing for its job.
    var isStarved: Bool {
        guard givesWay, !isLeaving, let running, let computed else { return false }
        let time = clock.now - running.began
        return time >= Self.longestFast && computed - running.computedBefore < time / 20
    }

    private static let longestFast = Duration.seconds(5)

    /// How many seconds a process may have computed by the end of a job. If its clock shows an impossible time, no limit is set by it,
    /// and only the time by the clock on the wall ends the job.
    nonisolated static func computingLimit(after used: Int, allowing seconds: Int) -> UInt64 {
        guard (0...longestLife).contains(used), (0...longestLife).contains(seconds) else { return UInt64.max }
        return UInt64(used + 1 + seconds)
    }

    /// In seconds of computing: a year.
    private nonisolated static let longestLife = 366 * 86_400

    // MARK: - Threads

    /// Ends a process that starts hundreds of threads. It may start some, since they help to lay out text, and nothing within it can count
    /// them. They are counted once more after its job; then the machine may sleep.
    private func countThreads() {
        counting.set(in: Self.threadRhythm) { [self] in
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
        // The program's name, in brackets, may contain blanks.
        let fields = text.utf8.lastIndex(of: UInt8(ascii: ")")).map { text[$0...].split(separator: " ") } ?? []
        return fields.count > Self.threadField ? Int(fields[Self.threadField]) ?? 0 : 0
    }

    /// Counted from the end of the name.
    private static let threadField = 18

    /// Reads a reply; returns whether the worker is idle now.
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
            // It ended without reading our message.
            running?.wasDelivered = false
            hangUp()
        } catch {
            end(because: error as? RenderFailure ?? .malformedReply("\(error)"))
        }
        return false
    }

    /// It is ending, or has closed its socket; its exit shows which.
    private func hangUp() {
        channel.stopListening()
        if !isLeaving { stage = .leaving }
        child.kill(SIGKILL)
    }

    private func finish(_ reply: ReplyMessage) {
        // Its complaints were written before its answer.
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

    /// True if it can do another job.
    private var mayGoOn: Bool {
        if case .outdated = stage { return false }
        return jobsDone < options.mostJobs && residentMemory <= options.mostMemoryKept
    }

    /// Notes that its job is no longer wanted: it may finish the job within moments, or else is ended.
    func abandonJob() {
        guard running?.order.isAbandoned == false else { return }
        running?.order.isAbandoned = true
        if let deadline = running?.deadline { clock.cancel(deadline) }
        running?.deadline = clock.schedule(at: clock.now + options.graceTime) { [self] in end(because: .cancelled) }
    }

    /// How much of the machine's memory it takes.
    var residentMemory: ByteCount {
        let words = (try? AtomicFile.read("/proc/\(child.pid)/statm", limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
        let pages = words?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return ByteCount(pages * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    private func readComplaints() { channel.readComplaints { running?.complaints.append($0) } }

    // MARK: - The end

    /// Ends it at once; its present job fails for this reason as soon as the process is gone.
    func end(because failure: RenderFailure) {
        switch stage {
        case .failing, .gone: break
        case .working, .outdated, .leaving, .givingBack: stage = .failing(failure)
        }
        child.kill(SIGKILL)
    }

    /// Ends it so that another does its job: alone, if it took too much memory.
    func giveBack(alone: Bool) {
        guard running != nil, !isLeaving else { return }
        stage = .givingBack(alone: alone)
        child.kill(SIGKILL)
    }

    /// Waits until the process is gone and everything of it has been released.
    func ended() async { await ending?.value }

    /// Lets it end as soon as it has no job.
    func leaveWhenDone() {
        if case .working = stage { stage = .outdated }
        leave()
    }

    /// Lets it end: it does so by itself when it finds its socket closed.
    private func leave() {
        guard isIdle else { return }
        stage = .leaving
        channel.shutDown()
        // If a PDF has made it unresponsive, it is killed after a while.
        idling.set(in: options.idleTime) { [self] in child.kill(SIGKILL) }
    }

    private func ended(_ exit: Child.Exit) {
        // Reads what it sent last; or finds that it left our message unread.
        if channel.isHeard { _ = readReply() }
        readComplaints()
        let last = stage
        stage = .gone
        for alarm in [idling, counting] { alarm.cancel() }
        channel.close()
        guard let running = self.running else { return }
        self.running = nil
        clock.cancel(running.deadline)
        if case .failing(let failure) = last { return running.order.finish(.failure(failure)) }
        if !running.order.isAbandoned {
            if case .givingBack(let alone) = last {
                running.order.isLarge = running.order.isLarge || alone
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
        // The end of the agent's session or service may end us first. No page does that.
        if [.signal(SIGTERM), .signal(SIGINT), .signal(SIGHUP)].contains(exit) { return .stopped }
        let how = complaints.lines.last.map { "\(exit): \($0)" } ?? "\(exit)"
        // A worker that exits before its first answer never got to the job: a library is missing, or it is another program.
        if !hasAnswered, case .code = exit { return .cannotStart(how) }
        return .crashed(how)
    }
}

/// A worker's standard error during one job, limited in size: a hostile PDF can make poppler write for ever.
struct ComplaintBuffer {
    private var bytes: [UInt8] = []

    private static let mostBytes = 16 << 10
    private static let mostLines = 20
    private static let longestLine = 300
    /// Complaints of the font library at its start in the sandbox, which concern no page.
    private static let noise: Set = ["Fontconfig error: No writable cache directories"]

    mutating func append(_ more: some Collection<UInt8>) { bytes += more.prefix(Self.mostBytes - bytes.count) }

    /// Its lines, each once, without control characters that a terminal would obey.
    var lines: [String] {
        var seen: Set<String> = []
        let all = bytes.split(separator: UInt8(ascii: "\n")).map { line in
            let text = String(decoding: line.prefix(Self.longestLine), as: UTF8.self)
            return String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        }
        return Array(
            all.filter { !$0.allSatisfy(\.isWhitespace) && !Self.noise.contains($0) && seen.insert($0).inserted }.prefix(Self.mostLines))
    }
}
