package import CommandLine
import Glibc
import Model
import Platform

/// The program's files and folders. Looking up a path creates nothing.
package struct Paths: Hashable, Sendable {
    /// The configuration file, which may not exist.
    package let configuration: String
    /// The machine-wide configuration file, which may not exist.
    package let machine: String?
    /// The folder for data that must survive.
    package let data: String
    /// The folder for data that can be regenerated.
    package let cache: String
    /// The folder for the running agent's socket.
    package let runtime: String
    /// The folder for charts under readable names.
    package let music: String
    /// How the music folder was chosen; nil if the options set it.
    package let chosenMusic: MusicFolder?

    /// The folders that result from options and environment.
    package init(options: Options, configuration: String, sources: ConfigurationSources) {
        let environment = sources.environment
        self.configuration = configuration
        machine = sources.machineFile
        // Files are identified by their paths in this folder, so symbolic links in its path are resolved.
        data = Folder.real(
            options.folders.data ?? (environment.folder("XDG_DATA_HOME") ?? environment.home + "/.local/share") + "/woodshed")
        cache = options.folders.cache ?? (environment.folder("XDG_CACHE_HOME") ?? environment.home + "/.cache") + "/woodshed"
        runtime = options.folders.runtime ?? Self.runtimeFolder(environment).map { $0 + "/woodshed" } ?? data + "/runtime"
        chosenMusic = options.folders.music == nil ? MusicFolder(data: data, environment: environment) : nil
        music = options.folders.music ?? chosenMusic?.path ?? ""
    }

    /// The configuration file: the file given with `--config`, otherwise the file in the folder of `--home` or WOODSHED_HOME,
    /// otherwise the user's.
    package static func configurationFile(_ sources: ConfigurationSources) -> String {
        if let file = sources.file { return file }
        if let home = sources.homeFolder { return home + "/config/woodshed.yaml" }
        return (sources.environment.folder("XDG_CONFIG_HOME") ?? sources.environment.home + "/.config") + "/woodshed/woodshed.yaml"
    }

    /// The desktop session's folder for sockets.
    ///
    /// A process without XDG_RUNTIME_DIR, as under cron or sudo, must also find the session's agent, so the usual value of that
    /// variable is tried, too. Nil without a session. Then the socket goes into the data folder, since the cache may be emptied at
    /// any moment, and in /tmp any user could create the name first.
    package static func runtimeFolder(_ environment: Environment) -> String? {
        if let folder = environment.folder("XDG_RUNTIME_DIR") { return folder }
        let usual = "/run/user/\(getuid())"
        var status = stat()
        guard lstat(usual, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else { return nil }
        return usual
    }

    /// Every path with its name, as listed by `config show`.
    package var named: [(name: String, path: String)] {
        [("configuration", configuration), ("data", data), ("cache", cache), ("runtime", runtime), ("music", music)]
    }
}

/// The sources of the configuration, apart from the defaults.
package struct ConfigurationSources: Sendable {
    package let environment: Environment
    /// The value of `--home`, as an absolute path.
    package var home: String?
    /// The value of `--config`, as an absolute path.
    package var file: String?
    /// The settings given as flags, by key.
    package var flags: [String: InputValue] = [:]

    /// The file of the machine-wide settings. The user's own settings override it.
    package var machineFile: String? { environment.machineFolder.map { $0 + "/woodshed.yaml" } }

    /// The folder that contains all others: the value of `--home`, otherwise of WOODSHED_HOME.
    package var homeFolder: String? { home ?? (try? Self.home(in: environment)) ?? nil }

    /// The environment variable with the same effect as `--home`.
    static let homeVariable = Setting.variablePrefix + "HOME"

    static func home(in environment: Environment) throws(Trouble) -> String? {
        guard let text = environment[homeVariable] else { return nil }
        guard case .text(let path) = try InputType.path.parse(text, base: PathBase(home: environment.home, folder: PathBase.currentFolder))
        else { return nil }
        return path
    }

    package init(environment: Environment, home: String? = nil, file: String? = nil, flags: [String: InputValue] = [:]) {
        (self.environment, self.home, self.file, self.flags) = (environment, home, file, flags)
    }

    package init(_ invocation: Invocation, environment: Environment) {
        self.init(environment: environment, home: invocation.value("home"), file: invocation.value("config"))
        for setting in Options.settings {
            if let value = invocation.flags[setting.flag]?.last { flags[setting.key] = value }
        }
    }
}
