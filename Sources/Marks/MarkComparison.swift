import Model
import Watching

/// What is different in a folder since its files were read.
struct MarkComparison {
    /// Files that are new or not as they were.
    private(set) var changed: [String] = []
    /// Files that are not there any more, as far as one can see.
    private(set) var gone: [String] = []
    /// The disks on which files are that are there, by what they are called now or were called when those were read: a disk may have
    /// another number whenever the machine starts.
    private(set) var disks: Set<UInt64> = []

    /// Compares what is in the folder `root` with all that is `known`.
    init(of listing: FileListing, below root: String, with known: FileStamps) {
        let files = listing.files
        // Those of one folder lie together, between what begins with it and a slash and what begins with what follows a slash.
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
