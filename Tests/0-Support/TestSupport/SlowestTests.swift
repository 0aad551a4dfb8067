import Glibc
import Platform
import Synchronization

/// Prints the slowest tests at the end of the run, as many as `WOODSHED_TEST_SLOWEST` sets. The printed durations exclude the wait for
/// the loop, which the runner's own durations include.
///
/// CPU is the time that this process, and the children that it waited for, used during the test. With parallel tests, other tests' time
/// is included; only with `--no-parallel` is CPU the test's own time. A browser that outlives the test is not counted.
final class SlowestTests: Sendable {
    /// Nil unless `WOODSHED_TEST_SLOWEST` is set.
    static let asked: SlowestTests? = {
        guard let count = Asked.number("SLOWEST") else { return nil }
        atexit { SlowestTests.asked?.report() }
        return SlowestTests(count: count)
    }()

    private struct Entry {
        let name: String
        let wall, cpu: Double
    }

    private let count: Int
    private let entries = Mutex<[Entry]>([])

    private init(count: Int) {
        self.count = count
    }

    /// Runs a test and records its duration.
    func measure(_ name: String, _ test: () async throws -> Void) async rethrows {
        let (begin, cpu) = (ContinuousClock.now, Self.cpuSeconds)
        defer {
            let entry = Entry(name: name, wall: (ContinuousClock.now - begin).inSeconds, cpu: Self.cpuSeconds - cpu)
            entries.withLock { $0.append(entry) }
        }
        try await test()
    }

    private static var cpuSeconds: Double {
        var seconds = 0.0
        for whose in [RUSAGE_SELF, RUSAGE_CHILDREN] {
            var usage = rusage()
            getrusage(__rusage_who_t(whose.rawValue), &usage)
            for time in [usage.ru_utime, usage.ru_stime] { seconds += Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }
        }
        return seconds
    }

    private func report() {
        let all = entries.withLock { $0 }
        func tenths(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
        let lines = all.sorted { $0.wall > $1.wall }.prefix(count).map { "\(tenths($0.wall)), CPU \(tenths($0.cpu)): \($0.name)\n" }
        let text = Array(("The slowest of \(all.count) tests on the loop:\n" + lines.joined()).utf8)
        _ = write(STDOUT_FILENO, text, text.count)
    }
}
