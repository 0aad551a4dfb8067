import Model
import Watching

/// What is different in a folder since its files were read.
struct MarkComparison {
    /// Files that are new or not as they were.
    private(set) var changed: [String] = []
    /// Files that are not there any more, as far as one can see.
    private(set) var gone: [String] = []

    /// Compares what is in the folder `root` with all that is `known`, both in the order of their paths' bytes.
    init(of listing: FileListing, below root: String, with known: [(path: String, stamp: FileStamp)]) {
        // Those of one folder lie together.
        let first = known.firstIndex { MarkRoots.isPath($0.path, in: root) } ?? known.endIndex
        var rest = known[first...].prefix { MarkRoots.isPath($0.path, in: root) }.makeIterator()
        var next = rest.next()
        for file in listing.files {
            while let former = next, former.path.precedesByBytes(file.path) {
                note(former.path, goneUnless: listing.unread)
                next = rest.next()
            }
            guard let former = next, !file.path.precedesByBytes(former.path) else {
                changed.append(file.path)
                continue
            }
            if former.stamp != file.stamp { changed.append(file.path) }
            next = rest.next()
        }
        while let former = next {
            note(former.path, goneUnless: listing.unread)
            next = rest.next()
        }
    }

    private mutating func note(_ path: String, goneUnless unread: [String]) {
        if !unread.contains(where: { MarkRoots.isPath(path, in: $0) }) { gone.append(path) }
    }
}
