import Glibc
import Library
package import Model
package import Platform
package import Watching

/// The mark folders with all files in them, as they are on disk.
package struct ListedFolders: Sendable {
    let onDisk: RootsOnDisk
    /// Each folder once, whatever names it has.
    let listings: [(root: String, listing: FileListing)]

    /// Lists the folders; `listed` may know what is in one.
    @LoopActor
    package init(_ roots: MarkRoots, side: SideThread, listed: (String) async -> FileListing? = { _ in nil }) async {
        // First the state of the folders: whatever happens later shows up as a difference.
        onDisk = await side.run { RootsOnDisk(of: roots) }
        var listings: [(root: String, listing: FileListing)] = []
        for root in roots.folders where onDisk.duplicates[root] == nil {
            if let listing = await listed(root) {
                listings.append((root, listing))
            } else {
                listings.append((root, await side.run { roots.listing(of: root) }))
            }
        }
        self.listings = listings
    }
}

/// How the files in all mark folders differ from what is known of them: what a look at everything finds.
///
/// | a known file | what becomes of it |
/// |---|---|
/// | has another stamp | it is read again |
/// | is in a folder that cannot be read | it is kept |
/// | is there, but not in the listing of its folder, as when that ends too early | it is kept, and read if it was saved |
/// | is in no folder any more, and is there or was away | it is kept until a person lets it go |
/// | is in no folder any more, and is not there | it is set aside |
/// | is ignored by now, or in a folder that is read under another name | it is set aside |
/// | is not there, nor any other of its folder or disk; or was away before | it is kept until it is back or a person lets it go |
/// | is not there, while its folder is on another disk now, as an older copy that is mounted over it | it is kept like that, too |
/// | is not there, while something stands in for it | it is kept like that, too |
/// | is not there otherwise | it is gone |
package struct MarkSurvey: Sendable {
    package private(set) var changed: [String] = []
    /// Files that are missing, as far as can be seen.
    package private(set) var gone: [String] = []
    /// Known files that are set aside.
    package private(set) var outside: [String] = []
    /// Known files in none of the folders that are kept, and were saved since they were read.
    package private(set) var savedOutside: [String] = []
    /// Files that are missing and count as away.
    private(set) var missing: Set<String> = []
    /// Those of them that vanished with their folder or disk, where nothing stands in for them.
    package private(set) var lost: Set<String> = []
    package let unread: Set<String>
    package private(set) var folders = MarkFolders()

    /// Compares what is in the folders with all that is `known`. Some known files may have been `away` for longer, after all files of a
    /// folder vanished at once. This looks at the disk.
    package init(_ listed: ListedFolders, in roots: MarkRoots, known: FileStamps, away: Set<String>) {
        unread = Set(listed.listings.flatMap(\.listing.unread))
        var unconfigured: [String] = []
        var unlisted: [String] = []
        var lost: [(folder: String, files: [String])] = []
        var elsewhere: [String: [String]] = [:]
        var replaced: [String: String] = [:]
        let beyond = Self.outside(roots, listed.onDisk, known)
        // Files on a network are not touched here: it may not answer.
        let near = Set(beyond.isEmpty ? [] : Mounts.present.near(beyond, in: Folder.parent))
        for path in beyond {
            let isFar = roots.root(of: path) == nil && !near.contains(path)
            guard roots.root(of: path) == nil, away.contains(path) || isFar || MarkFileStore.mayBeThere(path) else {
                outside.append(path)
                continue
            }
            unconfigured.append(path)
            if !isFar, Self.isSaved(path, known) { savedOutside.append(path) }
        }
        for (root, listing) in listed.listings {
            let comparison = MarkComparison(of: listing, below: root, with: known)
            changed += comparison.changed
            outside += comparison.gone.filter { !roots.admits(path: $0) }
            let admitted = comparison.gone.filter(roots.admits(path:))
            let there = Set(admitted.filter(MarkFileStore.mayBeThere))
            unlisted += there
            changed += there.filter { Self.isSaved($0, known) }.sorted { $0.precedesByBytes($1) }
            let notThere = admitted.filter { !there.contains($0) }
            let news = notThere.filter { !away.contains($0) }
            guard !Self.isEmptied(listing, of: root, by: news, known, away) else {
                lost.append((root, notThere))
                continue
            }
            // The files that went away with their disk.
            let unmounted = Set(
                MissingDisk.files(
                    among: notThere.map { ($0, known.stamp(known.firstIndex(notBefore: $0))) }, thoughThereAre: comparison.disks))
            let absent = notThere.filter { !unmounted.contains($0) }
            for path in absent { replaced[path] = Placeholder.of(path) }
            let rest = absent.filter { replaced[$0] == nil }
            gone += rest.filter { !away.contains($0) }
            let stillAway = rest.filter(away.contains)
            if !stillAway.isEmpty { lost.append((root, stillAway)) }
            elsewhere.merge(Dictionary(grouping: unmounted, by: Folder.parent)) { $0 + $1 }
        }
        self.lost = Set(lost.lazy.flatMap(\.files)).union(elsewhere.values.joined())
        missing = self.lost.union(replaced.keys).union(away.intersection(unconfigured))
        let emptied = Dictionary(lost.map { ($0.folder, $0.files.count) }) { first, _ in first }
        folders.add(emptied.mapValues(MarkFolders.Trouble.emptied))
        folders.add(elsewhere.mapValues { .unmounted(files: $0.count) })
        folders.add(replaced.mapValues(MarkFolders.Trouble.replaced))
        folders.add(Dictionary(uniqueKeysWithValues: unread.map { ($0, .unreadable) }))
        folders.add(Self.commonFolders(of: unconfigured, roots).mapValues(MarkFolders.Trouble.unconfigured))
        folders.add(Dictionary(unlisted.map { (Folder.parent(of: $0), 1) }, uniquingKeysWith: +).mapValues(MarkFolders.Trouble.unlisted))
        folders.add(roots.words(of: listed.listings.lazy.map(\.listing)).mapValues(MarkFolders.Trouble.passedOver))
        let absent = roots.folders.filter { !listed.onDisk.has($0) && !roots.optional.contains($0) && !unread.contains($0) }
        folders.add(Dictionary(uniqueKeysWithValues: absent.filter { emptied[$0] == nil }.map { ($0, .missing) }))
    }

    /// The folders of files outside all mark folders, each with their number.
    private static func commonFolders(of files: [String], _ roots: MarkRoots) -> [String: Int] {
        let tops = Dictionary(grouping: files) { roots.outermostFolder(of: $0) }.values
        return Dictionary(
            tops.map { files in
                let common = files.dropFirst().reduce(Folder.parent(of: files[0])) { folder, file in
                    var folder = folder
                    while folder != "/", !MarkRoots.isPath(file, in: folder) { folder = Folder.parent(of: folder) }
                    return folder
                }
                return (common, files.count)
            }, uniquingKeysWith: +)
    }

    /// Returns whether a folder lost at once all the files that were there at the last look: so looks a missing disk, while the deletion of
    /// a last single file is seen by a running agent. Other files may be there since, as in a folder where a disk was mounted before; but
    /// none of them may be one of the former files under another name.
    private static func isEmptied(
        _ listing: FileListing, of root: String, by gone: [String], _ known: FileStamps, _ away: Set<String>
    ) -> Bool {
        if listing.files.isEmpty { return !gone.isEmpty }
        let former = known.firstIndex(notBefore: root + "/")..<known.firstIndex(notBefore: root + "0")
        guard gone.count > 1, gone.count + away.count(where: { MarkRoots.isPath($0, in: root) }) == former.count else { return false }
        // These numbers stay the same when a file is renamed.
        func number(_ stamp: FileStamp) -> [UInt64] { [stamp.device, stamp.inode] }
        let numbers = Set(former.lazy.map { number(known.stamp($0)) })
        return !listing.files.indices.contains { numbers.contains(number(listing.files.stamp($0))) }
    }

    /// Returns whether a known file has changed, as far as can be seen. Its disk or folder may have got other numbers.
    private static func isSaved(_ path: String, _ known: FileStamps) -> Bool {
        guard let stamp = FileStamp(ofFile: path) else { return false }
        let former = known.stamp(known.firstIndex(notBefore: path))
        return (stamp.size, stamp.modified) != (former.size, former.modified)
    }

    /// The known files outside all the folders, or in one that is read under another name.
    private static func outside(_ roots: MarkRoots, _ onDisk: RootsOnDisk, _ known: FileStamps) -> [String] {
        // The files of one folder are next to each other in `known`, and no folder lies in another.
        let inside = roots.folders.filter { onDisk.duplicates[$0] == nil }
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

/// The changes in a folder since its files were read.
struct MarkComparison {
    private(set) var changed: [String] = []
    /// Files that are missing, as far as can be seen.
    private(set) var gone: [String] = []
    /// The disks of the files that are there, by their present numbers; for a file that is the very one that was read, also by the number
    /// from then, since a disk may get another number whenever the machine starts.
    private(set) var disks: Set<UInt64> = []

    /// Compares what is in the folder `root` with all that is `known`.
    init(of listing: FileListing, below root: String, with known: FileStamps) {
        let files = listing.files
        // The files of one folder are sorted between its name with a slash and its name with the next character ("0").
        var next = known.firstIndex(notBefore: root + "/")
        let end = known.firstIndex(notBefore: root + "0")
        func skip(to file: Int?, _ gone: inout [String]) {
            while next < end, file.map({ known.order(next, files, $0) < 0 }) ?? true {
                let path = known[next].path
                if !listing.unread.contains(where: { MarkRoots.isPath(path, in: $0) }) { gone.append(path) }
                next += 1
            }
        }
        for file in files.indices {
            skip(to: file, &gone)
            disks.insert(files.stamp(file).device)
            guard next < end, known.order(next, files, file) == 0 else {
                changed.append(files[file].path)
                continue
            }
            disks.formUnion(MissingDisk.names(ofDiskWith: files.stamp(file), readAs: known.stamp(next)))
            if known.stamp(next) != files.stamp(file) { changed.append(files[file].path) }
            next += 1
        }
        skip(to: nil, &gone)
    }
}

/// Tells files that were deleted from files that went away with their disk, like a stick that was mounted somewhere below a mark folder.
enum MissingDisk {
    /// The numbers that identify the disk of a present file: the present one, and the one from when the file was read if it is the very
    /// same file. A copy, as on an older disk that is mounted in the other's place, says nothing of the former disk.
    static func names(ofDiskWith present: FileStamp, readAs former: FileStamp) -> Set<UInt64> {
        // Nobody can set when a file was changed, so two disks that number their files alike still differ.
        let isSame = (present.inode, present.changed) == (former.inode, former.changed)
        return isSame ? [present.device, former.device] : [present.device]
    }

    /// Those of `gone` that lay on another disk than the rest of their folder, and from whose disk nothing is there. This looks at the
    /// disk. A disk that got another number when the machine started is recognised by its present files.
    static func files(among gone: [(path: String, stamp: FileStamp)], thoughThereAre present: Set<UInt64>) -> [String] {
        var disks: [String: UInt64?] = [:]
        return gone.filter { path, stamp in
            guard stamp.device != 0, !present.contains(stamp.device) else { return false }
            let folder = Folder.parent(of: path)
            let disk = disks[folder] ?? device(above: folder)
            disks[folder] = disk
            return disk.map { $0 != stamp.device } ?? false
        }.map(\.path)
    }

    private static func device(above folder: String) -> UInt64? {
        var folder = folder
        while true {
            var status = stat()
            if stat(folder, &status) == 0 { return UInt64(status.st_dev) }
            guard errno == ENOENT || errno == ENOTDIR, folder.count > 1 else { return nil }
            folder = Folder.parent(of: folder)
        }
    }
}

/// Recognises what other programs leave in place of a mark file: the entry of a cloud folder for a file that was not downloaded, or the
/// file itself under the name of a backup.
enum Placeholder {
    private static let endings = [".nextcloud", ".owncloud", ".bak", ".old", ".orig", "_bak", "_old"]

    /// The path of what stands in for the missing mark file at `path`; `nil` if nothing does. This looks at the disk.
    static func of(_ path: String) -> String? { endings.lazy.map { path + $0 }.first { access($0, F_OK) == 0 } }
}
