import Glibc
import Platform

extension FolderWatcher {
    /// Watches a root with what is below it, or the place where it would appear.
    func establish(_ root: WatchedRoot) throws(WatchTrouble) {
        // What is awaited may come between two looks; a few of them are enough, since from the second on its coming is heard.
        for _ in 0..<4 {
            if try watch(root.path, of: root) {
                missing.removeAll { $0 == root.path }
                return
            }
            if !missing.contains(root.path) { missing.append(root.path) }
            var ancestor = Self.parent(of: root.path)
            while try !add(ancestor, Interest.arrivals), !ancestor.isEmpty { ancestor = Self.parent(of: ancestor) }
            let next = Substring(root.path.utf8.dropFirst(ancestor.utf8.count + 1)).prefix { $0 != "/" }
            guard access(ancestor + "/" + next, F_OK) == 0 else { return }
        }
    }

    /// Watches a folder of a root, then those in it: whatever comes to be in it is heard of or listed.
    func watch(_ folder: String, of root: WatchedRoot) throws(WatchTrouble) -> Bool {
        guard let level = root.level(of: folder) else { return false }
        var interest = Interest.files(root.news) | (level < root.depth ? Interest.subfolders : 0)
        interest |= level == 0 ? Interest.itself : UInt32(IN_DONT_FOLLOW)
        guard try add(folder, interest) else { return false }
        guard level < root.depth else { return true }
        for name in Subfolders.names(in: folder.isEmpty ? "/" : folder) { _ = try watch(folder + "/" + name, of: root) }
        return true
    }

    private func add(_ folder: String, _ interest: UInt32) throws(WatchTrouble) -> Bool {
        let present = watched[folder]
        if let present, present & interest == interest { return true }
        let isAddition = present == nil ? 0 : UInt32(IN_MASK_ADD)
        guard let inotify, try inotify.add(folder, interest | isAddition | UInt32(IN_ONLYDIR)) else { return false }
        watched[folder] = (present ?? 0) | interest
        return true
    }

    /// The folder that a path is in; "" is the root of all.
    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

/// What the kernel is asked to tell of a folder.
private enum Interest {
    static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO) | itself
    static let subfolders = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    static func files(_ news: WatchNews) -> UInt32 {
        var mask: UInt32 = 0
        if news.contains(.removals) { mask |= UInt32(IN_DELETE | IN_MOVED_FROM) }
        if news.contains(.writes) { mask |= UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) }
        return mask
    }
}
