public import Catalogue
import Model

/// Files that vanished together with all others in their folder, which is what a disk that was pulled out looks like. Each of them stays
/// known, with its marks, until it is back or somebody says that it is gone for good, whatever else appears in the folder meanwhile.
extension MarkFileStore {
    /// The paths of those files.
    public func filesAway() throws(LibraryError) -> Set<String> {
        Set(try database.rows("SELECT path FROM local_files WHERE is_away") { $0.text(0) })
    }

    /// The paths of files that went back to an older state.
    public func filesGoneBack() throws(LibraryError) -> [String] {
        try database.rows("SELECT path FROM local_files WHERE went_back ORDER BY path") { $0.text(0) }
    }

    /// Notes which files went away like that, and which are `back`. Nothing is written if nothing changed.
    public func note(away: some Sequence<String>, back: some Sequence<String> = []) throws(LibraryError) {
        let former = try filesAway()
        let changes = away.filter { !former.contains($0) }.map { ($0, true) } + back.filter(former.contains).map { ($0, false) }
        guard !changes.isEmpty else { return }
        try database.write { () throws(LibraryError) in
            for (path, isAway) in changes {
                try database.run("UPDATE local_files SET is_away = ? WHERE path = ?", [.flag(isAway), .text(path)])
            }
        }
    }
}
