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

    private let child: Child
    private let options: WorkerOptions
    private let clock: any TimeKeeper
    private let socket: Descriptor
    private let errors: Descriptor
    private var socketWatch: DescriptorWatch?
    private var errorsWatch: DescriptorWatch?
    private var running: Running?
    private var idleTimer: TimerID?
    private var threadTimer: TimerID?
    /// How many seconds of computing its job was given.
    private var computing = 0
    /// Why we ended it, when its own end does not tell.
    private var verdict: RenderFailure?
    private var isLeaving = false
    private var isCrowdedOut = false
    /// Whether it may take no more jobs.
    private var isOutdated = false
    private var jobsDone = 0
    private var hasAnswered: Bool { jobsDone > 0 }
    private var ending: Task<Void, Never>?

    /// Whether its process has ended.
    private(set) var isGone = false
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
        let sockets = try Self.pair("make a socket") { woodshed_message_socket_pair($0) }
        socket = Descriptor(owning: sockets.0)
        let theirs = Descriptor(owning: sockets.1)
        let pipes = try Self.pair("make a pipe") { pipe($0) }
        errors = Descriptor(owning: pipes.0)
        let writing = Descriptor(owning: pipes.1)
        for number in [sockets.0, pipes.0] { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
        for number in [pipes.0, pipes.1] { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }

        var arguments = ["--parent", String(getpid()), "--address-space", String(options.addressSpace.bytes)]
        if options.isBackground { arguments.append("--background") }
        for wall in options.omittedWalls { arguments += ["--without", wall] }
        let child = try Child.start(
            options.program, arguments: arguments, environment: options.environment,
            descriptors: [null.number, null.number, writing.number, theirs.number])
        self.child = child
        self.options = options
        self.clock = clock
        ending = spawn { [self] in
            let exit = await child.exit()
            ended(exit)
            changed(self)
        }
        do {
            errorsWatch = try Loop.shared.watch(errors.number, for: .read) { [self] _ in readComplaints() }
            socketWatch = try Loop.shared.watch(socket.number, for: .read) { [self] _ in
                if readReply() { changed(self) }
            }
        } catch {
            child.kill(SIGKILL)
            throw error
        }
    }

    private static func pair(
        _ what: String, _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> (Int32, Int32) {
        var numbers: [Int32] = [-1, -1]
        guard make(&numbers) == 0 else { throw SystemError(what) }
        return (numbers[0], numbers[1])
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
                try MessageSocket.send(bytes, descriptors: files.numbers, over: socket.number)
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
                return end(because: .crashed("was ended, for it had \(count) threads"))
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
            guard let (bytes, _) = try MessageSocket.receive(from: socket.number) else {
                hangUp()
                return false
            }
            let reply = try ReplyMessage(bytes: bytes)
            guard let running, running.number == reply.number else { throw RenderFailure.malformedReply("it answers no question") }
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
        if let socketWatch { Loop.shared.cancel(socketWatch) }
        socketWatch = nil
        isLeaving = true
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
        if isOutdated || jobsDone >= options.jobsPerProcess || residentMemory > options.residentMemory { leave() } else { beginIdling() }
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
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(errors.number, $0.baseAddress, $0.count) }
            if count > 0 {
                running?.complaints.append(chunk[..<count])
            } else if count == 0 {
                // Closed: reading on would find the end for ever.
                if let errorsWatch { Loop.shared.cancel(errorsWatch) }
                errorsWatch = nil
                return
            } else if errno != EINTR {
                return
            }
        }
    }

    // MARK: - The end

    /// Ends it at once; a job that runs fails for this reason as soon as the process is gone.
    func end(because failure: RenderFailure) {
        verdict = verdict ?? failure
        isLeaving = true
        child.kill(SIGKILL)
    }

    /// Ends it so that its job is done later, alone.
    func crowdOut() {
        guard running != nil, !isLeaving else { return }
        isCrowdedOut = true
        isLeaving = true
        child.kill(SIGKILL)
    }

    /// Waits until the process is gone and everything of it is given back.
    func ended() async {
        await ending?.value
    }

    /// Lets it go as soon as it has no job.
    func leaveWhenDone() {
        isOutdated = true
        leave()
    }

    /// Lets it go: it ends by itself when it finds its socket closed.
    private func leave() {
        guard isIdle else { return }
        isLeaving = true
        shutdown(socket.number, Int32(SHUT_RDWR))
        // One that a PDF has made deaf is not waited for.
        idleTimer = clock.schedule(at: clock.now + options.idleTime) { [self] in child.kill(SIGKILL) }
    }

    private func ended(_ exit: Child.Exit) {
        // What it said last, or left unread.
        if socketWatch != nil { _ = readReply() }
        readComplaints()
        isGone = true
        isLeaving = true
        for timer in [idleTimer, threadTimer] { if let timer { clock.cancel(timer) } }
        for watch in [socketWatch, errorsWatch] { if let watch { Loop.shared.cancel(watch) } }
        socketWatch = nil
        errorsWatch = nil
        guard let running = self.running else { return }
        self.running = nil
        clock.cancel(running.deadline)
        if isCrowdedOut, verdict == nil, !running.order.isAbandoned {
            running.order.isLarge = true
            undelivered = running.order
            return
        }
        if hasAnswered, !running.wasDelivered, verdict == nil, !running.order.isAbandoned {
            undelivered = running.order
            return
        }
        running.order.finish(.failure(verdict ?? failure(exit, running.complaints)))
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
