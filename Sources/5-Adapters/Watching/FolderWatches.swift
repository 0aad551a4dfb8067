import Glibc
import Platform

/// The folders that one inotify instance watches, and what each is watched for.
@LoopActor
final class FolderWatches {
    let inotify: Inotify
    private var descriptor: DescriptorWatch?
    /// The watched folders that exist, according to the events so far.
    private var interests: [String: UInt32] = [:]
    /// Those that only lie above a root, and are watched only for being moved.
    private var above: Set<String> = []
    /// Vanished folders of which libinotifytools keeps a record.
    private(set) var forgotten = 0

    /// With more vanished folders than this, their records are freed, if they also outnumber the watched ones.
    private static let mostForgotten = 1024

    init(_ inotify: Inotify) { self.inotify = inotify }

    /// How many folders are watched, apart from those above the roots.
    var count: Int { interests.count - above.count }
    /// Whether so many vanished folders are on record that watching should start over, which alone frees them.
    var isCluttered: Bool { forgotten > max(Self.mostForgotten, interests.count) }

    /// Calls `readable` whenever `next` has something to answer.
    func listen(_ readable: @escaping @LoopActor () -> Void) throws(SystemError) {
        descriptor = try Loop.shared.watch(inotify.descriptor, for: .read) { _ in readable() }
    }

    /// The next event; `nil` if there is none for now.
    func next() -> InotifyEvent? { inotify.next() }

    /// What a folder is watched for, or `nil` if it is not.
    func interest(in folder: String) -> UInt32? { interests[folder] }

    /// Watches a folder for this as well. Answers no if it cannot be watched.
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

/// What the kernel is asked to report about a folder.
enum Interest {
    static let arrivals = UInt32(IN_CREATE | IN_MOVED_TO) | itself
    static let subfolders = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM)
    /// Asked of a folder that contains one that cannot be read.
    static let rights = UInt32(IN_ATTRIB)
    static let itself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    static func files(_ news: WatchNews) -> UInt32 {
        var mask: UInt32 = 0
        if news.contains(.removals) { mask |= UInt32(IN_DELETE | IN_MOVED_FROM) }
        if news.contains(.writes) { mask |= UInt32(IN_CLOSE_WRITE | IN_MOVED_TO) }
        return mask
    }
}
