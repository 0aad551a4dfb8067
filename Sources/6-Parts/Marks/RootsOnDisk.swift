import Glibc
import Library
import Model
import Platform

/// The mark folders as they are on disk: which exist, and which are the same folder under another name.
package struct RootsOnDisk: Sendable {
    private var identities: [String: FileIdentity] = [:]
    /// Folders that are the same as another one or lie in it, through a link or a mount, with the path that they have there.
    package private(set) var twins: [String: String] = [:]

    /// Starts with nothing known.
    init() {}

    /// Looks at the disk.
    package init(of roots: MarkRoots) {
        var found: [(folder: String, real: String)] = []
        for folder in roots.folders {
            guard let identity = FileIdentity(ofFolder: folder), let real = MatchStore.followingLinks(folder) else { continue }
            identities[folder] = identity
            found.append((folder, real))
        }
        // Folders that may contain others come first, and among equals the one that is not a link.
        found.sort { ($0.real.utf8.count, $0.real == $0.folder ? 0 : 1) < ($1.real.utf8.count, $1.real == $1.folder ? 0 : 1) }
        var kept: [(folder: String, real: String)] = []
        for (folder, real) in found {
            if let same = kept.first(where: { identities[$0.folder] == identities[folder] }) {
                twins[folder] = same.folder
            } else if let place = kept.lazy.compactMap({ Self.place(of: real, in: $0, roots) }).first {
                twins[folder] = place
            } else {
                kept.append((folder, real))
            }
        }
    }

    private static func place(of real: String, in other: (folder: String, real: String), _ roots: MarkRoots) -> String? {
        guard MarkRoots.isPath(real, in: other.real) else { return nil }
        let inner = real.utf8.dropFirst(other.real.utf8.count + 1)
        // What is ignored there is looked at here.
        guard inner.split(separator: UInt8(ascii: "/")).allSatisfy({ roots.admits(folder: Substring($0)) }) else { return nil }
        return other.folder + "/" + String(Substring(inner))
    }

    /// Whether a folder exists.
    func has(_ folder: String) -> Bool { identities[folder] != nil }

    /// Those of `folders` that are still the same on disk as when they were looked at.
    func unchanged(_ folders: Set<String>) -> Set<String> {
        folders.filter { folder in identities[folder].map { $0 == FileIdentity(ofFolder: folder) } ?? false }
    }

    /// What a path is called in the one of several twin folders that is looked at.
    func path(_ path: String, in roots: MarkRoots) -> String {
        guard !twins.isEmpty, let root = roots.root(of: path + "/"), let twin = twins[root] else { return path }
        return twin + String(Substring(path.utf8.dropFirst(root.utf8.count)))
    }
}
