import CommandLine
import Configuration
import Glibc
import Host
import Model
import PlanningCenter
import Platform

extension Command {
    static let setup = Command(
        name: "setup",
        summary: "Asks a few questions, and sets up your account",
        details: """
            Asks which service has your plans and for a token, shows who you are there and what is coming, lets you choose which \
            charts you play from, and writes the configuration and the token, and another one for tablets. Replaces nothing without asking; Ctrl-C at any \
            question leaves everything as it was.
            """,
        examples: [
            Example("woodshed setup", "Set up your own account."),
            Example("woodshed setup --home /tmp/try", "Set up everything in one folder."),
        ],
        handlesSignals: true,
        run: { try await SetupCommand($0, $1).run() })
}

/// Everything is asked before anything is written.
@LoopActor
final class SetupCommand {
    private let context: CommandContext
    private let sources: ConfigurationSources
    private let ask: Questions
    /// The settings that hold on this machine already.
    private var machine = Options()
    private var options = Options()
    private var isWritten = false

    private var output: Output { context.output }
    private var file: String { Paths.configurationFile(sources) }
    private var tokenFile: String { Folder.parent(of: file) + "/account-token" }

    init(_ invocation: Invocation, _ context: CommandContext) {
        self.context = context
        sources = ConfigurationSources(invocation, environment: context.environment)
        ask = Questions(output: context.output)
    }

    func run() async throws -> ExitCode {
        guard ask.canAsk else {
            throw CommandFailure(
                .usage, "setup asks questions, so it needs a terminal; '\(woodshed("config init"))' writes a configuration without asking")
        }
        let ending = Ending(output: output, asked: .interrupted)
        spawn { [self] in
            do {
                ending.end(try await goThrough() ? .fine : .interrupted)
            } catch is Questions.Cancelled {
                ending.end(.interrupted)
            } catch {
                let failure = CommandFailure(of: error)
                output.error(failure.message)
                ending.end(failure.code)
            }
        }
        let code = await ending.wait()
        ask.show()
        if code == .interrupted { output.message(isWritten ? "\nWhat was written stays." : "\nNothing was changed.") }
        return code == .interrupted && isWritten ? .fine : code
    }

    /// Returns whether it was gone through to the end.
    private func goThrough() async throws -> Bool {
        output.message("This asks a few questions and then writes \(file). Ctrl-C at any of them leaves everything as it is.\n")
        if access(file, F_OK) == 0 {
            let question = "There is a configuration already: \(file). Replace it? The old one is kept beside it"
            guard try await ask.isYes(question, usual: false) else { return false }
        }
        machine = try Configuration.machineOptions(sources)
        options = machine
        let service = SetupService(context: context, ask: ask)
        if SecretSource(machine.account) != nil, let path = sources.machineFile {
            let question = "Whoever looks after this machine has set where your token comes from, in \(path). Use one of your own instead?"
            guard try await ask.isYes(question, usual: false) else {
                try makeWay()
                if SecretSource(machine.account) == .signIn {
                    _ = try await SignInCommand(try Configuration.load(sources), context).run(keyring: false)
                }
                try await service.offer(isUsual: sources.homeFolder == nil && sources.file == nil)
                return true
            }
        }
        try await chooseService()
        let account = SetupAccount(context: context, ask: ask)
        // A token is for the service that it was made at, and must never be sent to another.
        let former = try? Configuration.load(sources).options.account.apiURL
        let (token, found) = try await account.token(for: options, besides: former == options.account.apiURL ? tokenFile : nil)
        if let found {
            options.account.serviceTypes = try await account.serviceTypes(insteadOf: found, token, options)
            options.charts.include = try await SetupCharts(output: output, ask: ask).patterns(for: found)
        }
        try write(token)
        try await service.offer(isUsual: sources.homeFolder == nil && sources.file == nil)
        return true
    }

    // MARK: The service

    private func chooseService() async throws {
        let usual = machine.account.apiURL == Options().account.apiURL ? "Planning Center" : machine.account.apiURL
        while true {
            let answer = try await ask.line("Which service has your plans? Its address, if it is another one", usual: usual)
            guard answer != usual else { return }
            if let address = try await address(answer) {
                options.account.apiURL = address
                options.account.annotationsURL = nil
                break
            }
        }
        while true {
            let answer = try await ask.line("Where does it offer the marks of others? An address, or Enter for nowhere")
            guard !answer.isEmpty else { return }
            if let address = try await address(answer) {
                options.account.annotationsURL = address
                return
            }
        }
    }

    /// An address that may be used; `nil`, with the reason, for any other.
    private func address(_ text: String) async throws -> String? {
        do throws(InputProblem) {
            let address = try WebAddress(text)
            guard address.scheme == .https || address.isLoopback else {
                output.message("With plain http, everybody on the way could read your token. Use an address that begins with https.")
                return nil
            }
            if address.scheme == .http { options.account.allowHTTPLoopback = true }
            return address.text
        } catch {
            output.message(error.message.asSentence)
            return nil
        }
    }

    // MARK: Writing

    /// The token comes first, so that no configuration ever names one that is not there. Whatever fails, the former ones are where they were
    /// or beside it.
    private func write(_ token: Secret) throws {
        (options.account.tokenFile, options.account.tokenCredential, options.account.tokenCommand) = (tokenFile, nil, nil)
        options.account.signIn = nil
        let isKnown = (try? AtomicFile.read(tokenFile, limit: 4096)) == Array((token.revealed + "\n").utf8)
        var kept: [String] = []
        try Folder.create(Folder.parent(of: file))
        for path in isKnown ? [file] : [tokenFile, file] {
            if let name = try FormerFile.keep(path) { kept.append(name) }
        }
        try AtomicFile.write(token.revealed + "\n", to: tokenFile, mode: 0o600)
        isWritten = true
        // Nobody is let in with it until the agent listens on the network.
        if options.viewer.tokenFile == nil {
            let path = ViewerToken.usualFile(besides: file)
            _ = try ViewerToken.make(at: path)
            options.viewer.tokenFile = path
        }
        try AtomicFile.write(options.explainedFile(besides: machine), to: file)
        for path in kept { output.message("Kept what was there as \(path).") }
        output.message("\nWrote \(file), where every option is explained, and your token to \(tokenFile), which only you can read.")
    }

    /// Lets the machine's settings hold, once the user has agreed to have their own file replaced.
    private func makeWay() throws {
        guard let name = try FormerFile.keep(file) else { return }
        try AtomicFile.write(machine.explainedFile(besides: machine), to: file)
        isWritten = true
        output.message("Kept what was there as \(name).")
    }
}
