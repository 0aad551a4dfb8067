import Glibc
import Library
package import Model
import Platform
package import Watching

/// How the files in all mark folders differ from what is known of them: what a look at everything finds.
package struct MarkSurvey: Sendable {
    /// Files that are new or have changed.
    package private(set) var changed: [String] = []
    /// Files that are no longer there, as far as can be seen.
    package private(set) var gone: [String] = []
    /// Known files that are not looked at any more: their name is ignored, or their folder is read under another name; or they are not
    /// there, and lie in none of the folders.
    package private(set) var outside: [String] = []
    /// Known files that lie in none of the folders but may still be there: what is known of them is kept until somebody lets them go.
    private(set) var homeless: [String] = []
    /// Those of them that were saved since they were read.
    package private(set) var savedOutside: [String] = []
    /// Known files that are there though the listing of their folder leaves them out, as when it ends too early.
    private(set) var unlisted: [String] = []
    /// Folders from which files went away all at once, with those files. A missing disk looks like this, and somebody who deletes the
    /// last single file while an agent runs is seen doing it: so none of these files counts as gone until the user says so.
    private(set) var emptied: [(root: String, files: [String])] = []
    /// Files that are not there, each with what stands in for it.
    private(set) var placeholders: [String: String] = [:]
    /// Folders that could not be read.
    package let unread: Set<String>

    /// Compares what is in the folders, each of which is `listed` unless it is the twin of another, with all that is `known`. Some of the
    /// known files may have been `away` for longer: files that all went at once. This looks at the disk.
    package init(
        _ listed: [(root: String, listing: FileListing)], in roots: MarkRoots, standing: RootsOnDisk, known: FileStamps,
        away: Set<String> = []
    ) {
        unread = Set(listed.flatMap(\.listing.unread))
        for path in Self.outside(roots, standing, known) {
            guard roots.root(of: path) == nil, away.contains(path) || MarkFileStore.mayBeThere(path) else {
                outside.append(path)
                continue
            }
            homeless.append(path)
            if Self.isSaved(path, known) { savedOutside.append(path) }
        }
        for (root, listing) in listed {
            let comparison = MarkComparison(of: listing, below: root, with: known)
            changed += comparison.changed
            let admitted = comparison.gone.filter(roots.admits(path:))
            if admitted.count < comparison.gone.count { outside += comparison.gone.filter { !roots.admits(path: $0) } }
            let there = Set(admitted.filter(MarkFileStore.mayBeThere))
            unlisted += there
            changed += there.filter { Self.isSaved($0, known) }.sorted { $0.precedesByBytes($1) }
            let gone = there.isEmpty ? admitted : admitted.filter { !there.contains($0) }
            let news = gone.filter { !away.contains($0) }
            guard !Self.isEmptied(listing, of: root, by: news, known, away) else {
                emptied.append((root, gone))
                continue
            }
            let unmounted = Set(Self.unmounted(gone, known, comparison.disks))
            let absent = gone.filter { !unmounted.contains($0) }
            for path in absent { placeholders[path] = Placeholder.of(path) }
            let lost = absent.filter { placeholders[$0] == nil }
            self.gone += lost.filter { !away.contains($0) }
            let missing = lost.filter(away.contains)
            if !missing.isEmpty { emptied.append((root, missing)) }
            for (folder, files) in Dictionary(grouping: unmounted, by: Folder.parent).sorted(by: { $0.key < $1.key }) {
                emptied.append((folder, files.sorted { $0.precedesByBytes($1) }))
            }
        }
    }

    /// The files that went away with their disk. This looks at the disk.
    private static func unmounted(_ gone: [String], _ known: FileStamps, _ disks: Set<UInt64>) -> [String] {
        MissingDisk.files(among: gone.map { ($0, known.stamp(known.firstIndex(notBefore: $0))) }, thoughThereAre: disks)
    }

    /// Whether a folder lost all the files at once that were there at the last look. It may have got others since then, like a folder
    /// where a disk was mounted before; but none of them may be one of the former files under another name.
    private static func isEmptied(
        _ listing: FileListing, of root: String, by gone: [String], _ known: FileStamps, _ away: Set<String>
    ) -> Bool {
        if listing.files.isEmpty { return !gone.isEmpty }
        let former = known.firstIndex(notBefore: root + "/")..<known.firstIndex(notBefore: root + "0")
        guard gone.count > 1, gone.count + away.count(where: { MarkRoots.isPath($0, in: root) }) == former.count else { return false }
        let numbers = Set(former.lazy.map { Number(known.stamp($0)) })
        return !listing.files.indices.contains { numbers.contains(Number(listing.files.stamp($0))) }
    }

    /// What a file keeps when it is renamed.
    private struct Number: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ stamp: FileStamp) { (device, inode) = (stamp.device, stamp.inode) }
    }

    /// Whether a known file has changed, as far as can be seen. Where it lies may have got other numbers.
    private static func isSaved(_ path: String, _ known: FileStamps) -> Bool {
        guard let stamp = FileStamp(ofFile: path) else { return false }
        let former = known.stamp(known.firstIndex(notBefore: path))
        return (stamp.size, stamp.modified) != (former.size, former.modified)
    }

    /// The known files that lie in none of the folders, or in one that is the twin of another.
    private static func outside(_ roots: MarkRoots, _ standing: RootsOnDisk, _ known: FileStamps) -> [String] {
        // The files of one folder lie together, and no folder lies in another.
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
