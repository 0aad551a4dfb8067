import Glibc

extension Child {
    /// What a program printed, and how it ended.
    public struct Output: Sendable {
        public let bytes: [UInt8]
        /// `nil` if it did not end in time and was killed.
        public let exit: Exit?
    }

    /// Runs a program for what it prints; it may read `input`, a few KiB at most. Its standard error is passed on as it comes, or taken for output, too.
    ///
    /// It leads a process group of its own, which is killed as a whole if the program has not ended after `limit`. Output beyond
    /// `most` bytes is thrown away, so that the program never waits for us.
    public static func output(
        of path: String, arguments: [String], environment: [String], input: [UInt8] = [], within limit: Duration, most: Int = 65536,
        takesErrors: Bool = false, clock: any TimeKeeper
    ) async throws(SystemError) -> Output {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        let reading = Descriptor(owning: ends[0])
        let source = reading.number
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(source, F_SETFL, O_NONBLOCK)
        let child = try start(path, arguments, environment, reading: input, writing: Descriptor(owning: ends[1]), takesErrors)

        let collected = CollectedOutput(source, most: most)
        var hasTimedOut = false
        let timer = clock.schedule(at: clock.now + limit) {
            hasTimedOut = true
            Glibc.kill(-child.pid, SIGKILL)
            child.kill(SIGKILL)
        }
        do {
            try collected.begin()
        } catch {
            clock.cancel(timer)
            Glibc.kill(-child.pid, SIGKILL)
            _ = await child.exit()
            throw error
        }
        let exit = await child.exit()
        clock.cancel(timer)
        let bytes = collected.end()
        _ = consume reading
        return Output(bytes: bytes, exit: hasTimedOut ? nil : exit)
    }

    private static func start(
        _ path: String, _ arguments: [String], _ environment: [String], reading input: [UInt8], writing: consuming Descriptor,
        _ takesErrors: Bool
    ) throws(SystemError) -> Child {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let source = Descriptor(owning: ends[0])
        let sink = Descriptor(owning: ends[1])
        // A pipe holds it, so that nobody waits.
        guard input.isEmpty || Glibc.write(sink.number, input, input.count) == input.count else { throw SystemError("fill a pipe") }
        _ = consume sink
        let errors = takesErrors ? writing.number : 2
        return try start(path, arguments: arguments, environment: environment, descriptors: [source.number, writing.number, errors])
    }
}

/// The output that comes from a pipe.
@LoopActor
private final class CollectedOutput {
    private let source: Int32
    private let most: Int
    private var bytes: [UInt8] = []
    private var watch: DescriptorWatch?

    init(_ source: Int32, most: Int) {
        self.source = source
        self.most = most
    }

    func begin() throws(SystemError) {
        watch = try Loop.shared.watch(source, for: .read) { [weak self] _ in
            // At the end of the stream nothing more can come, but the descriptor would be ready for ever.
            if self?.drain() == true { self?.cancel() }
        }
    }

    /// Everything that was printed: the last of it may arrive together with the news that the program has ended.
    func end() -> [UInt8] {
        cancel()
        drain()
        return bytes
    }

    private func cancel() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
    }

    /// Reads what is there; answers whether that was the end.
    @discardableResult
    private func drain() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(source, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                return errno != EAGAIN
            }
            if count == 0 { return true }
            bytes += chunk[..<min(count, max(0, most - bytes.count))]
        }
    }
}
