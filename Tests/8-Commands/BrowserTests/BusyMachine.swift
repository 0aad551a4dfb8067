import Glibc
import Platform
import TestSupport

/// Keeps the machine busy with this many endless processes, until `end`.
@LoopActor
struct BusyMachine {
    private let all: [Program]

    init(_ count: Int) throws {
        // The processes end by themselves if the test never ends them.
        all = try (0..<count).map { _ in try Program("/usr/bin/timeout", ["1800", "/bin/sh", "-c", "while :; do :; done"]) }
    }

    func end() { for each in all { each.child.kill(SIGTERM) } }
}
