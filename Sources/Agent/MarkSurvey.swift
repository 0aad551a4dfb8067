import Library
import Model
import Watching

/// How the files in all folders of marks differ from those that are known: what a look at everything finds.
struct MarkSurvey: Sendable {
    /// Files that are new or not as they were.
    private(set) var changed: [String] = []
    /// Files that are not there any more, as far as one can see.
    private(set) var gone: [String] = []
    /// Known files that are not looked at any more: of a folder that is none of these, or by a name that is passed over.
    private(set) var outside: [String] = []
    /// Folders that have none of the files that were there, with how many those are. A disk that is not there looks like this, and
    /// whoever deletes the last file alone while an agent runs is seen doing it: nothing in them counts as gone.
    private(set) var emptied: [(root: String, count: Int)] = []
    /// Folders that could not be read.
    let unread: Set<String>

    /// Compares what is in the folders, each of which is `listed` unless it is another one's twin, with all that is `known`.
    init(_ listed: [(root: String, listing: FileListing)], in roots: MarkRoots, standing: StandingRoots, known: FileStamps) {
        unread = Set(listed.flatMap(\.listing.unread))
        outside = Self.outside(roots, standing, known)
        for (root, listing) in listed {
            let comparison = MarkComparison(of: listing, below: root, with: known)
            changed += comparison.changed
            let gone = comparison.gone.filter(roots.admits(path:))
            if gone.count < comparison.gone.count { outside += comparison.gone.filter { !roots.admits(path: $0) } }
            if listing.files.isEmpty, !gone.isEmpty { emptied.append((root, gone.count)) } else { self.gone += gone }
        }
    }

    /// The known files that lie in none of the folders, or in one that is another one's twin.
    private static func outside(_ roots: MarkRoots, _ standing: StandingRoots, _ known: FileStamps) -> [String] {
        // Those of one folder lie together, and folders lie in none of each other.
        let inside = roots.folders.filter { standing.twins[$0] == nil }
            .map { known.firstIndex(notBefore: $0 + "/")..<known.firstIndex(notBefore: $0 + "0") }
            .sorted { $0.lowerBound < $1.lowerBound }
        var outside: [String] = []
        var next = 0
        for range in inside + [known.count..<known.count] {
            while next < range.lowerBound {
                outside.append(known[next].path)
                next += 1
            }
            next = max(next, range.upperBound)
        }
        return outside
    }
}
