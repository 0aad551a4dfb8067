import Glibc

/// What other programs leave where a mark file was: what a cloud folder shows for a file that it did not download, or the file itself under
/// the name of a backup.
enum Placeholder {
    private static let endings = [".nextcloud", ".owncloud", ".bak", ".old", ".orig", "_bak", "_old"]

    /// The path of what stands in for the mark file at `path`, which is not there; `nil` if nothing does. This looks at the disk.
    static func of(_ path: String) -> String? { endings.lazy.map { path + $0 }.first { access($0, F_OK) == 0 } }
}
