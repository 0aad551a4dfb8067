import Glibc
public import Model

/// The files of interest below a folder, with their stamps. Links are not followed, and nothing is opened but folders.
public struct FileListing: Hashable, Sendable {
    /// A file that was found, or whatever else has the name of one and is no folder.
    public struct Entry: Hashable, Sendable {
        public let path: String
        public let stamp: FileStamp

        /// Describes a file.
        public init(path: String, stamp: FileStamp) {
            self.path = path
            self.stamp = stamp
        }
    }

    /// In the order of their paths' bytes. A list, since two files whose names differ in their Unicode form only are equal texts.
    public var files: [Entry] = []
    /// Folders that could not be read: what was in them is not known to be gone.
    public var unread: [String] = []
    /// Files of interest whose names are no text, with those bytes spelled out that are none.
    public var unusable: [String] = []
    /// Whether the folder itself is there.
    public var isThere = true

    /// A listing without anything in it.
    public init() {}

    /// Lists what is below `root`, as far as the names are admitted; those of files are given by their bytes, which need not
    /// be text.
    public init(below root: String, folder: (String) -> Bool, file: (UnsafeRawBufferPointer) -> Bool) {
        add(root, isRoot: true, folder, file)
        inOrder()
    }

    private mutating func add(
        _ path: String, isRoot: Bool, _ folder: (String) -> Bool, _ file: (UnsafeRawBufferPointer) -> Bool
    ) {
        let names: FolderNames
        let entries: [Entry?]
        do {
            // Closed before the next is opened: a tree may be deeper than a process may hold files open.
            guard let opened = OpenFolder(path, followingLinks: isRoot),
                let found = FolderNames(in: opened, path, folder: folder, file: file)
            else {
                if isRoot, errno == ENOENT || errno == ENOTDIR { isThere = false } else { unread.append(path) }
                return
            }
            names = found
            entries = found.entries(in: opened, path)
        }
        unusable += names.unusable
        add(entries, between: names.subfolders) { $0.add(path + "/" + names.subfolders[$1].name, isRoot: false, folder, file) }
    }

    /// Adds the files of a folder, and at their places what is in the folders in it.
    mutating func add(
        _ entries: [Entry?], between subfolders: [FolderNames.Subfolder], _ addSubfolder: (inout FileListing, Int) -> Void
    ) {
        var next = 0
        for (place, subfolder) in subfolders.enumerated() {
            for entry in entries[next..<subfolder.precedingFiles] { if let entry { files.append(entry) } }
            next = subfolder.precedingFiles
            addSubfolder(&self, place)
        }
        for entry in entries[next...] { if let entry { files.append(entry) } }
    }

    /// Puts in order what is told of by the way.
    mutating func inOrder() {
        unread.sort { $0.precedesByBytes($1) }
        unusable.sort { $0.precedesByBytes($1) }
    }
}
