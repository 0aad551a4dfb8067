import CInotifyTools
import Glibc
import Platform

/// One inotify instance of libinotifytools, with workarounds for the library's faults.
///
/// - All of the library's state is global. So only one instance may exist, and every call must be made on the loop's thread.
/// - The library does not return its descriptor, and opens it without close-on-exec. So the descriptor is found by its link target.
/// - For a name that was watched before, the library finds the old watch. So look up only the name of a watch, never the watch of a name.
/// - The library keeps watches of vanished folders, and leaks a watch that is added twice. Closing frees the watches it knows by number.
/// - Events that the library has read but not yet returned survive closing. So they are fetched before closing.
@LoopActor
final class Inotify {
    private static var isOpen = false
    /// Readable when the kernel has an event. Events that the library has already read do not make it readable.
    let descriptor: Int32
    private var isClosed = false

    init() throws(WatchTrouble) {
        guard !Self.isOpen else { throw .system(SystemError("watch folders twice in one process", code: EBUSY)) }
        let before = Self.descriptors()
        guard inotifytools_initialize() == 1 else { throw WatchTrouble(openingFailedWith: inotifytools_error()) }
        let found = Self.descriptors().subtracting(before).first
        // The library waits with select, which would write outside its set if the descriptor were larger.
        guard let found, found < FD_SETSIZE else {
            inotifytools_cleanup()
            throw found == nil ? .system(SystemError("find the inotify descriptor", path: "/proc/self/fd", code: ENOENT)) : .descriptors
        }
        descriptor = found
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        Self.isOpen = true
    }

    /// Watches a folder. Returns `false` if the folder is missing, may not be read or has too long a path.
    func add(_ folder: String, _ mask: UInt32) throws(WatchTrouble) -> Bool {
        if inotifytools_watch_file(folder.isEmpty ? "/" : folder, Int32(bitPattern: mask)) == 1 { return true }
        let code = inotifytools_error()
        switch code {
        case ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG: return false
        default: throw WatchTrouble(watchingFailedWith: code, folder: folder)
        }
    }

    /// The next event; `nil` if there is none at present.
    func next() -> InotifyEvent? {
        // A timeout of 0 means not to wait. With a count above 1, the library would busy-wait until that many events have come.
        guard let event = inotifytools_next_events(0, 1) else { return nil }
        let header = event.pointee
        let text = UnsafeRawPointer(event).advanced(by: MemoryLayout<inotify_event>.size).assumingMemoryBound(to: CChar.self)
        let name: String? = header.len == 0 ? "" : String(validatingCString: text)
        let bytes = name == nil ? Array(UnsafeRawBufferPointer(start: text, count: strlen(text))) : []
        return InotifyEvent(mask: header.mask, folder: Self.folder(header.wd), name: name, bytes: bytes)
    }

    /// Closes the instance; pending events are lost.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        while inotifytools_next_events(0, 1) != nil {}
        inotifytools_cleanup()
        Self.isOpen = false
    }

    private static func folder(_ watch: Int32) -> String? {
        guard watch > 0, let path = inotifytools_filename_from_wd(watch) else { return nil }
        let folder = String(cString: path)
        guard !folder.isEmpty else { return nil }
        return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }

    private static func descriptors() -> Set<Int32> {
        var found: Set<Int32> = []
        for name in (try? Folder.names(in: "/proc/self/fd")) ?? [] {
            var target = [CChar](repeating: 0, count: 64)
            let length = readlink("/proc/self/fd/" + name, &target, target.count)
            guard length > 0, let number = Int32(name) else { continue }
            guard target[..<length].elementsEqual("anon_inode:inotify".utf8CString.dropLast()) else { continue }
            found.insert(number)
        }
        return found
    }
}

/// An event from the kernel, with the folder that the event belongs to.
struct InotifyEvent {
    let mask: UInt32
    /// The watched folder, without a slash at the end; `nil` if the event belongs to no folder, or to an unknown one.
    let folder: String?
    /// The name within the folder. It is empty if the event concerns the folder itself, and `nil` if the name is not valid text.
    let name: String?
    /// The bytes of a name that is not valid text; otherwise empty.
    let bytes: [UInt8]

    func has(_ bits: Int32) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
}

/// Reports that something was mounted or unmounted, or may have been. Waiting for this costs nothing.
@LoopActor
final class MountNews {
    private let table: Descriptor
    private var watch: DescriptorWatch?

    /// Starts watching the mounts; `nil` if the system does not report changes of them.
    init?(_ changed: @escaping @LoopActor () -> Void) {
        guard let table = try? Descriptor.open("/proc/self/mountinfo", O_RDONLY) else { return nil }
        // Polling the descriptor already clears the event, so the table need not be read.
        guard let watch = try? Loop.shared.watch(table.number, for: .priority, { _ in changed() }) else { return nil }
        self.watch = watch
        self.table = table
    }

    func stop() {
        if let watch { Loop.shared.cancel(watch) }
        watch = nil
    }
}
