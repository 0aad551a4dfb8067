import Model
import Platform
import Synchronization
import TestSupport

/// The events of a run, one line each. The same seed makes the same lines in any process.
final class Trace: Sendable {
    private let clock: SimulatedClock
    /// The run's folder, whose name differs in every run.
    private let folder: String
    private let all = Mutex<[String]>([])
    private let isClosed = Mutex(false)

    init(clock: SimulatedClock, folder: String) {
        self.clock = clock
        self.folder = folder
    }

    var lines: [String] { all.withLock { $0 } }

    /// Ignores all further lines, because only the cleaning up after the run is left.
    func close() { isClosed.withLock { $0 = true } }

    /// Adds a line. Call it only on the loop's thread, because the clock can be read only there.
    func note(_ text: String) {
        guard !isClosed.withLock({ $0 }) else { return }
        let now = LoopActor.assumeIsolated { clock.now.nanoseconds / 1_000_000 }
        var line = "\(now) "
        var rest = Substring(text)
        while let place = rest.firstRange(of: folder) {
            line += rest[..<place.lowerBound] + "~"
            rest = rest[place.upperBound...]
        }
        line += rest
        line = Self.withoutTemporaryNames(line)
        all.withLock { $0.append(line) }
    }

    /// Removes the process number from the names of temporary files.
    private static func withoutTemporaryNames(_ line: String) -> String {
        let pieces = line.split(separator: "/.tmp-", omittingEmptySubsequences: false)
        return ([pieces[0]] + pieces.dropFirst().map { $0.drop { $0.isNumber || $0 == "-" } }).joined(separator: "/.tmp")
    }
}
