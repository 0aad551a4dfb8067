import CommandLine
import CommandTestSupport
import Platform

@testable import Commands
@testable import Host

/// Runs whole command lines as the program does.
extension Session {
    /// The exit code and the output of a command line.
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
}
