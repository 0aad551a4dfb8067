import Glibc
import Model
import Platform

/// What a catalogue that is begun anew beside charts takes over: the links that people open them by.
extension LinkStore {
    /// Takes the links to charts in the folders of `root` for ours, once after the catalogue was begun anew: an earlier one has made
    /// them. They stay as they are until a plan wants their places; whose charts they lead to is not known yet.
    func adoptLinks(in root: String) throws(LibraryError) {
        guard try database.row("SELECT 1 FROM stamps WHERE name = 'begun'", [], { _ in true }) == true else { return }
        var found: [(path: String, target: String)] = []
        for name in (try? Folder.names(in: root)) ?? [] {
            let folder = root + "/" + name
            guard let listing = try? FolderListing.of(folder) else { continue }
            for entry in listing.entries {
                guard let target = entry.linkTarget, ChartFileName.isChartPath(target, in: linkedChartsFolder) else { continue }
                found.append((folder + "/" + entry.name, target))
            }
        }
        try database.write { () throws(LibraryError) in
            for link in found {
                try database.run(
                    "INSERT INTO links (path, attachment_id, target, stands) VALUES (?, '', ?, 0) ON CONFLICT (path) DO NOTHING",
                    [.text(link.path), .text(link.target)])
            }
            try database.run("DELETE FROM stamps WHERE name = 'begun'")
        }
    }
}
