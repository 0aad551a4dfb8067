import Glibc
public import Model
import Platform

/// The files of interest below a folder, with their stamps. Links are not followed, and only folders are opened.
public struct FileListing: Hashable, Sendable {
    /// Regular files, and other things with the name of a file of interest that are not folders. They are sorted by the bytes of
    /// their paths, because two names that differ only in their Unicode form are equal as strings.
    public var files = FileStamps()
    /// Folders that could not be read. It is unknown whether their files still exist.
    public var unread: [String] = []
    /// Files of interest and folders whose names are not valid text, with bytes outside ASCII spelled out. A folder ends with a slash.
    public var unusable: [String] = []
    /// Paths that are neither folders nor listed, but that `other` accepted, since the user may expect them to be listed.
    public var passedOver: [String] = []

    public init() {}

    /// Lists the files below `root` that `file` admits, in the folders that `folder` admits. File names are passed as bytes, which
    /// need not be valid text; folders are passed as paths from the root. Other paths are noted if `other` accepts them. A folder
    /// whose full path `leavesOut` accepts counts as unreadable. A root that does not exist gives an empty listing.
    public init(
        below root: String, besides leavesOut: (String) -> Bool = { _ in false }, folder: (String) -> Bool,
        file: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
        other: (@Sendable (UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)? = nil
    ) {
        guard !leavesOut(root) else {
            unread.append(root)
            return
        }
        var names = TreeNames(files: file, others: other)
        guard Self.read(root, "", leavesOut, folder, into: &names) != nil || errno != ENOENT && errno != ENOTDIR,
            let listing = names.listing(below: root)
        else {
            if errno != ENOENT, errno != ENOTDIR { unread.append(root) }
            return
        }
        self = listing
    }

    /// Adds a listing whose files all come after the files of this one.
    mutating func add(_ later: FileListing) {
        files.append(contentsOf: later.files)
        unread = (unread + later.unread).sorted { $0.precedesByBytes($1) }
        unusable = (unusable + later.unusable).sorted { $0.precedesByBytes($1) }
        passedOver = (passedOver + later.passedOver).sorted { $0.precedesByBytes($1) }
    }

    /// Reads a folder and the folders in it. Returns its number in `names`; `nil` if it cannot be read, with the reason in `errno`.
    private static func read(
        _ path: String, _ relative: String, _ leavesOut: (String) -> Bool, _ folder: (String) -> Bool, into names: inout TreeNames
    ) -> Int? {
        let found: (number: Int, subfolders: [String])
        do {
            guard !leavesOut(path) else {
                names.noteUnread(path)
                return nil
            }
            // Each folder is closed before the next is opened, since a tree may be deeper than the number of files that a process may open.
            guard let opened = OpenFolder(path, followingLinks: relative.isEmpty),
                let read = names.read(opened, path, relative, folder: folder)
            else {
                let reason = errno
                names.noteUnread(path)
                errno = reason
                return nil
            }
            found = read
        }
        for (place, name) in found.subfolders.enumerated() {
            let inside = relative.isEmpty ? name : relative + "/" + name
            guard let child = read(path + "/" + name, inside, leavesOut, folder, into: &names) else { continue }
            names.link(place, of: found.number, to: child)
        }
        return found.number
    }
}

/// The listings of the roots as of the time when their watches were set. An event that makes them out of date drops them all.
@LoopActor
final class FirstListings {
    private var names: [String: TreeNames] = [:]
    private let side = SideThread()
    private let otherSide = SideThread()

    /// Keeps a root's names; `nil` drops them, because some are unknown.
    func set(_ root: String, to found: TreeNames?) { names[root] = found }

    func forget() { names = [:] }

    /// Takes the files of a root, and drops its names; `nil` if its names are no longer kept.
    func take(_ root: String) async -> FileListing? {
        guard let names = names.removeValue(forKey: root) else { return nil }
        let later = spawn { [otherSide] in await otherSide.run { names.listing(below: root, .later) } }
        var listing = await side.run { names.listing(below: root, .earlier) }
        guard let rest = await later.value else { return nil }
        listing?.add(rest)
        return listing
    }
}
