import CommandLine
import Glibc
package import Platform

/// The folder of the links to the charts if none is set: in the desktop's folder for music, whatever its name.
///
/// It is chosen once, and the data folder keeps the choice. The links, and the marks that were saved beside them, do not move along when
/// that folder gets another name, or when a program does not have the desktop's environment.
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

    /// Keeps the choice for the future. Returns whether it was made just now.
    package func keep() throws(SystemError) -> Bool {
        guard !isKept else { return false }
        // A home may be renamed.
        try AtomicFile.write((path.hasPrefix(home + "/") ? "~" + path.dropFirst(home.count) : path) + "\n", to: file)
        return true
    }

    private static func read(_ file: String, home: String) -> String? {
        guard let bytes = try? AtomicFile.read(file, limit: 1 << 13) else { return nil }
        let line = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" }
        return line.hasPrefix("~/") ? home + line.dropFirst() : line.hasPrefix("/") ? String(line) : nil
    }

    /// Links that are in `~/Music` already stay where people know them.
    private static func choose(_ environment: Environment) -> String {
        let usual = environment.home + "/Music/Woodshed"
        guard Folder.isOnNetwork(usual) || access(usual, F_OK) != 0 else { return usual }
        return (environment.folder("XDG_MUSIC_DIR") ?? ofDesktop(environment)).map { $0 + "/Woodshed" } ?? usual
    }

    /// The folder that `xdg-user-dirs-update` noted, as in `XDG_MUSIC_DIR="$HOME/Musik"`; the home itself means that there is none.
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
