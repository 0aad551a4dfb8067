import Glibc
import Library
package import Model
package import Platform
package import Watching

/// The mark folders and their files as found on disk.
package struct ListedFolders: Sendable {
    let onDisk: RootsOnDisk
    /// Each folder once, even if it has several names.
    let listings: [(root: String, listing: FileListing)]

    /// Lists the folders; `listed` may have a folder's listing already.
    @LoopActor
    package init(_ roots: MarkRoots, side: SideThread, listed: (String) async -> FileListing? = { _ in nil }) async {
        // Read the state of the folders first, so that any later change shows up as a difference.
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

/// The result of a complete scan: how the files in all mark folders differ from the library's records.
///
/// | a known file | what happens to it |
/// |---|---|
/// | has another stamp | it is read again |
/// | is in a folder that cannot be read | it is kept |
/// | exists, but is missing from its folder's listing, as when the listing ends too early | it is kept, and read if it was saved |
/// | is in no configured folder any more, and exists, was away or is on a network | it is kept until the user lets it go |
/// | is in no configured folder any more, and does not exist | it is set aside |
/// | exists, but is ignored now, or its folder or one above is | it is kept until the user lets it go |
/// | is in a folder that is read under another name | it is set aside |
/// | is missing, with all other files of its folder or disk; or was away before | it is kept until it is back or the user lets it go |
/// | is missing, and was alone in its folder, which still has other contents and is on the file's own disk | it is gone |
/// | is missing, and its folder is on another disk now, such as an older copy mounted over the folder | it is kept in the same way |
/// | is missing, while another file stands in for it | it is kept in the same way |
/// | is missing in any other case | it is gone |
package struct MarkSurvey: Sendable {
    package private(set) var changed: [String] = []
    /// Files that seem to be missing.
    package private(set) var gone: [String] = []
    /// Known files that are set aside.
    package private(set) var outside: [String] = []
    /// Known files outside all folders, or ignored in them, that are kept, and were saved since they were read.
    package private(set) var savedAmongKept: [String] = []
    /// Missing files that count as away.
    private(set) var missing: Set<String> = []
    /// The missing files that vanished with their folder or disk, and that no other file stands in for.
    package private(set) var lost: Set<String> = []
    package let unread: Set<String>
    package private(set) var folders = MarkFolders()

    /// Compares the files in the folders with all `known` ones. Files in `away` count as away since an earlier scan, for example
    /// because they vanished together with their folder or disk. This reads the disk.
    ///
    /// `dataFolder` is on a disk that is certainly there.
    package init(_ listed: ListedFolders, in roots: MarkRoots, known: FileStamps, away: Set<String>, dataFolder: String) {
        unread = Set(listed.listings.flatMap(\.listing.unread))
        var unconfigured: [String] = []
        var unlisted: [String] = []
        var ignored: [String] = []
        var lost: [(folder: String, files: [String])] = []
        var elsewhere: [String: [String]] = [:]
        var replaced: [String: String] = [:]
        let beyond = Self.outside(roots, listed.onDisk, known)
        // Do not touch files on a network here: it may not respond.
        let near = Set(beyond.isEmpty ? [] : Mounts.present.near(beyond, in: Folder.parent))
        for path in beyond {
            let isFar = roots.root(of: path) == nil && !near.contains(path)
            guard roots.root(of: path) == nil, away.contains(path) || isFar || MarkFileStore.mayBeThere(path) else {
                outside.append(path)
                continue
            }
            unconfigured.append(path)
            if !isFar, Self.isSaved(path, known) { savedAmongKept.append(path) }
        }
        for (root, listing) in listed.listings {
            let comparison = MarkComparison(of: listing, below: root, with: known)
            changed += comparison.changed
            let there = Set(comparison.gone.filter(MarkFileStore.mayBeThere))
            for path in there.sorted(by: { $0.precedesByBytes($1) }) {
                let isSaved = Self.isSaved(path, known)
                if roots.admits(path: path) {
                    unlisted.append(path)
                    if isSaved { changed.append(path) }
                } else {
                    ignored.append(path)
                    if isSaved { savedAmongKept.append(path) }
                }
            }
            let notThere = comparison.gone.filter { !there.contains($0) }
            let news = notThere.filter { !away.contains($0) }
            guard !Self.isEmptied(listing, of: root, by: news, known, away, dataFolder) else {
                lost.append((root, notThere))
                continue
            }
            // The files that vanished with their disk.
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
        folders.add(Self.commonFolders(of: ignored, roots).mapValues(MarkFolders.Trouble.ignored))
        folders.add(Dictionary(unlisted.map { (Folder.parent(of: $0), 1) }, uniquingKeysWith: +).mapValues(MarkFolders.Trouble.unlisted))
        folders.add(roots.messages(of: listed.listings.lazy.map(\.listing)).mapValues(MarkFolders.Trouble.passedOver))
        let absent = roots.folders.filter { !listed.onDisk.has($0) && !roots.optional.contains($0) && !unread.contains($0) }
        folders.add(Dictionary(uniqueKeysWithValues: absent.filter { emptied[$0] == nil }.map { ($0, .missing) }))
    }

    /// The folders that contain the files, each with the number of those files: at most one in each mark folder, and of the files
    /// outside all mark folders, as few as contain no mark folder.
    private static func commonFolders(of files: [String], _ roots: MarkRoots) -> [String: Int] {
        let tops = Dictionary(grouping: files) { roots.root(of: $0) ?? roots.outermostFolder(of: $0) }.values
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

    /// Returns whether a folder has lost all its files since the last scan, as when a disk is missing. If no mark file is left, the
    /// loss of a single file counts unless the folder is present (`isOtherwiseThere`). If the folder has new files, as where a disk was
    /// mounted before, at least two files must be lost, and no new file may be a former one under another name.
    private static func isEmptied(
        _ listing: FileListing, of root: String, by gone: [String], _ known: FileStamps, _ away: Set<String>, _ dataFolder: String
    ) -> Bool {
        let former = known.firstIndex(notBefore: root + "/")..<known.firstIndex(notBefore: root + "0")
        if listing.files.isEmpty {
            return !gone.isEmpty
                && !(former.count == 1 && isOtherwiseThere(root, without: gone[0], known.stamp(former.lowerBound), dataFolder))
        }
        guard gone.count > 1, gone.count + away.count(where: { MarkRoots.isPath($0, in: root) }) == former.count else { return false }
        // Compare the numbers of disk and inode, which do not change when a file is renamed.
        func number(_ stamp: FileStamp) -> [UInt64] { [stamp.device, stamp.inode] }
        let numbers = Set(former.lazy.map { number(known.stamp($0)) })
        return !listing.files.indices.contains { numbers.contains(number(listing.files.stamp($0))) }
    }

    /// Returns whether a folder is present although its only mark file is missing, which means that the file was deleted. The folder must
    /// have other contents, and be on the file's disk, which must be the library's: any other disk's number may belong to a third disk
    /// by now.
    private static func isOtherwiseThere(_ root: String, without path: String, _ stamp: FileStamp, _ dataFolder: String) -> Bool {
        guard stamp.device != 0, MissingDisk.device(above: Folder.parent(of: path)) == stamp.device,
            MissingDisk.device(above: dataFolder) == stamp.device
        else { return false }
        return (try? Folder.names(in: root))?.contains { !$0.hasPrefix(".") } ?? false
    }

    /// Returns whether a known file seems to have changed, judging by its size and time. Its disk and inode numbers do not count.
    private static func isSaved(_ path: String, _ known: FileStamps) -> Bool {
        guard let stamp = FileStamp(ofFile: path) else { return false }
        let former = known.stamp(known.firstIndex(notBefore: path))
        return (stamp.size, stamp.modified) != (former.size, former.modified)
    }

    /// The known files outside all mark folders, or in one that is scanned under another name.
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
    /// Files that seem to be missing.
    private(set) var gone: [String] = []
    /// The present numbers of the disks of all files found. For a file that has not been replaced since it was read, also the
    /// disk's former number, since a disk's number may change whenever the machine starts.
    private(set) var disks: Set<UInt64> = []

    /// Compares the files in the folder `root` with all `known` ones.
    init(of listing: FileListing, below root: String, with known: FileStamps) {
        let files = listing.files
        // The files of a folder are sorted between its name followed by a slash and its name followed by "0", the next character.
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

/// Tells deleted files from files that vanished with their disk, such as a stick mounted somewhere below a mark folder.
enum MissingDisk {
    /// The numbers that identify the disk of a present file: its number now and, if the file has not been replaced since it was
    /// read, its number then. A copy, as on an older disk mounted in place of the former one, is no evidence of the former disk.
    static func names(ofDiskWith present: FileStamp, readAs former: FileStamp) -> Set<UInt64> {
        // Nobody can set a file's change time, so two disks with equal inode numbers still differ.
        let isSame = (present.inode, present.changed) == (former.inode, former.changed)
        return isSame ? [present.device, former.device] : [present.device]
    }

    /// The files in `gone` that were on another disk than their folder is on now, while no file from that disk is there. `present`
    /// contains the numbers of the disks of all files that are there, including numbers from before the machine started. This reads
    /// the disk.
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

    /// The number of the disk that the nearest existing folder is on: `folder` itself or one above it.
    static func device(above folder: String) -> UInt64? {
        var folder = folder
        while true {
            var status = stat()
            if stat(folder, &status) == 0 { return UInt64(status.st_dev) }
            guard errno == ENOENT || errno == ENOTDIR, folder.count > 1 else { return nil }
            folder = Folder.parent(of: folder)
        }
    }
}

/// Recognises what other programs put in place of a mark file: a cloud folder's placeholder for a file that was not downloaded,
/// or the file itself renamed as a backup.
enum Placeholder {
    private static let endings = [".nextcloud", ".owncloud", ".bak", ".old", ".orig", "_bak", "_old"]

    /// The path of the file that stands in for the missing mark file at `path`; `nil` if there is none. This reads the disk.
    static func of(_ path: String) -> String? { endings.lazy.map { path + $0 }.first { access($0, F_OK) == 0 } }
}
