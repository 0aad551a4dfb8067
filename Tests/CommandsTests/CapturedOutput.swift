import Glibc
import Platform
import TestSupport

@testable import Commands

/// An `Output` whose two streams end in files, with a made-up terminal.
final class CapturedOutput: Sendable {
    let output: Output
    private let folder = TemporaryFolder()
    private let descriptors: [Int32]

    init(terminal: Terminal = Terminal(showsResults: false, showsMessages: false)) {
        descriptors = ["results", "messages"].map { [folder] in
            open(folder.path($0), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        output = Output(terminal: terminal, results: descriptors[0], messages: descriptors[1])
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    var results: String { text("results") }
    var messages: String { text("messages") }

    private func text(_ name: String) -> String {
        String(decoding: (try? AtomicFile.read(folder.path(name), limit: 1 << 20)) ?? [], as: UTF8.self)
    }
}

/// Runs whole command lines as the program does, in a home of their own.
final class Session: Sendable {
    let folder = TemporaryFolder()
    let environment: Environment

    init(_ variables: [String: String] = [:]) {
        environment = Environment(variables.merging(["HOME": folder.path + "/user"]) { given, _ in given })
    }

    /// What a command line came to.
    struct Ending {
        let code: ExitCode
        let results: String
        let messages: String
    }

    @LoopActor
    func run(_ words: String...) async -> Ending { await run(words) }

    @LoopActor
    func run(_ words: [String]) async -> Ending {
        let captured = CapturedOutput()
        let code: ExitCode
        switch Woodshed.prepare(words, environment: environment, output: captured.output) {
        case .done(let result): code = result
        case .run(let invocation):
            code = await Woodshed.run(invocation, CommandContext(output: captured.output, environment: environment))
        }
        return Ending(
            code: Woodshed.ending(code, captured.output), results: captured.results, messages: captured.messages)
    }

    /// Writes a file below the session's folder and answers its path.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws -> String {
        let path = folder.path(name)
        try Folder.create(Folder.parent(of: path))
        try AtomicFile.write(text, to: path)
        chmod(path, mode)
        return path
    }
}
