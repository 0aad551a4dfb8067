import Glibc
import Model
import Platform
import Synchronization

/// Lists the files of a tree while somebody else walks it: that one reads the names, folder by folder, and it is looked beside
/// the walk what the files are.
@LoopActor
final class TreeListing {
    /// Folders that were read but not looked at yet.
    private struct Batch: Sendable {
        let first: Int
        var folders: [(names: FolderNames, path: String, opened: OpenFolder?)] = []
    }

    /// What came of the looks, by the numbers of the folders.
    private final class Looks: Sendable {
        private let found = Mutex<[Int: [[FileListing.Entry?]]]>([:])
        private let unread = Mutex<[String]>([])
        private let openCount = Atomic<Int>(0)

        var heldOpen: Int { openCount.load(ordering: .relaxed) }

        func hold() { openCount.add(1, ordering: .relaxed) }

        func look(_ batch: Batch) {
            var entries: [[FileListing.Entry?]] = []
            entries.reserveCapacity(batch.folders.count)
            for folder in batch.folders {
                if folder.opened != nil { openCount.subtract(1, ordering: .relaxed) }
                // What is another folder by now is told of by the watches.
                if folder.names.fileCount == 0 {
                    entries.append([])
                } else if let opened = folder.opened ?? OpenFolder(folder.path, followingLinks: false) {
                    entries.append(folder.names.entries(in: opened, folder.path))
                } else {
                    unread.withLock { $0.append(folder.path) }
                    entries.append([FileListing.Entry?](repeating: nil, count: folder.names.fileCount))
                }
            }
            found.withLock { $0[batch.first] = entries }
        }

        func take() -> (entries: [Int: [[FileListing.Entry?]]], unread: [String]) {
            (found.withLock { $0 }, unread.withLock { $0 })
        }
    }

    /// What the walk has seen of a folder.
    private struct Node: Sendable {
        let subfolders: [FolderNames.Subfolder]
        /// The numbers of those; -1 for one that was not read.
        var children: [Int]
    }

    private let file: @Sendable (UnsafeRawBufferPointer) -> Bool
    private let side: SideThread
    private let looks = Looks()
    private var nodes: [Node] = []
    private var unread: [String] = []
    private var unusable: [String] = []
    private var batch = Batch(first: 0)

    private nonisolated static let atOnce = 32
    /// So many folders are held open for the looks at most; the others are opened again.
    private nonisolated static let mostHeldOpen = 256

    init(of files: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool, on side: SideThread) {
        file = files
        self.side = side
    }

    func isFile(_ name: UnsafeRawBufferPointer) -> Bool { file(name) }

    /// Takes the names in a folder; answers the number by which its subfolders are told.
    func note(_ names: FolderNames, of path: String, _ opened: OpenFolder) -> Int {
        unusable += names.unusable
        nodes.append(Node(subfolders: names.subfolders, children: [Int](repeating: -1, count: names.subfolders.count)))
        // The root is the only one that may be reached by a link.
        let isHeld = names.fileCount > 0 && (looks.heldOpen < Self.mostHeldOpen || nodes.count == 1)
        if isHeld { looks.hold() }
        batch.folders.append((names, path, isHeld ? opened : nil))
        if batch.folders.count == Self.atOnce { handOver() }
        return nodes.count - 1
    }

    /// Says which number a subfolder has got, by its place among those of `folder`.
    func link(_ place: Int, of folder: Int, to child: Int) { nodes[folder].children[place] = child }

    /// What was in a folder is not known to be gone.
    func noteUnread(_ path: String) { unread.append(path) }

    private func handOver() {
        guard !batch.folders.isEmpty else { return }
        side.begin { [looks, batch] in looks.look(batch) }
        batch = Batch(first: nodes.count)
    }

    /// Ends the walk: nothing is told any more.
    func endWalk() { handOver() }

    /// All of it, after the last look.
    func listing() async -> FileListing {
        await side.run { [looks, nodes, unread, unusable] in
            let found = looks.take()
            var listing = FileListing()
            (listing.unread, listing.unusable) = (unread + found.unread, unusable)
            listing.files.reserveCapacity(found.entries.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } })
            if !nodes.isEmpty { Self.add(0, to: &listing, nodes, found.entries) }
            listing.inOrder()
            return listing
        }
    }

    private nonisolated static func add(
        _ number: Int, to listing: inout FileListing, _ nodes: [Node], _ found: [Int: [[FileListing.Entry?]]]
    ) {
        let node = nodes[number]
        let entries = found[number / atOnce * atOnce]?[number % atOnce] ?? []
        listing.add(entries, between: node.subfolders) { listing, place in
            if node.children[place] >= 0 { add(node.children[place], to: &listing, nodes, found) }
        }
    }
}
