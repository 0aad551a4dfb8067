import Glibc
public import Model
import Platform

/// The files of interest below a folder, with their stamps. Links are not followed, and nothing but folders is opened.
public struct FileListing: Hashable, Sendable {
    /// Files that were found, and anything else with the name of one that is not a folder. In the order of their paths' bytes; two files
    /// whose names differ only in their Unicode form would be equal as strings.
    public var files = FileStamps()
    /// Folders that could not be read: their files are not known to be gone.
    public var unread: [String] = []
    /// Files of interest and folders whose names are not valid text, with the invalid bytes spelled out; a folder ends with a slash.
    public var unusable: [String] = []
    /// Things that are neither folders nor listed, but were asked for: the user may think that they are listed.
    public var passedOver: [String] = []

    public init() {}

    /// Lists what is below `root`, as far as the names are admitted; file names are given as bytes, which need not be valid text. For
    /// everything else, the paths that `other` asks for are noted. Folders that are left out count as unreadable.
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

    /// Adds a listing that comes after everything in this one.
    mutating func add(_ later: FileListing) {
        files.append(contentsOf: later.files)
        unread = (unread + later.unread).sorted { $0.precedesByBytes($1) }
        unusable = (unusable + later.unusable).sorted { $0.precedesByBytes($1) }
        passedOver = (passedOver + later.passedOver).sorted { $0.precedesByBytes($1) }
    }

    /// Returns the number of a folder; `nil` if it cannot be read, with the reason in `errno`.
    private static func read(
        _ path: String, _ relative: String, _ leavesOut: (String) -> Bool, _ folder: (String) -> Bool, into names: inout TreeNames
    ) -> Int? {
        let found: (number: Int, subfolders: [String])
        do {
            guard !leavesOut(path) else {
                names.noteUnread(path)
                return nil
            }
            // Closed before the next one is opened: a tree may be deeper than the number of files that a process may hold open.
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

/// Lists the roots as they were when their watches were set, until an event makes that out of date.
@LoopActor
final class FirstListings {
    private var names: [String: TreeNames] = [:]
    private let side = SideThread()
    private let otherSide = SideThread()

    /// Keeps a root's names, or forgets them if some are not known.
    func set(_ root: String, to found: TreeNames?) { names[root] = found }

    func forget() { names = [:] }

    /// Looks up the files of a root; `nil` if its names are not kept any more.
    func take(_ root: String) async -> FileListing? {
        guard let names = names.removeValue(forKey: root) else { return nil }
        let later = spawn { [otherSide] in await otherSide.run { names.listing(below: root, .later) } }
        var listing = await side.run { names.listing(below: root, .earlier) }
        guard let rest = await later.value else { return nil }
        listing?.add(rest)
        return listing
    }
}
