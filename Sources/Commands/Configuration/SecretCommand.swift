import Glibc
import Platform

/// A shell command that is run once for the first line that it prints.
///
/// It reads nothing, and what it says on standard error is shown as it comes.
@LoopActor
final class SecretCommand {
    private let command: String
    private let environment: Environment
    private let clock: any TimeKeeper
    private var collected: [UInt8] = []

    init(_ command: String, environment: Environment, clock: any TimeKeeper) {
        self.command = command
        self.environment = environment
        self.clock = clock
    }

    /// Its first line, without the line break; it is killed when it has not ended after `limit`.
    func firstLine(within limit: Duration) async throws(SecretError) -> [UInt8] {
        do {
            return try await run(within: limit)
        } catch {
            if let error = error as? SecretError { throw error }
            throw SecretError("no token: account.token_command: \(error)")
        }
    }

    private func run(within limit: Duration) async throws -> [UInt8] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError("make a pipe") }
        let reading = Descriptor(owning: ends[0])
        let source = reading.number
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(source, F_SETFL, O_NONBLOCK)
        let child = try start(writing: Descriptor(owning: ends[1]))

        var hasTimedOut = false
        let timer = clock.schedule(at: clock.now + limit) {
            hasTimedOut = true
            // It leads a group of its own: what the shell has started goes with it.
            Glibc.kill(-child.pid, SIGKILL)
            child.kill(SIGKILL)
        }
        let watch = WatchBox()
        watch.watch = try Loop.shared.watch(source, for: .read) { _ in
            // At the end of the stream there is nothing more to come, and the descriptor would be ready for ever.
            if self.drain(source) { watch.cancel() }
        }
        let exit = await child.exit()
        clock.cancel(timer)
        watch.cancel()
        // What it has printed may have come with the news of its end.
        _ = drain(source)
        if hasTimedOut { throw SecretError("no token: account.token_command did not end within \(DurationText.text(of: limit))") }
        guard exit == .code(0) else { throw SecretError("no token: account.token_command \(exit)") }
        _ = consume reading
        return Array(collected.prefix { $0 != UInt8(ascii: "\n") })
    }

    private func start(writing: consuming Descriptor) throws(SystemError) -> Child {
        let nothing = try Descriptor.open("/dev/null", O_RDONLY)
        return try Child.start(
            "/bin/sh", arguments: ["-c", command], environment: environment.entries, descriptors: [nothing.number, writing.number, 2])
    }

    /// Reads what is there; says whether that was the end. Past a token's size the rest is thrown away, so that the
    /// command does not wait for us.
    private func drain(_ source: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(source, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                return errno != EAGAIN
            }
            if count == 0 { return true }
            collected += chunk[..<min(count, max(0, SecretSource.greatestSize - collected.count))]
        }
    }

    /// A watch that can be ended from within its own handler.
    @LoopActor
    private final class WatchBox {
        var watch: DescriptorWatch?

        func cancel() {
            if let watch { Loop.shared.cancel(watch) }
            watch = nil
        }
    }
}
