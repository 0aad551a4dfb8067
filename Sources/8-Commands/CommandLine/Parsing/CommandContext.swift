@preconcurrency import Glibc
package import Platform

/// What every command needs from its surroundings; tests provide their own.
package struct CommandContext: Sendable {
    package let output: Output
    package let environment: Environment
    package let clock: any TimeKeeper
    /// Adds `options` to the command lines that messages suggest from now on, so that these lead to the same library.
    package let reach: @Sendable (_ options: String) -> Void

    package init(
        output: Output, environment: Environment, clock: any TimeKeeper = SystemClock(),
        reach: @escaping @Sendable (_ options: String) -> Void = { _ in }
    ) {
        (self.output, self.environment, self.clock, self.reach) = (output, environment, clock, reach)
    }

    /// Reports why a command ends without an answer: to people, and with `--json` also to programs unless the command line is wrong.
    package func report(_ failure: CommandFailure, of invocation: Invocation) {
        output.error(failure.message)
        guard failure.code != .usage, let form = invocation.formForPrograms else { return }
        output.failure(failure.message, as: form)
    }
}

/// Why a command failed: a message for the user, and the exit code for scripts.
package struct CommandFailure: Error, Equatable, Sendable {
    package let code: ExitCode
    /// One or more lines. The program's name is printed before the first.
    package let message: String
    /// Whether the cause is another command that will soon end by itself, so that it is worth waiting and trying again.
    package var isPassing = false

    package init(_ code: ExitCode, _ message: String) { (self.code, self.message) = (code, message) }
}

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
    /// The shells' code for a program ended by SIGINT; used here for any signal.
    case interrupted = 130

    /// As printed in the program's help.
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
        case .interrupted: "stopped by Ctrl-C or a signal; what is complete is kept"
        }
    }
}

/// The environment variables of this process, or the variables that a test sets.
package struct Environment: Sendable, ExpressibleByDictionaryLiteral {
    package let variables: [String: String]
    /// The folder of the machine-wide settings: WOODSHED_ETC if it is an absolute path, otherwise `/etc/woodshed`, or none in a test.
    package let machineFolder: String?

    package init(_ variables: [String: String], machineFolder: String? = nil) {
        self.variables = variables
        let named = variables[Self.machineVariable].flatMap { $0.hasPrefix("/") ? $0 : nil }
        self.machineFolder = named ?? machineFolder
    }

    package static let machineVariable = "WOODSHED_ETC"

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(Dictionary(elements) { _, last in last })
    }

    /// The environment of this process.
    package static func ofProcess() -> Environment {
        var variables: [String: String] = [:]
        var place = environ
        while let entry = place.pointee {
            let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            place += 1
        }
        return Environment(variables, machineFolder: "/etc/woodshed")
    }

    /// The value of a variable. An empty variable counts as not set.
    package subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a variable that names a folder. Relative paths are ignored, as the XDG Base Directory Specification demands.
    package func folder(_ name: String) -> String? {
        self[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The user's home folder: HOME if it is an absolute path, otherwise the account's home, otherwise `/`.
    package var home: String {
        if let home = folder("HOME") { return home }
        guard let user = getpwuid(getuid()), let home = user.pointee.pw_dir else { return "/" }
        return String(cString: home)
    }

    /// The path of a program in the user's PATH; nil if the program is not found there.
    package func program(_ name: String) -> String? {
        (self["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// The variables as `NAME=VALUE`, for a child process.
    package var entries: [String] { variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
}
