import Model
import Watching

/// What has changed in a folder since its files were read.
struct MarkComparison {
    /// Files that are new or have changed.
    private(set) var changed: [String] = []
    /// Files that are no longer there, as far as can be seen.
    private(set) var gone: [String] = []
    /// The disks of the files that are there, both by their present numbers and by those from when the files were read: a disk may get
    /// another number whenever the machine starts.
    private(set) var disks: Set<UInt64> = []

    /// Compares what is in the folder `root` with all that is `known`.
    init(of listing: FileListing, below root: String, with known: FileStamps) {
        let files = listing.files
        // The files of one folder lie together, between its name with a slash and its name with the character after the slash ("0").
        var next = known.firstIndex(notBefore: root + "/")
        let end = known.firstIndex(notBefore: root + "0")
        for file in files.indices {
            while next < end, known.order(next, files, file) < 0 {
                note(known[next].path, goneUnless: listing.unread)
                next += 1
            }
            guard next < end, known.order(next, files, file) == 0 else {
                changed.append(files[file].path)
                disks.insert(files.stamp(file).device)
                continue
            }
            disks.formUnion([known.stamp(next).device, files.stamp(file).device])
            if known.stamp(next) != files.stamp(file) { changed.append(files[file].path) }
            next += 1
        }
        while next < end {
            note(known[next].path, goneUnless: listing.unread)
            next += 1
        }
    }

    private mutating func note(_ path: String, goneUnless unread: [String]) {
        if !unread.contains(where: { MarkRoots.isPath(path, in: $0) }) { gone.append(path) }
    }
}
