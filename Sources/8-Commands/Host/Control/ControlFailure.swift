import CommandLine

/// Why the running agent did not do what it was asked.
package enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has just ended.
    case gone(process: Int32)
    /// Nothing came from it for `patience`.
    case noAnswer(process: Int32, patience: Duration)
    /// Its answer broke off.
    case brokeOff(process: Int32, after: Duration)
    /// It refuses, and says why.
    case refused(status: Int, String)

    package var description: String {
        switch self {
        case .gone(let process): "the agent (process \(process)) has just stopped"
        case .noAnswer(let process, let patience):
            "the agent (process \(process)) has not answered for \(Self.seconds(patience)); if it hangs, stop it with 'kill \(process)' and start it again"
        case .brokeOff(let process, let time):
            "the agent (process \(process)) broke off after \(Self.seconds(time)): it stopped, or reloaded its configuration. What was complete by then is kept; try again"
        case .refused(_, let reason): reason
        }
    }

    private static func seconds(_ duration: Duration) -> String { max(Int(duration.components.seconds), 1).counted("second") }
}
