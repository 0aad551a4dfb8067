package import CommandLine
import Glibc

/// Where everything is. Looking up a path creates nothing.
package struct Paths: Hashable, Sendable {
    /// The configuration file, whether it is there or not.
    package let configuration: String
    /// What must survive.
    package let data: String
    /// What can be made again.
    package let cache: String
    /// The lock and the socket of the running agent.
    package let runtime: String
    /// Charts under names for people.
    package let music: String

    /// The folders that follow from options and environment.
    package init(options: Options, configuration: String, sources: ConfigurationSources) {
        let environment = sources.environment
        self.configuration = configuration
        data = options.folders.data ?? (environment.folder("XDG_DATA_HOME") ?? environment.home + "/.local/share") + "/woodshed"
        cache = options.folders.cache ?? (environment.folder("XDG_CACHE_HOME") ?? environment.home + "/.cache") + "/woodshed"
        runtime = options.folders.runtime ?? Self.runtimeFolder(environment).map { $0 + "/woodshed" } ?? data + "/runtime"
        music = options.folders.music ?? environment.home + "/Music/Woodshed"
    }

    /// The file that is read: the one named, else that of the home, else that of the user.
    package static func configurationFile(_ sources: ConfigurationSources) -> String {
        if let file = sources.file { return file }
        if let home = sources.home { return home + "/config/woodshed.yaml" }
        return (sources.environment.folder("XDG_CONFIG_HOME") ?? sources.environment.home + "/.config") + "/woodshed/woodshed.yaml"
    }

    /// The session's folder for sockets.
    ///
    /// A shell without the variable (cron, sudo) must find the agent of the session, so its usual place is looked at too.
    /// Without a session a folder in the data folder serves: a cache may be emptied at any moment, and a lock that can
    /// vanish is none; in /tmp anybody could make the name first.
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
