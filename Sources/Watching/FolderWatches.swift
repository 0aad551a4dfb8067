import Glibc
import Platform

/// The folders that one instance of inotify watches, and what each is watched for.
@LoopActor
final class FolderWatches {
    let inotify: Inotify
    private var descriptor: DescriptorWatch?
    /// The watched folders that are there by all that was heard.
    private var interests: [String: UInt32] = [:]
    /// Those of them that only lie above a root, and are to tell that they were moved.
    private var above: Set<String> = []
    /// Vanished folders of which the library keeps a record.
    private(set) var forgotten = 0

    /// From so many vanished folders on their records are freed, if they are also more than the watched ones.
    private static let mostForgotten = 1024

    init(_ inotify: Inotify) { self.inotify = inotify }

    /// How many folders are watched, apart from those above the roots.
    var count: Int { interests.count - above.count }
    /// Whether only beginning anew frees what the library keeps of vanished folders.
    var isCluttered: Bool { forgotten > max(Self.mostForgotten, interests.count) }

    /// Calls `readable` whenever there is something to ask `next` for.
    func listen(_ readable: @escaping @LoopActor () -> Void) throws(SystemError) {
        descriptor = try Loop.shared.watch(inotify.descriptor, for: .read) { _ in readable() }
    }

    /// The next thing that happened; `nil` when there is nothing more for now.
    func next() -> InotifyEvent? { inotify.next() }

    /// What a folder is watched for, or `nil` if it is not.
    func interest(in folder: String) -> UInt32? { interests[folder] }

    /// Watches a folder for this, too. Says no where it cannot be watched.
    func add(_ folder: String, _ interest: UInt32) throws(WatchTrouble) -> Bool {
        let present = interests[folder]
        if let present, present & interest == interest { return true }
        let isAddition = present == nil ? 0 : UInt32(IN_MASK_ADD)
        guard try inotify.add(folder, interest | isAddition | UInt32(IN_ONLYDIR)) else { return false }
        interests[folder] = (present ?? 0) | interest
        if interest != Interest.itself { above.remove(folder) } else if present == nil { above.insert(folder) }
        return true
    }

    /// Notes that a folder is gone; answers whether it was watched.
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
}

/// What the kernel is asked to tell of a folder.
enum Interest {
    static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO) | itself
    static let subfolders = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    /// What is asked of a folder in which another may not be read.
    static let rights = UInt32(IN_ATTRIB)
    static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    static func files(_ news: WatchNews) -> UInt32 {
        var mask: UInt32 = 0
        if news.contains(.removals) { mask |= UInt32(IN_DELETE | IN_MOVED_FROM) }
        if news.contains(.writes) { mask |= UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) }
        return mask
    }
}
