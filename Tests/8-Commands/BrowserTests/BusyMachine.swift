import Glibc
import Platform
import TestSupport

/// A machine on which so many processes have endless work, until `end`.
@LoopActor
struct BusyMachine {
    private let all: [Program]

    init(_ count: Int) throws {
        // If nobody ends them, they end themselves.
        all = try (0..<count).map { _ in try Program("/usr/bin/timeout", ["1800", "/bin/sh", "-c", "while :; do :; done"]) }
    }

    func end() { for each in all { each.child.kill(SIGTERM) } }
}
