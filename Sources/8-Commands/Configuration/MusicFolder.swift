import CommandLine
import Glibc
package import Platform

/// The default folder for the links to the charts: inside the desktop's music folder, which has a different name in each language.
///
/// The folder is chosen once, and the choice is stored in the data folder. A renamed music folder, or a missing desktop environment,
/// would otherwise separate the links from the marks saved next to them.
package struct MusicFolder: Hashable, Sendable {
    package let path: String
    package let today: String
    private let isKept: Bool
    private let file: String
    private let home: String

    init(data: String, environment: Environment) {
        file = data + "/music-folder"
        home = environment.home
        today = Self.choose(environment)
        let kept = Self.read(file, home: home)
        isKept = kept != nil
        path = kept ?? today
    }

    /// Folders at the same place are equal, whether or not the choice is stored yet: storing it must not look like a new configuration.
    package static func == (left: MusicFolder, right: MusicFolder) -> Bool { left.path == right.path }
    package func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// Stores the choice. Returns whether it had not been stored before.
    package func keep() throws(SystemError) -> Bool {
        guard !isKept else { return false }
        // Write the home folder as "~", since it may be renamed.
        try AtomicFile.write((path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path) + "\n", to: file)
        return true
    }

    private static func read(_ file: String, home: String) -> String? {
        guard let bytes = try? AtomicFile.read(file, limit: 1 << 13) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
        return line.hasPrefix("~/") ? home + line.dropFirst() : line.hasPrefix("/") ? String(line) : nil
    }

    /// Keeps using `~/Music/Woodshed` if it exists and is not on a network, so users find the links where they expect them.
    private static func choose(_ environment: Environment) -> String {
        let usual = environment.home + "/Music/Woodshed"
        guard Folder.isOnNetwork(usual) || access(usual, F_OK) != 0 else { return usual }
        return (environment.folder("XDG_MUSIC_DIR") ?? ofDesktop(environment)).map { $0 + "/Woodshed" } ?? usual
    }

    /// The folder in `user-dirs.dirs`, as in `XDG_MUSIC_DIR="$HOME/Musik"`. The home folder itself stands for no music folder.
    private static func ofDesktop(_ environment: Environment) -> String? {
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
}
