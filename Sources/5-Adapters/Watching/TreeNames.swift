import Glibc
import Model
import Platform

/// The wanted names in a tree, in the order in which the walk over the folders reads them. The files' stamps are read later, so
/// that the walk need not wait for them.
struct TreeNames: Sendable {
    private struct FolderRecord: Sendable {
        /// The path from the root, with a slash at the end; empty for the root.
        let path: String
        /// The position of the folder's names in `text`.
        let names: Range<Int>
        /// The numbers of the subfolders, in the order of their names in `text`; -1 for a subfolder that was not read.
        var children: [Int]
    }

    /// The names of files and folders, unsorted. A folder's name ends with a slash. Each name is followed by a zero.
    private var text: [UInt8] = []
    private var folders: [FolderRecord] = []
    private var fileCount = 0
    /// The total length in bytes of the files' paths from the root.
    private var pathBytes = 0
    private var unread: [String] = []
    private var unusable: [String] = []
    private var passedOver: [String] = []
    private let file: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
    private let other: (@Sendable (UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)?

    /// Keeps the folders, the names that `file` admits, and the paths of other names that `other` accepts. Names are passed as
    /// bytes, which need not be valid text. Without `file`, nothing is kept.
    init(
        files file: (@Sendable (UnsafeRawBufferPointer) -> Bool)?,
        others other: (@Sendable (UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)? = nil
    ) {
        (self.file, self.other) = (file, other)
    }

    var isKept: Bool { file != nil }

    /// Reads the names in a folder; `relative` is its path from the root. Returns the admitted folders in it, and its own number,
    /// which is -1 if nothing is kept; `nil` if it cannot be read, with the reason in `errno`.
    mutating func read(
        _ opened: OpenFolder, _ path: String, _ relative: String, folder: (String) -> Bool
    ) -> (number: Int, subfolders: [String])? {
        let start = text.count
        var subfolders: [String] = []
        do throws(SystemError) {
            try Folder.visit(opened.number, path) { entry, kind in
                guard kind == .folder else {
                    guard let file else { return }
                    guard file(entry.bytes) else {
                        if let other, other(entry.bytes, kind == .link) { passedOver.append(path + "/" + entry.bytes.printable) }
                        return
                    }
                    text.append(contentsOf: entry.bytes)
                    text.append(0)
                    fileCount += 1
                    pathBytes += relative.utf8.count + 1 + entry.bytes.count
                    return
                }
                let name = String(decoding: entry.bytes, as: UTF8.self)
                guard folder(name) else { return }
                guard entry.bytes.isText else {
                    if isKept { unusable.append(path + "/" + entry.bytes.printable + "/") }
                    return
                }
                subfolders.append(name)
                guard isKept else { return }
                text.append(contentsOf: entry.bytes)
                text.append(UInt8(ascii: "/"))
                text.append(0)
            }
        } catch {
            text.removeLast(text.count - start)
            errno = error.code
            return nil
        }
        guard isKept else { return (-1, subfolders) }
        folders.append(
            FolderRecord(
                path: relative.isEmpty ? "" : relative + "/", names: start..<text.count,
                children: [Int](repeating: -1, count: subfolders.count)))
        return (folders.count - 1, subfolders)
    }

    /// Sets the number of a subfolder. `place` is its position among the subfolders of `folder`.
    mutating func link(_ place: Int, of folder: Int, to child: Int) {
        if folder >= 0 { folders[folder].children[place] = child }
    }

    /// Notes that a folder could not be read, so that it is unknown whether its files still exist.
    mutating func noteUnread(_ path: String) {
        if isKept { unread.append(path) }
    }

    /// A part of a tree. Its two halves are listed on two threads.
    enum Part {
        case whole
        case earlier
        case later
    }

    /// Reads the stamps of the files in a part of the tree, and lists them; `nil` if the root can no longer be opened.
    func listing(below root: String, _ part: Part = .whole) -> FileListing? {
        guard let top = OpenFolder(root, followingLinks: true) else { return nil }
        var listing = FileListing()
        if part != .later { (listing.unread, listing.unusable, listing.passedOver) = (unread, unusable, passedOver) }
        var path = Array(root.utf8) + [UInt8(ascii: "/")]
        // Reserve room for the later part, too, which is appended to the earlier one. Reserved memory costs nothing until it is written to.
        listing.files.reserve(fileCount, bytes: fileCount * path.count + pathBytes)
        let rootLength = path.count
        text.withUnsafeBufferPointer { text in
            guard let first = folders.first else { return }
            add(names(of: first, text, part), of: first, to: &listing, text, Look(top: top, rootLength: rootLength), &path)
        }
        listing.unread.sort { $0.precedesByBytes($1) }
        listing.unusable.sort { $0.precedesByBytes($1) }
        listing.passedOver.sort { $0.precedesByBytes($1) }
        return listing
    }

    private struct Look {
        let top: OpenFolder
        let rootLength: Int
    }

    private struct Name {
        let bytes: UnsafeBufferPointer<UInt8>
        /// The number of a folder in `folders`, -1 if it was not read; `nil` for a file.
        let child: Int?
    }

    /// Adds the files of a folder and of the folders in it, in the order of their paths. `path` is a buffer for building paths.
    private func add(
        _ names: ArraySlice<Name>, of folder: FolderRecord, to listing: inout FileListing, _ text: UnsafeBufferPointer<UInt8>,
        _ look: Look, _ path: inout [UInt8]
    ) {
        for name in names {
            if let child = name.child {
                guard child >= 0 else { continue }
                add(self.names(of: folders[child], text), of: folders[child], to: &listing, text, look, &path)
                continue
            }
            path.removeLast(path.count - look.rootLength)
            path.append(contentsOf: folder.path.utf8)
            let start = path.count
            path.append(contentsOf: name.bytes)
            path.append(0)
            path.withUnsafeBytes { path in
                let whole = UnsafeRawBufferPointer(rebasing: path.dropLast())
                var status = stat()
                let relative = path.baseAddress!.advanced(by: look.rootLength).assumingMemoryBound(to: CChar.self)
                // The file is gone, or was replaced by a folder.
                guard fstatat(look.top.number, relative, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT != S_IFDIR
                else { return }
                let ownName = UnsafeRawBufferPointer(name.bytes)
                if ownName.isText {
                    listing.files.append(whole, FileStamp(status))
                } else {
                    listing.unusable.append(String(decoding: path[..<start], as: UTF8.self) + ownName.printable)
                }
            }
        }
    }

    /// Sorts the names in a folder, each subfolder's name with its slash. In this order, a walk through the tree gives all paths sorted.
    private func names(
        of folder: FolderRecord, _ text: UnsafeBufferPointer<UInt8>, _ part: Part = .whole
    ) -> ArraySlice<Name> {
        var names: [Name] = []
        var subfolders = 0
        var start = folder.names.lowerBound
        while start < folder.names.upperBound {
            let first = text.baseAddress! + start
            let count = first.withMemoryRebound(to: CChar.self, capacity: 1) { strlen($0) }
            let isFolder = first[count - 1] == UInt8(ascii: "/")
            names.append(
                Name(bytes: UnsafeBufferPointer(start: first, count: count), child: isFolder ? folder.children[subfolders] : nil))
            if isFolder { subfolders += 1 }
            start += count + 1
        }
        names.sort { one, other in
            let sign = memcmp(one.bytes.baseAddress!, other.bytes.baseAddress!, min(one.bytes.count, other.bytes.count))
            return sign == 0 ? one.bytes.count < other.bytes.count : sign < 0
        }
        guard part != .whole else { return names[...] }
        let middle = middle(of: names, folder)
        return part == .earlier ? names[..<middle] : names[middle...]
    }

    /// The index in the root's names that divides the tree into two halves with about equally many folders.
    private func middle(of names: [Name], _ folder: FolderRecord) -> Int {
        // A folder and everything in it were read before the next folder, so the numbers show how many folders each contains.
        let read = folder.children.filter { $0 >= 0 }
        let nexts = Dictionary(uniqueKeysWithValues: zip(read, read.dropFirst() + [folders.count]))
        var seen = 0
        return names.firstIndex { name in
            guard let child = name.child, let next = nexts[child] else { return false }
            seen += next - child
            return seen * 2 >= folders.count
        }.map { $0 + 1 } ?? names.count
    }
}

extension Folder {
    /// Visits the entries of an opened folder, with the kind of each. Entries of unknown kind that have disappeared are left out.
    fileprivate static func visit(
        _ opened: Int32, _ path: String, _ body: (borrowing Entry, Kind) -> Void
    ) throws(SystemError) {
        try visit(opened: opened, path: path) { entry in
            guard entry.kind == .unknown else { return body(entry, entry.kind) }
            // Some file systems do not give the kind in the listing.
            guard let status = entry.status() else { return }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: body(entry, .folder)
            case S_IFLNK: body(entry, .link)
            case S_IFREG: body(entry, .file)
            default: body(entry, .other)
            }
        }
    }
}

/// A folder that is held open while this object exists, so that the stamps of the files in it can be read.
final class OpenFolder: Sendable {
    let number: Int32

    /// Opens a folder; `nil` if that fails, with the reason in `errno`. Also fails for a folder that can be listed but not entered,
    /// because the files in it could not be inspected.
    init?(_ path: String, followingLinks: Bool) {
        let opened = open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followingLinks ? 0 : O_NOFOLLOW))
        guard opened >= 0, faccessat(opened, ".", X_OK, 0) == 0 else {
            let reason = errno
            if opened >= 0 { close(opened) }
            errno = reason
            return nil
        }
        number = opened
    }

    deinit {
        if number >= 0 { close(number) }
    }
}

extension UnsafeRawBufferPointer {
    /// True if the bytes of a name are valid text.
    var isText: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }

    /// The name as text, with every byte outside ASCII spelled out as `\x` and its hexadecimal digits.
    var printable: String {
        String(decoding: flatMap { $0 < 0x80 ? [$0] : Array("\\x\(String($0, radix: 16))".utf8) }, as: UTF8.self)
    }
}
