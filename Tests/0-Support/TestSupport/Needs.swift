import Glibc
import Synchronization
public import Testing

/// Excludes tests from the quick set if they use a browser or other slow programs, kill programs, wait in real time or take long. Tests
/// that only use a fast tool stay in. The end of the run reports how many tests were left out, and which setting includes them.
public struct Needs: SuiteTrait, TestTrait {
    public enum Thing: String, CaseIterable, Sendable {
        case browser = "in a browser"
        case otherPrograms = "with programs of others"
        case kill = "with kills"
        case realTime = "in real time"
        case longRuns = "over many charts"
        /// The test also runs in the quick set, but with few cases.
        case manyTries = ""
    }

    fileprivate let thing: Thing
    public var isRecursive: Bool { true }

    public func prepare(for test: Test) async throws {
        guard !test.isSuite, Asked.extent == .quick, thing != .manyTries else { return }
        LeftOut.note(thing)
        try await ConditionTrait.disabled("not in the quick set").prepare(for: test)
    }
}

extension Trait where Self == Needs {
    /// Runs tests only if `WOODSHED_TEST` includes more than the quick set. Tests that need `manyTries` always run.
    public static func needs(_ thing: Needs.Thing) -> Needs { Needs(thing: thing) }
}

extension Needs {
    /// Skips a test without a `Needs` if `WOODSHED_TEST` is `rest`, because such a test is in the quick set.
    static func passOverWhatIsQuick(_ test: Test) async throws {
        guard !test.isSuite, Asked.extent == .rest, !test.traits.contains(where: { $0 is Needs }) else { return }
        try await ConditionTrait.disabled("in the quick set").prepare(for: test)
    }
}

/// The tests left out of this run.
private enum LeftOut {
    private static let counts = Mutex<[Needs.Thing: Int]>([:])

    static func note(_ thing: Needs.Thing) {
        let isFirst = counts.withLock { counts in
            counts[thing, default: 0] += 1
            return counts.count == 1 && counts[thing] == 1
        }
        if isFirst { atexit { LeftOut.report() } }
    }

    private static func report() {
        let counts = counts.withLock { $0 }
        let parts = Needs.Thing.allCases.compactMap { thing in counts[thing].map { "\($0) \(thing.rawValue)" } }
        let line = "Left out, tests: \(parts.joined(separator: ", ")), and most cases of others. WOODSHED_TEST=all runs everything.\n"
        let text = Array(line.utf8)
        _ = write(STDOUT_FILENO, text, text.count)
    }
}
