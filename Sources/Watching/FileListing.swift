import Glibc
public import Model

/// The files of interest below a folder, with their stamps. Links are not followed, and nothing is opened but folders.
public struct FileListing: Hashable, Sendable {
    /// Files that were found, and whatever else has the name of one and is no folder. In the order of their paths' bytes; two
    /// files whose names differ in their Unicode form only are equal texts.
    public var files = FileStamps()
    /// Folders that could not be read: what was in them is not known to be gone.
    public var unread: [String] = []
    /// Files of interest and folders whose names are no text, with those bytes spelled out that are none; a folder ends with a slash.
    public var unusable: [String] = []
    /// What is no folder and not listed, but was asked for: somebody may take it for something that is.
    public var passedOver: [String] = []
    /// Whether the folder itself is there.
    public var isThere = true

    /// A listing without anything in it.
    public init() {}

    /// Lists what is below `root`, as far as the names are admitted; those of files are given by their bytes, which need not
    /// be text. Of what is no file of interest, those paths are told that `other` asks for.
    public init(
        below root: String, folder: (String) -> Bool, file: @escaping @Sendable (UnsafeRawBufferPointer) -> Bool,
        other: (@Sendable (UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)? = nil
    ) {
        var names = TreeNames(files: file, others: other)
        guard Self.read(root, "", folder, into: &names) != nil || errno != ENOENT && errno != ENOTDIR,
            let listing = names.listing(below: root)
        else {
            if errno == ENOENT || errno == ENOTDIR { isThere = false } else { unread.append(root) }
            return
        }
        self = listing
    }

    /// Adds what comes after all that is in this one.
    mutating func add(_ later: FileListing) {
        files.append(contentsOf: later.files)
        unread = (unread + later.unread).sorted { $0.precedesByBytes($1) }
        unusable = (unusable + later.unusable).sorted { $0.precedesByBytes($1) }
        passedOver = (passedOver + later.passedOver).sorted { $0.precedesByBytes($1) }
    }

    /// Answers the number of a folder; `nil` if it cannot be read, for the reason in `errno`.
    private static func read(_ path: String, _ relative: String, _ folder: (String) -> Bool, into names: inout TreeNames) -> Int? {
        let found: (number: Int, subfolders: [String])
        do {
            // Closed before the next is opened: a tree may be deeper than a process may hold files open.
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
            guard let child = read(path + "/" + name, relative.isEmpty ? name : relative + "/" + name, folder, into: &names) else {
                continue
            }
            names.link(place, of: found.number, to: child)
        }
        return found.number
    }
}
