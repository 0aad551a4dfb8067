package import CommandLine
import Glibc
import Platform

/// Where everything is. Looking up a path creates nothing.
package struct Paths: Hashable, Sendable {
    /// The configuration file, whether it exists or not.
    package let configuration: String
    /// For what must survive.
    package let data: String
    /// For what can be made again.
    package let cache: String
    /// For the running agent's socket.
    package let runtime: String
    /// For charts under readable names.
    package let music: String

    /// The folders that follow from options and environment.
    package init(options: Options, configuration: String, sources: ConfigurationSources) {
        let environment = sources.environment
        self.configuration = configuration
        data = options.folders.data ?? (environment.folder("XDG_DATA_HOME") ?? environment.home + "/.local/share") + "/woodshed"
        cache = options.folders.cache ?? (environment.folder("XDG_CACHE_HOME") ?? environment.home + "/.cache") + "/woodshed"
        runtime = options.folders.runtime ?? Self.runtimeFolder(environment).map { $0 + "/woodshed" } ?? data + "/runtime"
        music = options.folders.music ?? Self.musicFolder(environment)
    }

    /// In the desktop's folder for music, whatever it is called. Links that are in `~/Music` already stay where people know them.
    private static func musicFolder(_ environment: Environment) -> String {
        let usual = environment.home + "/Music/Woodshed"
        guard access(usual, F_OK) != 0 else { return usual }
        return (environment.folder("XDG_MUSIC_DIR") ?? desktopMusicFolder(environment)).map { $0 + "/Woodshed" } ?? usual
    }

    /// What `xdg-user-dirs-update` has written down, as in `XDG_MUSIC_DIR="$HOME/Musik"`; the home itself means that there is none.
    private static func desktopMusicFolder(_ environment: Environment) -> String? {
        let file = (environment.folder("XDG_CONFIG_HOME") ?? environment.home + "/.config") + "/user-dirs.dirs"
        guard let bytes = try? AtomicFile.read(file, limit: 1 << 16) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        guard let line = lines.last(where: { $0.hasPrefix("XDG_MUSIC_DIR=") }) else { return nil }
        let value = line.dropFirst("XDG_MUSIC_DIR=".count).filter { $0 != "\"" }
        let path = value.hasPrefix("$HOME/") ? environment.home + value.dropFirst(5) : value
        let folder = path.split(separator: "/")
        guard path.hasPrefix("/"), folder != environment.home.split(separator: "/") else { return nil }
        return "/" + folder.joined(separator: "/")
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
    /// And not /tmp, where anybody could create the name first.
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
