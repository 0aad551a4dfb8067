package import CommandLine
import Glibc
import LocalHTTP
import Model
import Platform
package import Viewer

/// The options in effect with their origins, and the folders that result from them.
package struct Configuration: Sendable {
    package let options: Options
    package let paths: Paths
    /// Unusual findings that are not mistakes.
    package let notes: [ConfigurationFault]
    private let origins: [String: Origin]
    /// Configured folders that did not respond in time: their disk or network may be gone. Nothing is done in these folders, and
    /// their files do not count as deleted.
    package var silent: Set<String> = []
    /// The mistakes because of which this is not all that was configured.
    package var faults: [ConfigurationFault] = []
    /// Whether settings may be missing because of mistakes.
    package private(set) var isPartial = false

    /// What the files say, whatever variables and flags say besides; nil if they have mistakes, or none were read.
    private(set) var written: Options?

    /// Whether all plans come from the musician's own folders, since no account is configured.
    package var hasSetsAlone: Bool { !options.plans.folders.isEmpty && SecretSource(options.account) == nil }

    /// The first mistake, if settings may be missing because of it.
    package var mistake: String? { isPartial ? faults.first?.description : nil }

    /// No sensible configuration file is larger.
    static let greatestSize = 256 << 10

    /// The origin of a setting's value.
    package func origin(of setting: Setting) -> Origin { origins[setting.key] ?? .standard }

    /// Combines all sources. In descending order of precedence: flags, environment, the user's file, the machine's file, defaults.
    /// Throws all faults together.
    package static func load(_ sources: ConfigurationSources) throws(ConfigurationError) -> Configuration {
        let file = Paths.configurationFile(sources)
        let layers = [
            machineLayer(sources),
            layer(file: file, isDemanded: sources.file != nil, environment: sources.environment),
            ConfigurationLayer(environment: sources.environment),
            ConfigurationLayer(flagsOf: sources),
        ]
        let (options, origins) = combined(layers)
        let faults = ConfigurationFault.inOrder(
            layers.flatMap(\.faults) + addressFaults(options, origins) + viewerFaults(options, origins),
            files: [sources.machineFile, file].compactMap(\.self))
        let paths = Paths(options: options, configuration: file, sources: sources)
        let unsafe = unsafeFolders(paths, origins)
        var configuration = Configuration(options: options, paths: paths, notes: layers.flatMap(\.notes), origins: origins)
        guard faults.isEmpty, unsafe.isEmpty else {
            (configuration.faults, configuration.isPartial) = (faults, true)
            throw ConfigurationError(faults: faults + unsafe, rest: unsafe.isEmpty ? configuration : nil)
        }
        configuration.written = combined(Array(layers.prefix(2))).options
        return configuration
    }

    /// What results if the files, which have mistakes now, count as they were kept last; flags and environment count as they are. Nil
    /// if nothing was kept for the library in the folders of `rest`, others may have written it, or not all mistakes are in files.
    package static func kept(_ sources: ConfigurationSources, insteadOf rest: Configuration) -> Configuration? {
        let path = KeptConfiguration.path(in: rest.paths.data)
        guard ConfigurationError(faults: rest.faults).isOfFiles, let bytes = KeptConfiguration.read(path) else { return nil }
        let files = ConfigurationLayer(file: bytes, path: path, base: PathBase(home: "/", folder: nil))
        let layers = [files, ConfigurationLayer(environment: sources.environment), ConfigurationLayer(flagsOf: sources)]
        let (options, origins) = combined(layers)
        let paths = Paths(options: options, configuration: rest.paths.configuration, sources: sources)
        guard (layers.flatMap(\.faults) + addressFaults(options, origins) + viewerFaults(options, origins)).isEmpty,
            paths.data == rest.paths.data, unsafeFolders(paths, origins).isEmpty
        else { return nil }
        return Configuration(options: options, paths: paths, notes: [], origins: origins)
    }

    private static func unsafeFolders(_ paths: Paths, _ origins: [String: Origin]) -> [ConfigurationFault] {
        [("data", paths.data), ("cache", paths.cache), ("runtime", paths.runtime)].compactMap { name, folder in
            Writers.danger(to: folder).map {
                ConfigurationFault(origin: origins["folders." + name] ?? .standard, message: "folders.\(name): \($0)")
            }
        }
    }

    /// The configuration that another process wrote with `Options.forOthers`. `paths` are that process's folders. Nil if `bytes`
    /// are not valid.
    package static func ofOtherProcess(_ bytes: [UInt8], paths: Paths) -> Configuration? {
        let layer = ConfigurationLayer(file: bytes, path: "", base: PathBase(home: "/", folder: nil))
        guard layer.faults.isEmpty else { return nil }
        return Configuration(options: combined([layer]).options, paths: paths, notes: [], origins: [:])
    }

    /// The options of a user of this machine who has set nothing.
    package static func machineOptions(_ sources: ConfigurationSources) throws(ConfigurationError) -> Options {
        let layer = machineLayer(sources)
        guard layer.faults.isEmpty else { throw ConfigurationError(faults: layer.faults) }
        return combined([layer]).options
    }

    /// The options from the user's file and the machine's file, without this command's flags and environment. They are to be written
    /// to the user's file, which would lose an unknown section, so such a section counts as a fault.
    package static func ownOptions(_ sources: ConfigurationSources) throws(ConfigurationError) -> Options {
        let own = layer(file: Paths.configurationFile(sources), isDemanded: sources.file != nil, environment: sources.environment)
        let layers = [machineLayer(sources), own]
        let faults = layers.flatMap(\.faults) + own.notes
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        return combined(layers).options
    }

    static func combined(_ layers: [ConfigurationLayer]) -> (options: Options, origins: [String: Origin]) {
        var options = Options()
        var origins: [String: Origin] = [:]
        for layer in layers {
            for setting in Options.settings {
                guard let (value, origin) = layer.values[setting.key] else { continue }
                // A setting of a group replaces the group's other settings from lower layers.
                for other in Options.settings where setting.group != nil && other.group == setting.group && value != .unset {
                    _ = other.write(&options, .unset)
                    origins[other.key] = nil
                }
                _ = setting.write(&options, value)
                origins[setting.key] = origin
            }
        }
        return (options, origins)
    }

    /// Anyone who can write the machine's file can run commands as any user (`account.token_command`). So the file is refused if
    /// anyone but root and this user may write it.
    static func machineLayer(_ sources: ConfigurationSources) -> ConfigurationLayer {
        let base = PathBase(home: sources.environment.home, folder: nil)
        guard let path = sources.machineFile else { return ConfigurationLayer(file: [], path: "", base: base) }
        var layer = ConfigurationLayer(file: [], path: path, base: base)
        do throws(SystemError) {
            let file = try Descriptor.openFile(path)
            var status = stat()
            guard fstat(file.number, &status) == 0 else { throw SystemError("read", path: path) }
            guard status.st_uid == 0 || status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
                let quoted = path.shellQuoted
                layer.refuse(
                    .wholeFile(path), "others may write it, so it is not used",
                    remedy: "sudo chown root: \(quoted) && sudo chmod 644 \(quoted)")
                return layer
            }
            return ConfigurationLayer(file: try file.readAll(limit: greatestSize, path: path), path: path, base: base)
        } catch {
            // A link whose target is away is a file as well: without it, others would be the defaults.
            if isLink(path) || error.code != ENOENT && error.code != ENOTDIR {
                layer.refuse(.wholeFile(path), "\(error)", remedy: error.code == EACCES ? Writers.opening(path, forAll: true) : nil)
            }
            return layer
        }
    }

    /// Whether a path that cannot be opened is a link, whose target is away.
    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    static func layer(file: String, isDemanded: Bool, environment: Environment) -> ConfigurationLayer {
        let base = PathBase(home: environment.home, folder: nil)
        do throws(SystemError) {
            let opened = try Descriptor.openFile(file)
            let remedy = try Writers.remedy(opened.number, at: file)
            var layer = ConfigurationLayer(file: try opened.readAll(limit: greatestSize, path: file), path: file, base: base)
            if let remedy { layer.refuseWhatIsNotHarmless(remedy) }
            return layer
        } catch {
            var layer = ConfigurationLayer(file: [], path: file, base: base)
            // The user's file is optional, but a file named with `--config` must exist.
            // Whoever has just typed a path is to correct it, and does not want an answer about another home.
            let origin = isDemanded ? Origin.flag("--config") : .wholeFile(file)
            if error.code != ENOENT || isLink(file) {
                layer.refuse(origin, "\(error)", remedy: error.code == EACCES ? Writers.opening(file, forAll: false) : nil)
            } else if isDemanded {
                layer.refuse(origin, "\(file) is not there: correct the path, or make that file", remedy: woodshed("config init"))
            }
            return layer
        }
    }

    /// The token is sent to the addresses of the account, so plain http is accepted only for this machine, and only if the user
    /// allows it.
    private static func addressFaults(_ options: Options, _ origins: [String: Origin]) -> [ConfigurationFault] {
        let addresses = [
            ("account.api_url", options.account.apiURL), ("account.annotations_url", options.account.annotationsURL ?? ""),
        ]
        return addresses.compactMap { key, text in
            guard let address = try? WebAddress(text), address.scheme == "http" else { return nil }
            let origin = origins[key] ?? .standard
            if !address.isLoopback {
                return ConfigurationFault(origin: origin, message: "\(key): only https:// is accepted, because the token is sent there")
            }
            guard !options.account.allowHTTPLoopback else { return nil }
            let message = "\(key): plain http to this machine needs account.allow_http_loopback: true"
            return ConfigurationFault(origin: origin, message: message)
        }
    }
}

extension CommandContext {
    /// The configuration that results from flags, environment, file and defaults.
    package func configuration(_ invocation: Invocation) throws(CommandFailure) -> Configuration {
        do {
            let configuration = try Configuration.load(ConfigurationSources(invocation, environment: environment))
            // Print the notes as warnings: a mistyped variable, for example, would otherwise be ignored silently.
            for note in configuration.notes { output.warning(note.description) }
            return configuration
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    package init(_ error: ConfigurationError) {
        self.init(.configuration, error.description)
    }
}

/// Settings that move to another machine together with a home.
extension Configuration {
    /// The user's own settings as a file, without the sections `folders` and `export`, the service's addresses, and values that
    /// must not be shown. Nil if the user has set nothing.
    package static func portable(_ sources: ConfigurationSources) throws(ConfigurationError) -> String? {
        let machine = machineLayer(sources)
        let own = layer(file: Paths.configurationFile(sources), isDemanded: sources.file != nil, environment: sources.environment)
        let faults = machine.faults + own.faults + own.notes
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        guard !own.values.isEmpty else { return nil }
        let usual = combined([machine]).options
        var options = combined([machine, own]).options
        for setting in Options.settings where !isPortable(setting) { _ = setting.write(&options, setting.read(usual)) }
        let home = sources.environment.home
        guard home != "/" else { return options.explainedFile(besides: usual) }
        // Replace the home folder only at the beginning of a path.
        return [" ", "\"", "'", "["].reduce(options.explainedFile(besides: usual)) { $0.replacing("\($1)\(home)/", with: "\($1)~/") }
    }

    /// The text of a portable configuration for import. The archive may come from somebody else, so it must not set commands to
    /// run, folders to write to, files to read, addresses to send to, or tokens. Such settings are only `offered`, as comments.
    package static func imported(
        _ bytes: [UInt8], called path: String, home: String
    ) throws(ConfigurationError) -> (file: String, offered: [String]) {
        let layer = ConfigurationLayer(file: bytes, path: path, base: PathBase(home: home, folder: nil))
        let faults = layer.faults + layer.notes
        guard faults.isEmpty else { throw ConfigurationError(faults: faults) }
        let said = Options.settings.filter { layer.values[$0.key] != nil }
        let offered = said.filter { !isHarmless($0) }.map(\.key)
        let options = combined([layer]).options
        return (options.explainedFile(saying: Set(said.map(\.key)).subtracting(offered), offered: Set(offered)), offered)
    }

    /// Whether the setting only affects what is shown, and how. Any other setting needs the user's decision.
    static func isHarmless(_ setting: Setting) -> Bool {
        switch setting.section {
        case "plans", "polling", "charts", "render", "cache", "notifications", "log": true
        case "annotations": setting.key != "annotations.folders"
        default: ["account.person", "account.service_types"].contains(setting.key)
        }
    }

    private static func isPortable(_ setting: Setting) -> Bool {
        setting.isShown && !["folders", "export"].contains(setting.section)
            && !["account.api_url", "account.annotations_url", "account.allow_http_loopback"].contains(setting.key)
    }
}

extension Configuration {
    /// The faults in the viewer's settings. To be reached from other machines, the viewer needs a token that is not the account's,
    /// and answers only to configured names.
    static func viewerFaults(_ options: Options, _ origins: [String: Origin]) -> [ConfigurationFault] {
        let viewer = options.viewer
        var faults: [ConfigurationFault] = []
        func refuse(_ key: String, _ message: String) {
            faults.append(ConfigurationFault(origin: origins[key] ?? .standard, message: "\(key): \(message)"))
        }
        for name in viewer.names where !isHost(name) {
            refuse("viewer.names", "'\(name.printable)' is neither a host name nor an address; write only the NAME of http://NAME:8737/")
        }
        if let file = viewer.tokenFile, file == options.account.tokenFile {
            refuse("viewer.token_file", "this is the account's token; write another one for browsers to another file")
        }
        guard let address = IPAddress(viewer.listen) else {
            refuse("viewer.listen", "'\(viewer.listen.printable)' is not an IP address; write one of this machine, or 0.0.0.0 for all")
            return faults
        }
        guard address != .loopback else { return faults }
        if address.isLoopback {
            refuse("viewer.listen", "\(address) reaches this machine only, as 127.0.0.1 does; write that")
        } else if viewer.tokenFile == nil {
            refuse(
                "viewer.listen",
                "beyond 127.0.0.1 a token is required, in a file to be named as viewer.token_file; "
                    + "'\(woodshed("help tablet"))' says how to make one")
        } else if address.isAny, viewer.names.isEmpty {
            refuse("viewer.listen", "with \(address), viewer.names must list the names or addresses that browsers use for this machine")
        }
        return faults
    }

    private static func isHost(_ name: String) -> Bool {
        IPAddress(name) != nil
            || name.utf8.allSatisfy { byte in
                switch Character(UnicodeScalar(byte)) {
                case "a"..."z", "A"..."Z", "0"..."9", ".", "-": true
                default: false
                }
            }
    }

    /// The network address that the viewer listens on, with the browsers' token from its file and, if `withGuests`, the guests'
    /// token. Nil if the viewer serves this machine only.
    package func viewerNetwork(withGuests: Bool = true) throws(ConfigurationError) -> ViewerSettings.Network? {
        guard let address = IPAddress(options.viewer.listen), address != .loopback, let path = options.viewer.tokenFile else { return nil }
        let token = try browserToken(path, "viewer.token_file")
        let guestToken = try (withGuests ? options.viewer.guestTokenFile : nil).map { path throws(ConfigurationError) in
            try browserToken(path, "viewer.guest_token_file", besides: token)
        }
        return ViewerSettings.Network(address: address, names: options.viewer.names, token: token, guestToken: guestToken)
    }

    /// Reads a browsers' token from the file at `path`, the value of `setting`. The token must not be easy to guess, and must
    /// differ from `other` and from the account's token.
    private func browserToken(_ path: String, _ setting: String, besides other: Secret? = nil) throws(ConfigurationError) -> Secret {
        do {
            let token = try SecretSource.line(try SecretSource.privateBytes(path), from: path, form: "a token")
            if let account = options.account.tokenFile, let other = try? SecretSource.privateBytes(account),
                (try? SecretSource.line(other, from: account, form: "a token")) == token
            {
                throw Trouble("\(path) holds the account's token; write another one for browsers to it")
            }
            if other?.isSame(as: token) == true {
                throw Trouble(
                    "\(path) holds the token of viewer.token_file, by which guests could change everything; write another one to it")
            }
            if let weakness = ViewerToken.weakness(of: token) {
                throw Trouble("the token in \(path) \(weakness); \(ViewerToken.advice(path))")
            }
            return Secret(token)
        } catch {
            let origin = Options.setting(setting).map { self.origin(of: $0) } ?? .standard
            let fault = ConfigurationFault(origin: origin, message: "\(setting): \(error)", isOfGuests: other != nil)
            throw ConfigurationError(faults: [fault])
        }
    }
}
