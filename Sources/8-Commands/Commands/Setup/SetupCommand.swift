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
        summary: "Asks where your plans come from, and sets that up",
        details: """
            Asks whether your plans come from a service, a folder of your own, or both. For a folder, it shows what is in it. For a \
            service, it asks for a token, shows who you are there and what is coming, and lets you choose which \
            charts you play from. Then it writes the configuration and the token, and another one for tablets. At its end, \
            it asks whether your band shares a folder. Where there is a configuration \
            already, it offers a new token, other charts, or all anew, with what you answered before as the usual answers. \
            Replaces nothing without asking; Ctrl-C at any question leaves everything as it was.
            """,
        flags: [
            Flag("folder", "PATH", type: .path, "add this folder of sets to the configuration, without a question").offering(.folders)
        ],
        examples: [
            Example("woodshed setup", "Set up your own account, or a folder with your plans."),
            Example("woodshed setup --folder ~/Music/Sets", "Have plans come from this folder, too."),
            Example("woodshed setup --home ~/try", "Set up everything in one folder."),
        ],
        handlesSignals: true,
        run: { try await SetupCommand($0, $1).run() })
}

/// Sets up an account. The questions about the service, the token, the plans and the charts all come before anything is written;
/// only the offers of a background service and of a band follow afterwards.
@LoopActor
final class SetupCommand {
    private let invocation: Invocation
    private let context: CommandContext
    private let sources: ConfigurationSources
    private let ask: Questions
    /// The machine-wide settings.
    private var machine = Options()
    private var options = Options()
    private var isWritten = false
    /// A folder of sets that is to be made.
    private var newFolder: String?

    private var output: Output { context.output }
    private var file: String { Paths.configurationFile(sources) }
    private lazy var tokenFile = Folder.parent(of: file) + "/account-token"

    init(_ invocation: Invocation, _ context: CommandContext) {
        (self.invocation, self.context) = (invocation, context)
        sources = ConfigurationSources(invocation, environment: context.environment)
        ask = Questions(output: context.output)
    }

    func run() async throws -> ExitCode {
        if let folder: String = invocation.value("folder") { return try await add(folder) }
        guard ask.canAsk else {
            throw CommandFailure(
                .usage,
                "setup asks questions, so it needs a terminal; without one, '\(woodshed("setup --folder PATH"))' names a folder with your "
                    + "plans, and '\(woodshed("config init"))' writes a configuration")
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

    /// Which settings to renew.
    private enum Choice: String { case token = "1", charts = "2", all = "3" }

    /// Returns whether anything was set up: `false` if the musician chose nothing.
    private func goThrough() async throws -> Bool {
        output.message("This asks a few questions and then writes \(file). Ctrl-C at any of them leaves everything as it is.\n")
        machine = try Configuration.machineOptions(sources)
        options = machine
        guard let choice = try await choice() else { return false }
        tokenFile = (options.account.tokenFile == machine.account.tokenFile ? nil : options.account.tokenFile) ?? tokenFile
        switch choice {
        case .token: try await askForToken()
        case .charts: try await askForCharts()
        case .all: return try await askForAll()
        }
        if !tellOfAgent() { try await offerService() }
        return true
    }

    /// Whether an agent is running that goes by the new configuration, which is told then.
    private func tellOfAgent() -> Bool {
        guard let agent = try? Configuration.load(sources), ControlClient.find(agent.paths, clock: context.clock) != nil else {
            return false
        }
        output.message(
            "The agent that is running takes this up by itself; '\(SetupService.typed("open", context.environment))' shows the pages.")
        return true
    }

    /// Adds a folder of sets to the configuration without asking anything. All other settings stay.
    private func add(_ folder: String) async throws -> ExitCode {
        // Nothing is half done at any moment, so a signal may end this at once.
        Signals.unblock([SIGINT, SIGTERM, SIGHUP])
        let folders = SetupFolder(context: context, ask: ask)
        let here = try await folders.look(into: folder)
        do throws(ConfigurationError) {
            machine = try Configuration.machineOptions(sources)
            options = try Configuration.ownOptions(sources)
        } catch {
            throw CommandFailure(error)
        }
        folders.print(here)
        guard !options.plans.folders.contains(folder) else {
            output.message("\(folder) is in the configuration already.".printable)
            return .fine
        }
        options.plans.folders.append(folder)
        try write(nil)
        if !tellOfAgent() { SetupService(context: context, ask: ask).tellHowToBegin() }
        return .fine
    }

    /// The settings to renew; `nil` for none. If nothing is set up yet, this is `.all` without asking. A configuration with
    /// mistakes can only be replaced as a whole. Any other configuration stays in `options`, and each setting is the default when
    /// it is asked for.
    private func choice() async throws -> Choice? {
        guard access(file, F_OK) == 0 else { return .all }
        guard let own = try? Configuration.ownOptions(sources) else {
            output.message("There is a configuration already, but it has mistakes: '\(woodshed("config check"))' lists them.")
            return try await ask.isYes("Replace it? The old one is kept beside it", usual: false) ? .all : nil
        }
        options = own
        // 'band create' may have written it.
        guard SecretSource(own.account) != nil else {
            output.message("There is a configuration without an account: \(file)")
            return try await ask.isYes("Set in it where your plans come from? What else is set in it stays", usual: true) ? .all : nil
        }
        output.message("There is a configuration already: \(file)\n  1  a new token\n  2  other charts\n  3  all anew")
        while true {
            let answer = try await ask.line("What do you want to set? A number, or Enter for nothing")
            guard !answer.isEmpty else { return nil }
            if let choice = Choice(rawValue: answer) { return choice }
        }
    }

    private func offerService() async throws {
        try await SetupService(context: context, ask: ask).offer(isUsual: sources.homeFolder == nil && sources.file == nil)
    }

    private func askForToken() async throws {
        if SecretSource(options.account) == .signIn {
            _ = try await SignInCommand(try Configuration.load(sources), context).run(keyring: false)
            return
        }
        let former = options
        let (token, _) = try await askedToken(besides: nil)
        options.account.tokenFile = tokenFile
        (options.account.tokenCredential, options.account.tokenCommand) = (nil, nil)
        try write(token, isNew: options != former)
    }

    private func askForCharts() async throws {
        let account = SetupAccount(context: context, ask: ask)
        let configured = try await Account(try Configuration.load(sources), context: context)
        try await choosePlans(try await account.account(of: configured.credentials, options), configured.credentials)
        try write(nil)
    }

    private func askForAll() async throws -> Bool {
        let folders = SetupFolder(context: context, ask: ask)
        let origin = try await folders.origin(insteadOf: options)
        if origin == .service {
            options.plans.folders = []
        } else {
            (options.plans.folders, newFolder) = try await folders.folders(besides: options.plans.folders)
        }
        guard origin != .folder else {
            (options.account.tokenFile, options.account.tokenCredential, options.account.tokenCommand) = (nil, nil, nil)
            options.account.signIn = nil
            try write(nil)
            if !tellOfAgent() { try await offerService() }
            return true
        }
        return try await askForAccount(hasFolders: origin == .both)
    }

    private func askForAccount(hasFolders: Bool) async throws -> Bool {
        if SecretSource(machine.account) != nil, let path = sources.machineFile {
            let question = "Whoever looks after this machine has set where your token comes from, in \(path). Use one of your own instead?"
            guard try await ask.isYes(question, usual: false) else {
                try makeWay(for: hasFolders ? options.plans.folders : [])
                if SecretSource(machine.account) == .signIn {
                    _ = try await SignInCommand(try Configuration.load(sources), context).run(keyring: false)
                }
                try await offerService()
                return true
            }
        }
        // A token belongs to the service that issued it, and must never be sent to another one.
        let former = access(file, F_OK) == 0 ? options.account.apiURL : nil
        try await chooseService()
        let (token, found) = try await askedToken(besides: former == options.account.apiURL ? tokenFile : nil)
        if let found { try await choosePlans(found, token) }
        options.account.tokenFile = tokenFile
        (options.account.tokenCredential, options.account.tokenCommand, options.account.signIn) = (nil, nil, nil)
        try write(token)
        try await offerService()
        // Ask about the band only once everything else works, only if the service has answered for this token, and only if there is
        // no band yet.
        if let found, options.band.place == nil {
            let name = found.holder?.person.name ?? ""
            try await SetupBand(invocation: invocation, context: context, ask: ask).offer(as: name.isEmpty ? nil : name)
        }
        return true
    }

    private func askedToken(besides file: String?) async throws -> (Secret, FoundAccount?) {
        var chosen = options
        let answer = try await SetupAccount(context: context, ask: ask).token(for: &chosen, besides: file)
        options = chosen
        return answer
    }

    private func choosePlans(_ found: FoundAccount, _ token: Secret) async throws {
        let account = SetupAccount(context: context, ask: ask)
        options.account.serviceTypes = try await account.serviceTypes(insteadOf: found, token, options)
        options.charts.include = try await SetupCharts(output: output, ask: ask).patterns(for: found, former: options.charts.include)
    }

    // MARK: The service

    private func chooseService() async throws {
        let former = options.account.apiURL
        let usual = former == Options().account.apiURL ? "Planning Center" : former
        let address = SetupAddress(output: output, ask: ask)
        let place = try await address.read(
            "Which service? Press Enter for \(usual), or type another service's address", unless: former)
        guard let place else { return }
        options.account.use(place)
        options.account.annotationsURL = nil
        guard let marks = try await address.read("If it shares other people's marks, type that address; otherwise press Enter") else {
            return
        }
        options.account.annotationsURL = marks.folder
        if marks.scheme == "http" { options.account.allowHTTPLoopback = true }
    }

    // MARK: Writing

    /// Writes the token, if there is one, and then the configuration, if it `isNew`. In this order, no configuration ever names a
    /// missing token. If something fails, the former files are still in their places or kept beside them.
    private func write(_ token: Secret?, isNew: Bool = true) throws {
        let isKnown = token.map { (try? AtomicFile.read(tokenFile, limit: 4096)) == Array(($0.revealed + "\n").utf8) } ?? true
        var kept: [String] = []
        try makeNewFolder()
        try Folder.create(Folder.parent(of: file))
        for path in (isKnown ? [] : [tokenFile]) + (isNew ? [file] : []) {
            if let name = try FormerFile.keep(path) { kept.append(name) }
        }
        if let token {
            try Folder.create(Folder.parent(of: tokenFile))
            try AtomicFile.write(token.revealed + "\n", to: tokenFile, mode: 0o600)
            isWritten = true
        }
        if isNew { try writeConfiguration() }
        for path in kept { output.message("Kept what was there as \(path).") }
        let configuration = isNew ? ["\(file), where every option is explained"] : []
        let written = configuration + (token == nil ? [] : ["your token to \(tokenFile), which only you can read"])
        output.message("\nWrote \(written.joined(separator: ", and ")).")
    }

    private func writeConfiguration() throws {
        // Make a token for tablets in advance. It lets nobody in until the agent listens on the network.
        if options.viewer.tokenFile == nil {
            let path = ViewerToken.usualFile(besides: file)
            _ = try ViewerToken.make(at: path)
            options.viewer.tokenFile = path
        }
        try AtomicFile.write(options.explainedFile(besides: machine), to: file)
        isWritten = true
    }

    /// Makes the folder of sets, before any configuration names it.
    private func makeNewFolder() throws {
        guard let path = newFolder else { return }
        try Folder.create(path, mode: 0o755)
        newFolder = nil
        isWritten = true
        output.message("Made \(path). '\(woodshed("help sets"))' says what belongs there.".printable)
    }

    /// If the user has a file of their own, replaces it by one in which no setting is in effect but these folders of sets, so that the
    /// machine-wide settings apply, as the user has agreed. The former file is kept beside it.
    private func makeWay(for folders: [String]) throws {
        try makeNewFolder()
        let name = try FormerFile.keep(file)
        guard name != nil || !folders.isEmpty else { return }
        var options = machine
        if !folders.isEmpty { options.plans.folders = folders }
        try Folder.create(Folder.parent(of: file))
        try AtomicFile.write(options.explainedFile(besides: machine), to: file)
        isWritten = true
        if let name { output.message("Kept what was there as \(name).") }
    }
}
