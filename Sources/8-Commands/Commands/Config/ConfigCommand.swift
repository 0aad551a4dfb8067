import CommandLine
import Configuration
import Glibc
import Host
import JSON
import Model
import Platform

extension Command {
    /// `woodshed config init | check | show`
    static let config = Command(
        name: "config",
        summary: "Writes, checks and shows the configuration",
        details: """
            A flag overrides an environment variable (WOODSHED_…), which overrides your file, which overrides \
            /etc/woodshed/woodshed.yaml, which overrides the default.
            """,
        examples: [Example("woodshed config show", "Print every option in effect and where its value came from.")],
        subcommands: [
            Command(
                name: "init",
                summary: "Writes a configuration file in which every option is explained",
                flags: [Flag("force", "replace an existing file; the old one is kept beside it, as .old")],
                examples: [
                    Example("woodshed config init", "Write ~/.config/woodshed/woodshed.yaml."),
                    Example("woodshed config init --home ~/try", "Write ~/try/config/woodshed.yaml."),
                ],
                run: ConfigCommand.initialize),
            Command(
                name: "check",
                summary: "Checks the configuration for mistakes",
                details: "Prints every mistake as FILE:LINE:COLUMN: message, and ends with code 4 if there is one.",
                json: CheckedConfiguration.form,
                examples: [
                    Example("woodshed config check", "Check your configuration file."),
                    Example("woodshed config check --config sample-config/woodshed.yaml", "Check another file."),
                ],
                settings: Options.flags,
                run: ConfigCommand.check),
            Command(
                name: "show",
                summary: "Prints every option in effect and where its value came from",
                details: "Never prints a token or the command that fetches it.",
                json: Configuration.form,
                examples: [
                    Example("woodshed config show", "Print options and folders as tables."),
                    Example("woodshed config show --json --render-workers=2", "Print them as JSON, with one overridden."),
                ],
                settings: Options.flags,
                run: ConfigCommand.show),
        ])
}

enum ConfigCommand {
    @LoopActor
    static func initialize(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let path = Paths.configurationFile(ConfigurationSources(invocation, environment: context.environment))
        do throws(SystemError) {
            try Folder.create(Folder.parent(of: path))
            if invocation.has("force") {
                if let name = try FormerFile.keep(path) { context.output.message("Kept the old file as \(name).") }
                try AtomicFile.write(Options.sampleFile(), to: path)
            } else {
                try writeNew(Options.sampleFile(), to: path)
            }
        } catch {
            guard error.code != EEXIST else {
                throw CommandFailure(.failed, "\(path) already exists; '\(woodshed("config init --force"))' replaces it")
            }
            throw CommandFailure(.failed, error.description)
        }
        context.output.result(path)
        context.output.message(
            """
            Next: write your token to a file as app_id:secret, run chmod 600 on it, and name it as token_file in the
            configuration (remove the '#'). Then run '\(woodshed("config check"))' to see whether all is well.
            """)
        return .fine
    }

    /// Writes a file only if none exists, even if another process is about to create it.
    private static func writeNew(_ text: String, to path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL)
        let bytes = Array(text.utf8)
        do {
            try bytes.withUnsafeBytes { try file.write($0, path: path) }
        } catch {
            unlink(path)
            throw error as? SystemError ?? SystemError("write", path: path, code: EIO)
        }
    }

    @LoopActor
    static func check(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let sources = ConfigurationSources(invocation, environment: context.environment)
        let file = Paths.configurationFile(sources)
        var faults: [ConfigurationFault] = []
        var notes: [ConfigurationFault] = []
        do {
            let configuration = try Configuration.load(sources)
            notes = configuration.notes + tokenNotes(configuration, file) + addressNotes(configuration)
            notes += setNotes(await configuration.asking(by: context.clock))
            faults = tokenFaults(configuration)
            _ = try configuration.viewerNetwork()
        } catch {
            faults += error.faults
        }
        let machine = sources.machineFile.flatMap { access($0, F_OK) == 0 ? $0 : nil }
        return context.give(CheckedConfiguration(file: file, machine: machine, faults: faults, notes: notes), to: invocation)
    }

    /// A note if the service's address has no path: users often copy only the host, where no service is found.
    private static func addressNotes(_ configuration: Configuration) -> [ConfigurationFault] {
        let address = configuration.options.account.apiURL
        guard let setting = Options.setting("account.api_url"), address.split(separator: "/").count == 2 else { return [] }
        let message = "account.api_url has no path; it should probably be \(address)/services/v2"
        return [ConfigurationFault(origin: configuration.origin(of: setting), message: message)]
    }

    /// A note for each folder of sets that is not there. That is no fault: it may be on a disk that is connected later.
    private static func setNotes(_ configuration: Configuration) -> [ConfigurationFault] {
        guard let setting = Options.setting("plans.folders") else { return [] }
        return configuration.options.plans.folders.filter { !configuration.silent.contains($0) && access($0, F_OK) != 0 }.map {
            let message =
                "plans.folders: \($0) is not there, so no plan comes from it; connect its disk, or run: mkdir -p \($0.shellQuoted)"
            return ConfigurationFault(origin: configuration.origin(of: setting), message: message)
        }
    }

    /// A note if no token is configured, and no folders of sets. That is no fault of the configuration, but nothing can be synced.
    @LoopActor
    private static func tokenNotes(_ configuration: Configuration, _ file: String) -> [ConfigurationFault] {
        guard SecretSource(configuration.options.account) == nil, !configuration.hasSetsAlone,
            !DemoAddress.isHome(ofDemo: configuration.paths.data)
        else { return [] }
        let message = "no token is configured, so nothing can be synced; '\(woodshed("setup"))' asks for one and sets it up"
        return [ConfigurationFault(origin: .wholeFile(file), message: message)]
    }

    /// Checks the token file now, so that the user does not find out only on Sunday that the file is missing, invalid or readable
    /// by others.
    private static func tokenFaults(_ configuration: Configuration) -> [ConfigurationFault] {
        guard let path = configuration.options.account.tokenFile, let setting = Options.setting("account.token_file") else { return [] }
        do {
            _ = try SecretSource.token(try SecretSource.privateBytes(path), from: path)
            return []
        } catch {
            return [ConfigurationFault(origin: configuration.origin(of: setting), message: "token_file: \(error)")]
        }
    }

    @LoopActor
    static func show(_ invocation: Invocation, _ context: CommandContext) async throws -> ExitCode {
        let configuration = try context.configuration(invocation)
        return context.give(configuration, to: invocation)
    }
}

private struct CheckedConfiguration: Answer {
    let file: String
    /// The machine-wide configuration file, if it exists.
    let machine: String?
    let faults: [ConfigurationFault]
    let notes: [ConfigurationFault]

    var code: ExitCode { faults.isEmpty ? .fine : .configuration }

    func print(on output: Output) {
        for note in notes { output.warning(note.description) }
        for fault in faults { output.result(fault.description) }
        guard faults.isEmpty else { return }
        let rest = notes.isEmpty ? "" : ", but \(notes.count.counted("warning"))"
        let holds = machine.map { "what is in \($0) holds" } ?? "all options have their defaults"
        output.result((access(file, F_OK) == 0 ? "\(file): no mistakes" : "\(file): does not exist, so \(holds)") + rest)
    }

    /// The JSON of `woodshed config check`.
    static let form = JSONForm<CheckedConfiguration>([
        .init("file", "the configuration file", \.file),
        .list("faults", "what is wrong", of: ConfigurationFault.form(message: "what is wrong with it")) { $0.faults },
        .list(
            "notes", "what is unusual but not a mistake; same fields as faults",
            of: ConfigurationFault.form(message: "what is unusual about it")
        ) { $0.notes },
    ])
}

extension Configuration: Answer {
    func print(on output: Output) {
        var table = TextTable(["option", "value", "from"])
        for setting in Options.settings {
            let origin = origin(of: setting)
            let value = Self.shown(setting, options).map(\.yaml) ?? "(not shown)"
            table.add([.init(setting.key), .init(value), .init(origin.description, origin == .standard ? .faint : nil)])
        }
        table.print(on: output)
        output.result("")
        var folders = TextTable(["place", "path"])
        for (name, path) in paths.named { folders.add([.init(name), .init(path)]) }
        folders.print(on: output)
        if let music = paths.chosenMusic, music.path != music.today {
            output.message(
                "Links to the charts stay in \(music.path), which was chosen first; today that would be \(music.today). "
                    + "To have them there, set folders.music.")
        }
    }

    /// The JSON of `woodshed config show`.
    static let form = JSONForm<Configuration>([
        .map(
            "options",
            of: JSONForm<(setting: Setting, configuration: Configuration)>([
                .init("value", "the value in effect") { shown($0.setting, $0.configuration.options).map(\.json) ?? "(not shown)" },
                .init("from", "where it came from") { $0.configuration.origin(of: $0.setting).description },
            ])
        ) { configuration in Options.settings.map { ($0.key, ($0, configuration)) } },
        .map("paths", "one of woodshed's folders or files") { $0.paths.named.map { ($0.name, $0.path) } },
    ])

    /// The value of a setting. `nil` if the setting is a secret one and has a value, which must not be shown.
    private static func shown(_ setting: Setting, _ options: Options) -> InputValue? {
        let value = setting.read(options)
        return setting.isShown || value == .unset ? value : nil
    }
}
