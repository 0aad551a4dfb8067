public import Watching

extension WatchedRoot {
    /// A folder with files of marks: what is written in it, and what is removed.
    public static func marks(_ folder: String, _ roots: MarkRoots) -> WatchedRoot {
        WatchedRoot(folder, news: [.removals, .writes]) { path in path.split(separator: "/").allSatisfy { roots.admits(folder: $0) } }
    }
}
