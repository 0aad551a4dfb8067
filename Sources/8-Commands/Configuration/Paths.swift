package import CommandLine
import Glibc
import Model
import Platform

/// Where everything is. Looking up a path creates nothing.
package struct Paths: Hashable, Sendable {
    /// The configuration file, whether it exists or not.
    package let configuration: String
    /// The machine-wide one, whether it exists or not.
    package let machine: String?
    /// For what must survive.
    package let data: String
    /// For what can be made again.
    package let cache: String
    /// For the running agent's socket.
    package let runtime: String
    /// For charts under readable names.
    package let music: String
    /// How that was chosen, unless it is set.
    package let chosenMusic: MusicFolder?

    /// The folders that follow from options and environment.
    package init(options: Options, configuration: String, sources: ConfigurationSources) {
        let environment = sources.environment
        self.configuration = configuration
        machine = sources.machineFile
        // Files are identified by their paths there, whichever way somebody took to them.
        data = Folder.real(
            options.folders.data ?? (environment.folder("XDG_DATA_HOME") ?? environment.home + "/.local/share") + "/woodshed")
        cache = options.folders.cache ?? (environment.folder("XDG_CACHE_HOME") ?? environment.home + "/.cache") + "/woodshed"
        runtime = options.folders.runtime ?? Self.runtimeFolder(environment).map { $0 + "/woodshed" } ?? data + "/runtime"
        chosenMusic = options.folders.music == nil ? MusicFolder(data: data, environment: environment) : nil
        music = options.folders.music ?? chosenMusic?.path ?? ""
    }

    /// The configuration file: the one that was named, otherwise the one in `--home`, otherwise the user's.
    package static func configurationFile(_ sources: ConfigurationSources) -> String {
        if let file = sources.file { return file }
        if let home = sources.homeFolder { return home + "/config/woodshed.yaml" }
        return (sources.environment.folder("XDG_CONFIG_HOME") ?? sources.environment.home + "/.config") + "/woodshed/woodshed.yaml"
    }

    /// The desktop session's folder for sockets.
    ///
    /// A shell without the variable (cron, sudo) must also find the session's agent, so its usual place is tried, too. Without a
    /// session, a folder in the data folder is used. Not the cache, which may be emptied at any moment, and the socket with it.
    /// And not /tmp, where any user could create the name first.
    package static func runtimeFolder(_ environment: Environment) -> String? {
        if let folder = environment.folder("XDG_RUNTIME_DIR") { return folder }
        let usual = "/run/user/\(getuid())"
        var status = stat()
        guard lstat(usual, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid() else { return nil }
        return usual
    }

    /// Every path with its name, as `config show` lists them.
    package var named: [(name: String, path: String)] {
        [("configuration", configuration), ("data", data), ("cache", cache), ("runtime", runtime), ("music", music)]
    }
}

/// The sources of the configuration, besides the defaults.
package struct ConfigurationSources: Sendable {
    package let environment: Environment
    /// `--home`, as an absolute path.
    package var home: String?
    /// `--config`, as an absolute path.
    package var file: String?
    /// Settings that were given as flags, by key.
    package var flags: [String: InputValue] = [:]

    /// The machine-wide settings, below the user's own.
    package var machineFile: String? { environment.machineFolder.map { $0 + "/woodshed.yaml" } }

    /// The folder for everything: `--home`, or else the one that the environment names.
    package var homeFolder: String? { home ?? (try? Self.home(in: environment)) ?? nil }

    /// The environment variable with the meaning of `--home`.
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
