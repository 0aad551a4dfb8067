/// How a command ended, for scripts. Each number has the same meaning for all commands.
package enum ExitCode: Int32, CaseIterable, Sendable {
    case fine = 0
    case failed = 1
    case usage = 2
    case notReady = 3
    case configuration = 4
    case notAuthorised = 5
    case offline = 6
    case locked = 7
    /// As shells count a program that SIGINT has ended.
    case interrupted = 130

    /// What the number means, as printed in the program's help.
    package var meaning: String {
        switch self {
        case .fine: "success"
        case .failed: "failed"
        case .usage: "the command line was not understood"
        case .notReady: "partly done, or not ready"
        case .configuration: "the configuration has mistakes"
        case .notAuthorised: "the service refused the token"
        case .offline: "offline, but the library can be used"
        case .locked: "another agent is running"
        case .interrupted: "interrupted with Ctrl-C; what is complete is kept"
        }
    }
}
