import CShims
import Glibc
import Model
import Platform

/// One `woodshed-render` process. It has at most one job at a time, which must be answered within a time limit.
@LoopActor
final class Worker {
    private struct Running {
        let number: Int
        let order: Order
        let began: Moment
        /// The process's computing time when this job began.
        let computedBefore: Duration
        var deadline: TimerID
        var complaints = ComplaintBuffer()
        var wasDelivered = true
    }

    private enum Stage {
        case working
        /// The worker takes no more jobs after its present one.
        case outdated
        /// The process is ending. Its exit status will show why.
        case leaving
        /// The process is ending so that another worker can do its job. If the job took too much memory, it will run alone there.
        case givingBack(alone: Bool)
        /// The process is ending, and its job fails with this failure.
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
    /// The limit for the present job's computing time, in seconds.
    private var computing = 0
    private var jobsDone = 0
    private var hasAnswered: Bool { jobsDone > 0 }
    private var ending: Task<Void, Never>?

    var isGone: Bool { if case .gone = stage { true } else { false } }
    /// True once the process has been asked to end. Its memory is free only once it has ended.
    var isLeaving: Bool {
        switch stage {
        case .working, .outdated: false
        case .leaving, .givingBack, .failing, .gone: true
        }
    }
    /// A job for another worker: either this process had ended while idle, before it read the job, or it was ended to give the job
    /// back. In both cases the job is not to blame.
    private(set) var undelivered: Order?
    var isIdle: Bool { running == nil && !isLeaving }
    /// The PDF that the process most likely has open, because its last job with a PDF used it.
    private(set) var openChart: String?
    /// Called about every `threadRhythm` while the worker has a job.
    var whileRunning: (@LoopActor () -> Void)?
    var order: Order? { running?.order }
    var pid: Int32 { child.pid }

    /// Starts a process. `changed` is called whenever the worker has finished a job, and once more when the process has ended.
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

    /// Sends a job to the process. The order always gets a result, unless the job becomes `undelivered`.
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
                // The system is short of some resource. The process is unharmed.
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

    /// Sets the limit of computing time for a new job. The system counts from the start of the process, so each job needs a higher limit.
    private func limitComputing(to seconds: Int) {
        let used = computed.map { Int($0.components.seconds) } ?? -1
        _ = woodshed_limit_process(child.pid, Int32(RLIMIT_CPU.rawValue), Self.computingLimit(after: used, allowing: seconds))
        computing = seconds
    }

    /// The process's computing time so far; `nil` if it cannot be read or is impossible.
    private var computed: Duration? {
        var id = clockid_t()
        var used = timespec()
        guard clock_getcpuclockid(child.pid, &id) == 0, clock_gettime(id, &used) == 0, (0...Self.longestLife).contains(used.tv_sec)
        else { return nil }
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }

    /// True if the process computes only when the machine is otherwise idle.
    var givesWay: Bool { options.isBackground }

    /// True if the machine's other work has left a process at low priority less than a twentieth of the time since its job began.
    var isStarved: Bool {
        guard givesWay, !isLeaving, let running, let computed else { return false }
        let time = clock.now - running.began
        return time >= Self.longestFast && computed - running.computedBefore < time / 20
    }

    private static let longestFast = Duration.seconds(5)

    /// The total seconds that a process may have computed by the end of a job. If either number is impossible, the result sets no
    /// limit, and only the deadline by the wall clock ends the job.
    nonisolated static func computingLimit(after used: Int, allowing seconds: Int) -> UInt64 {
        guard (0...longestLife).contains(used), (0...longestLife).contains(seconds) else { return UInt64.max }
        return UInt64(used + 1 + seconds)
    }

    /// The longest possible computing time, in seconds: a year.
    private nonisolated static let longestLife = 366 * 86_400

    // MARK: - Threads

    /// Ends a process that has too many threads. A few are needed to lay out text, and the process cannot count them itself. The threads
    /// are counted once more after the job. Then the timer stops, so that the machine can sleep.
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
        // The program's name, in brackets, may contain spaces.
        let fields = text.utf8.lastIndex(of: UInt8(ascii: ")")).map { text[$0...].split(separator: " ") } ?? []
        return fields.count > Self.threadField ? Int(fields[Self.threadField]) ?? 0 : 0
    }

    /// The index of the number of threads, counted from the bracket that ends the name.
    private static let threadField = 18

    /// Reads a reply. Returns whether a job was finished.
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
            // The process ended without reading our message, so the job was not delivered.
            running?.wasDelivered = false
            hangUp()
        } catch {
            end(because: error as? RenderFailure ?? .malformedReply("\(error)"))
        }
        return false
    }

    /// Kills a process that has closed its socket or is ending. Its exit status will show why it ended.
    private func hangUp() {
        channel.stopListening()
        if !isLeaving { stage = .leaving }
        child.kill(SIGKILL)
    }

    private func finish(_ reply: ReplyMessage) {
        // The process wrote its complaints before its reply, so they can all be read now.
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

    /// True if the worker can do another job.
    private var mayGoOn: Bool {
        if case .outdated = stage { return false }
        return jobsDone < options.mostJobs && residentMemory <= options.mostMemoryKept
    }

    /// Notes that the present job is no longer wanted. If the job does not finish within `graceTime`, the process is killed.
    func abandonJob() {
        guard running?.order.isAbandoned == false else { return }
        running?.order.isAbandoned = true
        if let deadline = running?.deadline { clock.cancel(deadline) }
        running?.deadline = clock.schedule(at: clock.now + options.graceTime) { [self] in end(because: .cancelled) }
    }

    /// The memory that the process has in use; 0 if it cannot be read.
    var residentMemory: ByteCount {
        let words = (try? AtomicFile.read("/proc/\(child.pid)/statm", limit: 4096)).map { String(decoding: $0, as: UTF8.self) }
        let pages = words?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return ByteCount(pages * Int(sysconf(Int32(_SC_PAGESIZE))))
    }

    private func readComplaints() { channel.readComplaints { running?.complaints.append($0) } }

    // MARK: - The end

    /// Kills the process. Its present job fails for this reason once the process is gone.
    func end(because failure: RenderFailure) {
        switch stage {
        case .failing, .gone: break
        case .working, .outdated, .leaving, .givingBack: stage = .failing(failure)
        }
        child.kill(SIGKILL)
    }

    /// Kills the process so that another worker can do its job. `alone` states that the job took too much memory to run with others.
    func giveBack(alone: Bool) {
        guard running != nil, !isLeaving else { return }
        stage = .givingBack(alone: alone)
        child.kill(SIGKILL)
    }

    /// Waits until the process is gone and all its resources are released.
    func ended() async { await ending?.value }

    /// Ends the process as soon as it has no job, and gives it no more jobs.
    func leaveWhenDone() {
        if case .working = stage { stage = .outdated }
        leave()
    }

    /// Closes the socket of an idle process. The process then ends by itself.
    private func leave() {
        guard isIdle else { return }
        stage = .leaving
        channel.shutDown()
        // If the process does not end by itself, because a PDF has made it unresponsive, it is killed after a while.
        idling.set(in: options.idleTime) { [self] in child.kill(SIGKILL) }
    }

    private func ended(_ exit: Child.Exit) {
        // Read the last reply. If there is none, the error of reading shows whether the process ended without reading our message.
        if channel.isReceiving { _ = readReply() }
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
        // At the end of a session or service, the system may end workers before the agent. No page causes these signals.
        if [.signal(SIGTERM), .signal(SIGINT), .signal(SIGHUP)].contains(exit) { return .stopped }
        let how = complaints.lines.last.map { "\(exit): \($0)" } ?? "\(exit)"
        // A process that exits before its first reply never began the job: a library is missing, or the program is not our renderer.
        if !hasAnswered, case .code = exit { return .cannotStart(how) }
        return .crashed(how)
    }
}

/// The standard error of a worker during one job, limited in size, since a malicious PDF can make poppler write endlessly.
struct ComplaintBuffer {
    private var bytes: [UInt8] = []

    private static let mostBytes = 16 << 10
    private static let mostLines = 20
    private static let longestLine = 300
    /// A complaint of the font library when it starts in the sandbox. It concerns no page.
    private static let noise: Set = ["Fontconfig error: No writable cache directories"]

    mutating func append(_ more: some Collection<UInt8>) { bytes += more.prefix(Self.mostBytes - bytes.count) }

    /// The first 20 different lines, cut to 300 bytes, without control characters that a terminal would obey.
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
