import CommandLine
import Configuration
import Glibc
import Host
import Model
import Moving
import Platform

/// The program `woodshed`.
public enum Woodshed {
    /// Reads the command line, runs the command on the loop and ends the process with its exit code.
    public static func main() -> Never { main(Array(CommandLine.arguments.dropFirst())) }

    /// `words` are the arguments, without the program's name.
    static func main(_ words: [String]) -> Never {
        reserveStandardDescriptors()
        if words.first == PortHolder.word, words.count == 2 { HeldPortsProcess.run(words[1]) }
        leaveNoCores()
        // If the reader of our output goes away, the write fails, so the signal that would end the process is not needed.
        signal(SIGPIPE, SIG_IGN)
        // With this signal ignored, a write beyond the limit on a file's size fails like one to a full disk, instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        let environment = Environment.ofProcess()
        let output = Output(terminal: Terminal.ofProcess(environment))
        let code: ExitCode
        switch prepare(words, environment: environment, output: output) {
        case .done(let result):
            code = result
        case .run(let invocation):
            // Must come before the first thread is created, since threads inherit the set of blocked signals.
            if invocation.command.handlesSignals { Signals.block([SIGINT, SIGTERM, SIGHUP]) }
            OwnCommand.carry(invocation.reach)
            let number = Loop.shared.run {
                let context = CommandContext(output: output, environment: environment, reach: OwnCommand.carry)
                return await run(invocation, context).rawValue
            }
            code = ExitCode(rawValue: number) ?? .failed
        }
        exit(ending(code, output).rawValue)
    }

    /// If the process starts with a standard descriptor closed, a file that is opened later could get that descriptor's number and
    /// receive the program's output.
    private static func reserveStandardDescriptors() {
        var descriptor = open("/dev/null", O_RDWR)
        while (0...2).contains(descriptor) { descriptor = open("/dev/null", O_RDWR) }
        if descriptor > 2 { close(descriptor) }
    }

    /// The token is in memory, and must not end up in the core file of a crash. A debugger is not hindered.
    private static func leaveNoCores() {
        var limit = rlimit()
        getrlimit(Int32(RLIMIT_CORE.rawValue), &limit)
        // No core fits into one byte. A kernel that passes cores to a program ignores all limits except a limit of one byte, with
        // which it passes none.
        limit.rlim_cur = min(1, limit.rlim_max)
        setrlimit(Int32(RLIMIT_CORE.rawValue), &limit)
    }

    enum Preparation {
        case done(ExitCode)
        case run(Invocation)
    }

    /// Parses the command line. If it asks for help or the version, or has mistakes, prints what is needed and leaves nothing to run.
    static func prepare(_ words: [String], environment: Environment, output: Output) -> Preparation {
        if words == ["--version"] || words == ["-V"] {
            // Scripts often ask for the version, and printing it needs no table of commands.
            output.result("woodshed \(Release.version)")
            return .done(.fine)
        }
        let base = PathBase(home: environment.home, folder: PathBase.currentFolder)
        do throws(Trouble) {
            switch try CommandLineParser.parse(words, table: words.first == "complete" ? .completing : .woodshed, base: base) {
            case .run(let invocation):
                return .run(invocation)
            case .help(let names):
                output.result(text: help(names, output))
                return .done(.fine)
            case .version:
                output.result("woodshed \(Release.version)")
                return .done(.fine)
            }
        } catch {
            output.error(error.description)
            return .done(.usage)
        }
    }

    /// Runs a command and prints why it failed, if it did.
    @LoopActor
    static func run(_ invocation: Invocation, _ context: CommandContext) async -> ExitCode {
        guard let run = invocation.command.run else { return .usage }
        do {
            return try await run(invocation, context)
        } catch {
            return context.fail(error, of: invocation)
        }
    }

    /// The exit code of the process. If the output could not be written completely, a command that succeeded counts as failed; any
    /// other code stays.
    static func ending(_ code: ExitCode, _ output: Output) -> ExitCode {
        output.endLiveLine()
        guard let failure = output.failure else { return code }
        output.error("the result is incomplete: \(failure)")
        return code == .fine ? .failed : code
    }

    private static func help(_ names: [String], _ output: Output) -> String {
        let command = Command.woodshed.descendant(names.dropFirst()) ?? .woodshed
        return HelpText(command: command, names: names, width: min(output.terminal.width ?? 80, 100)).text
    }
}

extension Command {
    /// The program, with every command in one of its groups.
    static let woodshed: Command = Command(
        name: "woodshed",
        summary: "Keeps a musician's next services ready: plans, charts and marks, every page as an image, offline",
        examples: [
            Example("woodshed demo", "See what it does, without an account."),
            Example("woodshed setup", "Set up your own account."),
            Example("woodshed ready", "See whether everything for the next plan is here."),
        ],
        groups: [
            Group("To begin", [setup, signIn, signOut, demo { $0.joinCommands() }, install]),
            Group("Every week", [ready, status, open, sync, plans, log, accept]),
            Group("Plans and charts", [pin, unpin, layers, why, export, song]),
            Group("Together", [band]),
            Group("The running agent", [agent, pause, resume]),
            Group("The machine", [doctor, config, cache, exportHome, importHome, completion, version, help]),
        ],
        run: { try await Overview(invocation: $0, context: $1).run() })
}
