import Glibc
import Platform

/// The folders that one inotify instance watches, and the kernel's events that are requested for each.
@LoopActor
final class FolderWatches {
    let inotify: Inotify
    private let scans: SlowScans
    private let listings: FirstListings
    private var descriptor: DescriptorWatch?
    /// The events requested for each watched folder that still exists, as far as the events so far show.
    private var interests: [String: UInt32] = [:]
    /// The folders above the roots that are watched only because they may be moved.
    private var above: Set<String> = []
    /// The number of vanished folders that libinotifytools still keeps a record of.
    private(set) var forgotten = 0
    /// Roots that do not exist, or may not be read.
    private(set) var missing: [String] = []
    /// The roots' identities when their watches were set.
    private var identities: [String: FileIdentity] = [:]

    /// If there are more records of vanished folders than this, and more than watched folders, watching starts over to free them.
    private static let mostForgotten = 1024

    init(_ inotify: Inotify, scans: SlowScans, listings: FirstListings) {
        (self.inotify, self.scans, self.listings) = (inotify, scans, listings)
    }

    /// How many folders are watched, not counting those above the roots.
    var count: Int { interests.count - above.count }
    /// True if there are so many records of vanished folders that watching should start over, since only this frees them.
    var isCluttered: Bool { forgotten > max(Self.mostForgotten, interests.count) }

    /// Calls `readable` whenever events can be read with `next`.
    func listen(_ readable: @escaping @LoopActor () -> Void) throws(WatchTrouble) {
        do throws(SystemError) {
            descriptor = try Loop.shared.watch(inotify.descriptor, for: .read) { _ in readable() }
        } catch {
            throw .system(error)
        }
    }

    func next() -> InotifyEvent? { inotify.next() }

    func isWatched(_ folder: String) -> Bool { interests[folder] != nil }

    /// Notes that a folder is gone. Returns whether it was watched.
    func forget(_ folder: String) -> Bool {
        guard interests.removeValue(forKey: folder) != nil else { return false }
        forgotten += 1
        return true
    }

    func close() {
        if let descriptor { Loop.shared.cancel(descriptor) }
        descriptor = nil
        inotify.close()
    }

    // MARK: - Roots

    /// Returns whether the root's path leads to another folder than when the watch was set, as after a mount or a move.
    func isReplaced(_ root: WatchedRoot) -> Bool { Self.identity(of: root) != identities[root.path] }

    private static func identity(of root: WatchedRoot) -> FileIdentity? { FileIdentity(of: root.path.isEmpty ? "/" : root.path) }

    /// Watches a root and everything below it. If the root does not exist, watches the nearest folder above it that does.
    func establish(_ root: WatchedRoot, isListing: Bool) throws(WatchTrouble) {
        // The root may appear between two checks. A few rounds are enough, since its arrival is reported from the second round on.
        for _ in 0..<4 {
            let identity = Self.identity(of: root)
            var names = TreeNames(files: isListing ? root.lists : nil, others: root.passesOver)
            if try watch(root.path, of: root, into: &names) {
                // Files on a network share are not in the names, so the listing would be incomplete.
                let isWhole = !scans.remote.contains { root.relative($0) != nil }
                listings.set(root.path, to: names.isKept && isWhole ? names : nil)
                missing.removeAll { $0 == root.path }
                identities[root.path] = identity
                return try watchAbove(root.path)
            }
            if !missing.contains(root.path) { missing.append(root.path) }
            var ancestor = Self.parent(of: root.path)
            while try !add(ancestor, Interest.arrivals), !ancestor.isEmpty { ancestor = Self.parent(of: ancestor) }
            let next = Substring(root.path.utf8.dropFirst(ancestor.utf8.count + 1)).prefix { $0 != "/" }
            try watchAbove(ancestor)
            guard access(ancestor + "/" + next, F_OK) == 0 else { return }
            // The next folder on the way exists, but may be unreadable now and become readable later.
            _ = try add(ancestor, Interest.rights)
        }
    }

    /// Watches all folders above `folder` for moves. If one of them is moved, the root's watch moves along with it, and the root's
    /// path leads elsewhere.
    private func watchAbove(_ folder: String) throws(WatchTrouble) {
        var folder = folder
        while !folder.isEmpty {
            folder = Self.parent(of: folder)
            _ = try add(folder, Interest.itself)
        }
    }

    // MARK: - Folders

    /// A folder that the walk through a root has reached.
    private struct Place {
        let path: String
        let relative: String
        let level: Int

        func relative(to name: String) -> String { relative.isEmpty ? name : relative + "/" + name }
    }

    /// Watches a folder of a root and the folders in it; false if it cannot be watched. Files that appear later are reported or listed.
    func watch(_ folder: String, of root: WatchedRoot) throws(WatchTrouble) -> Bool {
        var names = TreeNames(files: nil)
        return try watch(folder, of: root, into: &names)
    }

    private func watch(_ folder: String, of root: WatchedRoot, into names: inout TreeNames) throws(WatchTrouble) -> Bool {
        guard let level = root.level(of: folder), let relative = root.relative(folder) else { return false }
        return try watch(Place(path: folder, relative: relative, level: level), of: root, into: &names) != nil
    }

    /// Watches a folder before reading its names, then the folders in it. Returns the folder's number in `names`; -1 if its names
    /// are not kept or cannot be read; `nil` if the folder cannot be watched.
    private func watch(_ place: Place, of root: WatchedRoot, into names: inout TreeNames) throws(WatchTrouble) -> Int? {
        let isLast = place.level >= root.depth
        var interest = Interest.files(root.news) | (isLast ? 0 : Interest.subfolders)
        interest |= place.level == 0 ? Interest.itself : UInt32(IN_DONT_FOLLOW)
        // The root is watched before it is opened. Any other folder is opened first: if it is then replaced, its parent reports this.
        if place.level == 0 {
            guard try add(place.path, interest) else { return nil }
        } else if scans.isShare(place.path) {
            names.noteUnread(place.path)
            return nil
        }
        let found: (number: Int, subfolders: [String])
        do {
            if isLast, !names.isKept {
                if place.level > 0 { guard try add(place.path, interest) else { return nil } }
                return -1
            }
            let opened = try open(place)
            if place.level > 0, try !add(place.path, interest) {
                names.noteUnread(place.path)
                try awaitRights(to: place.path)
                return nil
            }
            // A folder that cannot be read may have been watched nevertheless.
            guard let opened,
                let read = names.read(
                    opened, place.path, place.relative, folder: { !isLast && root.admits(place.relative(to: $0)) })
            else {
                names.noteUnread(place.path)
                return -1
            }
            found = read
        }
        for (index, name) in found.subfolders.enumerated() {
            let next = Place(path: place.path + "/" + name, relative: place.relative(to: name), level: place.level + 1)
            if let child = try watch(next, of: root, into: &names) { names.link(index, of: found.number, to: child) }
        }
        return found.number
    }

    /// Opens a folder to be watched; `nil` if that fails. Throws if too many files are open.
    private func open(_ place: Place) throws(WatchTrouble) -> OpenFolder? {
        if let opened = OpenFolder(place.path, followingLinks: place.level == 0) { return opened }
        // The folder exists. Without this error, nothing would show that its contents are not watched.
        if errno == EMFILE || errno == ENFILE { throw .descriptors }
        return nil
    }

    /// Watches the parent of a folder for a change of permissions, if the folder exists but cannot be watched.
    private func awaitRights(to folder: String) throws(WatchTrouble) {
        guard !scans.remote.contains(folder), access(folder, F_OK) == 0 else { return }
        let parent = Self.parent(of: folder)
        _ = try add(parent, Interest.rights | (interests[parent] ?? 0) & UInt32(IN_DONT_FOLLOW))
    }

    /// Requests these events for a folder, in addition to earlier ones. Returns `false` if the folder cannot be watched.
    private func add(_ folder: String, _ interest: UInt32) throws(WatchTrouble) -> Bool {
        let present = interests[folder]
        if let present, present & interest == interest { return true }
        let isAddition = present == nil ? 0 : UInt32(IN_MASK_ADD)
        guard try inotify.add(folder, interest | isAddition | UInt32(IN_ONLYDIR)) else { return false }
        interests[folder] = (present ?? 0) | interest
        if interest != Interest.itself { above.remove(folder) } else if present == nil { above.insert(folder) }
        return true
    }

    /// The folder that contains a path; "" stands for the root of the file system.
    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }
}

/// The sets of events that are requested from the kernel for a folder.
private enum Interest {
    static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO) | itself
    static let subfolders = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    /// Changes of permissions, for a folder that contains an unreadable folder.
    static let rights = UInt32(IN_ATTRIB)
    static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    static func files(_ news: WatchNews) -> UInt32 {
        var mask: UInt32 = 0
        if news.contains(.removals) { mask |= UInt32(IN_DELETE | IN_MOVED_FROM) }
        if news.contains(.writes) { mask |= UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) }
        return mask
    }
}
