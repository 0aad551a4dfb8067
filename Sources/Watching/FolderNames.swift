import Glibc
import Model
import Platform

/// The names in one folder that somebody may want, in the order of the paths that they begin.
struct FolderNames: Sendable {
    /// A folder in it, that comes after so many of its files.
    struct Subfolder: Sendable {
        let name: String
        let precedingFiles: Int
    }

    private(set) var subfolders: [Subfolder] = []
    /// How many of its names may be files' to list.
    private(set) var fileCount = 0
    /// Files whose names are no text, as far as they can be told.
    private(set) var unusable: [String] = []
    /// The names of the files, with a zero after each.
    private var names: [UInt8] = []

    private struct Name {
        let start: Int
        let count: Int
        let isFolder: Bool
    }

    /// Reads the names as far as they are admitted, those of files also where they are no text; `nil` if they cannot be read, for
    /// the reason in `errno`.
    init?(in opened: OpenFolder, _ path: String, folder: (String) -> Bool, file: (UnsafeRawBufferPointer) -> Bool) {
        // A folder's name with a slash after it: in this order, one folder after the other is the order of all paths.
        var text: [UInt8] = []
        var found: [Name] = []
        var strange: [String] = []
        do throws(SystemError) {
            try Folder.visit(opened.number, path) { entry, isFolder in
                guard isFolder || file(entry.bytes) else { return }
                guard entry.bytes.isText else {
                    if !isFolder { strange.append(path + "/" + entry.bytes.printable) }
                    return
                }
                guard !isFolder || folder(String(decoding: entry.bytes, as: UTF8.self)) else { return }
                found.append(Name(start: text.count, count: entry.bytes.count, isFolder: isFolder))
                text.append(contentsOf: entry.bytes)
                text.append(isFolder ? UInt8(ascii: "/") : 0)
            }
        } catch {
            errno = error.code
            return nil
        }
        unusable = strange.sorted { $0.precedesByBytes($1) }
        text.withUnsafeBytes { text in
            found.sort { one, other in
                let (left, right) = (one.count + (one.isFolder ? 1 : 0), other.count + (other.isFolder ? 1 : 0))
                let sign = memcmp(text.baseAddress! + one.start, text.baseAddress! + other.start, min(left, right))
                return sign == 0 ? left < right : sign < 0
            }
            for name in found {
                let bytes = UnsafeRawBufferPointer(rebasing: text[name.start..<(name.start + name.count)])
                if name.isFolder {
                    subfolders.append(Subfolder(name: String(decoding: bytes, as: UTF8.self), precedingFiles: fileCount))
                } else {
                    names.append(contentsOf: bytes)
                    names.append(0)
                    fileCount += 1
                }
            }
        }
    }

    /// The files with their stamps, in order; `nil` in the place of one that is gone, or is a folder by now.
    func entries(in opened: OpenFolder, _ path: String) -> [FileListing.Entry?] {
        var entries: [FileListing.Entry?] = []
        entries.reserveCapacity(fileCount)
        let prefix = path + "/"
        names.withUnsafeBufferPointer { names in
            var start = 0
            while start < names.count {
                let name = names.baseAddress! + start
                var status = stat()
                let isThere = name.withMemoryRebound(to: CChar.self, capacity: 1) {
                    fstatat(opened.number, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
                }
                let count = strlen(UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
                if isThere, status.st_mode & S_IFMT != S_IFDIR {
                    let bytes = UnsafeBufferPointer(start: name, count: count)
                    entries.append(FileListing.Entry(path: prefix.joined(to: bytes), stamp: FileStamp(status)))
                } else {
                    entries.append(nil)
                }
                start += count + 1
            }
        }
        return entries
    }
}

extension Folder {
    /// Shows what is in an opened folder, with whether it is a folder; what is gone by then is not shown.
    fileprivate static func visit(
        _ opened: Int32, _ path: String, _ body: (borrowing Entry, _ isFolder: Bool) -> Void
    ) throws(SystemError) {
        try visit(opened: opened, path: path) { entry in
            switch entry.kind {
            case .folder: body(entry, true)
            case .file, .link, .other: body(entry, false)
            case .unknown:
                // Some file systems do not tell folders in the listing.
                guard let status = entry.status() else { return }
                body(entry, status.st_mode & S_IFMT == S_IFDIR)
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var isText: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }

    /// As a text in which every byte that is none can be told.
    fileprivate var printable: String {
        String(decoding: flatMap { $0 < 0x80 ? [$0] : Array("\\x\(String($0, radix: 16))".utf8) }, as: UTF8.self)
    }
}

extension String {
    fileprivate func joined(to bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(unsafeUninitializedCapacity: utf8.count + bytes.count) { room in
            let end = room.update(fromContentsOf: utf8)
            _ = room[end...].update(fromContentsOf: bytes)
            return utf8.count + bytes.count
        }
    }
}
