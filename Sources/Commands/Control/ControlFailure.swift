/// Why the agent that runs did not do what it was asked.
enum ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// It has ended just now.
    case gone(process: Int32)
    /// It does not answer in time, or broke off.
    case noAnswer(process: Int32, patience: Duration)
    /// It says that it will not, and why.
    case refused(status: Int, String)

    var description: String {
        switch self {
        case .gone(let process): "the agent (process \(process)) has just ended"
        case .noAnswer(let process, let patience):
            "the agent (process \(process)) does not answer within \(patience.components.seconds) seconds; if it hangs, end it with 'kill \(process)' and start it again"
        case .refused(_, let reason): reason
        }
    }
}
