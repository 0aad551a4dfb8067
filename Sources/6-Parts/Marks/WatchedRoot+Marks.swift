public import Watching

extension WatchedRoot {
    /// A mark folder: what is written in it, and what is removed.
    public static func marks(_ folder: String, _ roots: MarkRoots) -> WatchedRoot {
        WatchedRoot(
            folder, news: [.removals, .writes],
            admits: { path in path.utf8.split(separator: UInt8(ascii: "/")).allSatisfy { roots.admits(folder: Substring($0)) } },
            lists: { roots.admits(file: $0) }, passesOver: { roots.mayMiss($0, isLink: $1) })
    }
}
