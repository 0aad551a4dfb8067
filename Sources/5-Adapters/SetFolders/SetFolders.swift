import Glibc
public import Model
public import Platform
public import Sets

/// Reads the folders in which people keep the charts of what they play. Files are only listed, and lists of songs
/// read; the only files that are ever written are lists (SetFolders+Lists).
public struct SetFolders: Sendable {
    /// The configured folders. Links are followed as long as they lead into one of them.
    public let roots: [String]
    /// Those of the folders that are not touched, since they do not answer. They count as away.
    let silent: Set<String>

    public init(_ roots: [String], silent: Set<String> = []) { (self.roots, self.silent) = (roots, silent) }

    /// Reads all folders.
    public func read() -> FoundSets {
        var listings = Listings()
        return read(&listings, touched: nil, now: Timestamp(nanoseconds: 0))
    }

    /// What the folders held when they were last listed.
    public struct Listings: Sendable {
        /// By the bytes of the folders' paths: texts are equal in any form of Unicode, but files are not found by another one.
        fileprivate var byPath: [[UInt8]: Listing] = [:]
        /// How many folders the last read has listed.
        public fileprivate(set) var listed = 0

        public init() {}
    }

    /// Reads all folders, but lists only those that were `touched` and those whose own status has changed, since the others may hold
    /// thousands of files; `nil` lists all. Writing to a file leaves the status of its folder as it is, so without an event for the
    /// folder, only listing all finds that. `now` is this machine's time.
    public func read(_ listings: inout Listings, touched: Set<String>?, now: Timestamp) -> FoundSets {
        var found = FoundSets()
        let former = touched == nil ? [:] : listings.byPath
        listings = Listings()
        // Another path may lead to the same folder.
        let numbers = Set((touched ?? []).compactMap { DiskNumber(ofFolder: $0) })
        // A folder inside of another one is read once: otherwise, each of its sets would be two plans.
        var seen: Set<[UInt64]> = []
        for root in roots {
            guard !silent.contains(root) else {
                found.away.append(.init(path: root, reason: "it does not answer"))
                continue
            }
            var status = stat()
            guard stat(root, &status) == 0 else {
                found.away.append(.init(path: root, reason: String(cString: strerror(errno))))
                continue
            }
            var walk = Walk(self, seen, former: former, touched: numbers, now: now)
            walk.read(root, depth: 0)
            seen = walk.seen
            listings.byPath.merge(walk.kept) { $1 }
            listings.listed += walk.listed
            if let reason = walk.unreadable[root] { found.away.append(.init(path: root, reason: reason)) }
            found.sets += walk.found.sets
            found.book += walk.found.book
            found.empty += walk.found.empty
            found.indexes += walk.found.indexes
            found.others += walk.found.others + walk.unreadable.filter { $0.key != root }.map { .init(path: $0.key, reason: $0.value) }
        }
        found.sets.sort { $0.path.precedesByBytes($1.path) }
        found.book.sort { $0.path.precedesByBytes($1.path) }
        found.others.sort { $0.path.precedesByBytes($1.path) }
        return found
    }

    func isInside(_ path: String) -> Bool {
        // A root may be a link to a disk that came later.
        roots.filter { !silent.contains($0) }.map(Folder.real).contains {
            path == $0 || path.utf8.starts(with: ($0 == "/" ? $0 : $0 + "/").utf8)
        }
    }

    /// Folders below each other deeper than this are no order that anybody keeps.
    private static let deepest = 8
    private static let mostFiles = 100_000
    static let longestList = 1 << 18
    private static let longestIndex = 8 << 20

    /// What a folder holds.
    fileprivate struct Listing: Sendable {
        /// The folder's own status, from before its names were read.
        let stamp: FileStamp
        var files: [SetFile] = []
        var folders: [(name: String, path: String)] = []
        var lists: [(name: String, path: String, stamp: FileStamp)] = []
        var indexes: [String] = []
        var others: [FoundSets.Other] = []
        /// How many entries it has, those that nobody sees among them.
        var count = 0
        /// Whether nothing is in it that people see.
        var isEmpty = true
        /// Whether a file in it can be reached by another path, too: no event there would name this folder.
        var hasLinks = false

        /// Whether any later change of the names in the folder will change its times. Some file systems store times in steps of two seconds.
        func isSettled(_ now: Timestamp) -> Bool {
            [stamp.modified, stamp.changed].allSatisfy {
                now.nanoseconds.subtractingReportingOverflow($0).partialValue.magnitude > 3_000_000_000
            }
        }
    }

    /// One walk through a root.
    private struct Walk {
        let folders: SetFolders
        var found = FoundSets()
        var unreadable: [String: String] = [:]
        private var entries = 0
        /// The folders that were read, so that links in a circle end.
        private(set) var seen: Set<[UInt64]>
        private let former: [[UInt8]: Listing]
        private let touched: Set<DiskNumber>
        private let now: Timestamp
        /// The listings that hold until their folders are touched.
        private(set) var kept: [[UInt8]: Listing] = [:]
        /// How many folders were listed.
        private(set) var listed = 0

        init(_ folders: SetFolders, _ seen: Set<[UInt64]>, former: [[UInt8]: Listing], touched: Set<DiskNumber>, now: Timestamp) {
            (self.folders, self.seen, self.former, self.touched, self.now) = (folders, seen, former, touched, now)
        }

        mutating func read(_ folder: String, depth: Int) {
            guard let listing = list(folder) else { return }
            if listing.isEmpty { found.empty.append(folder) }
            found.book += listing.files
            for list in listing.lists { read(list.path, named: list.name, list.stamp) }
            for (name, path) in listing.folders {
                switch SetName.read(name) {
                case .set(let set): read(path, as: set)
                case .noSuchDay(let day): found.others.append(.init(path: path, reason: "there is no day \(day)"))
                case .other where depth < SetFolders.deepest:
                    // What lies in this folder is read all the same: a path that ends with a slash is around nothing.
                    if let advice = SetName.advice(for: name) {
                        found.others.append(.init(path: path + "/", reason: "its charts are a songbook; \(advice)"))
                    }
                    read(path, depth: depth + 1)
                case .other: found.others.append(.init(path: path, reason: "too many folders are around it"))
                }
            }
        }

        /// Reads a folder whose name begins with a date.
        private mutating func read(_ folder: String, as name: SetName) {
            guard let listing = list(folder) else { return }
            found.others += listing.lists.map { .init(path: $0.path, reason: "a list of songs stands beside the sets") }
            var songs: [(name: String, files: [SetFile])] = []
            for (name, path) in listing.folders {
                guard let inner = list(path) else {
                    guard let reason = unreadable[path] else { continue }
                    // Without this song, the set would be another one.
                    return unreadable[folder] = reason
                }
                if !inner.files.isEmpty { songs.append((name, inner.files)) }
                let others = inner.folders.map(\.path) + inner.lists.map(\.path)
                found.others += others.map { .init(path: $0, reason: "a song's folder holds its charts") }
            }
            found.sets.append(FoundSet(path: folder, name: name, number: DiskNumber(listing.stamp), files: listing.files, folders: songs))
        }

        /// Reads a text whose name begins with a date.
        private mutating func read(_ path: String, named name: String, _ stamp: FileStamp) {
            switch SetName.read(SongTitle.withoutEnding(name)) {
            case .other:
                found.others.append(.init(path: path, reason: "the name of a list of songs begins with its date, as in 2026-11-29.txt"))
            case .noSuchDay(let day): found.others.append(.init(path: path, reason: "there is no day \(day)"))
            case .set(let set):
                do {
                    let text = try SongFileText(try AtomicFile.read(path, limit: SetFolders.longestList)).text
                    let list = SetList(text)
                    if list.isCut {
                        found.others.append(
                            .init(
                                path: path,
                                reason: "it has more than \(SetList.mostEntries) lines, or a line of more than \(SetList.longestLine) "
                                    + "letters; the rest is left out"))
                    }
                    found.sets.append(FoundSet(path: path, name: set, number: DiskNumber(stamp), .list(list)))
                } catch {
                    found.others.append(.init(path: path, reason: "it cannot be read: \(error)"))
                }
            }
        }

        private mutating func list(_ folder: String) -> Listing? {
            var status = stat()
            guard stat(folder, &status) == 0 else {
                unreadable[folder] = String(cString: strerror(errno))
                return nil
            }
            guard seen.insert([UInt64(status.st_dev), UInt64(status.st_ino)]).inserted else { return nil }
            let (path, stamp) = (Array(folder.utf8), FileStamp(status))
            let listing: Listing
            if let last = former[path], last.stamp == stamp, !touched.contains(DiskNumber(stamp)) {
                listing = last
            } else {
                listed += 1
                do throws(SystemError) {
                    listing = try names(in: folder, stamp)
                } catch {
                    unreadable[folder] = "\(error)"
                    return nil
                }
            }
            entries += listing.count
            guard entries <= SetFolders.mostFiles else {
                unreadable[folder] = "there are more than \(SetFolders.mostFiles) files"
                return nil
            }
            if !listing.hasLinks, listing.isSettled(now) { kept[path] = listing }
            found.others += listing.others
            let pdfs = listing.files.filter { $0.kind == .pdf }
            if pdfs.isEmpty {
                found.others += listing.indexes.map { .init(path: $0, reason: "it lists the songs of a book, but no PDF is beside it") }
            } else {
                found.indexes += listing.indexes.map { .init(path: $0, pdfs: pdfs) }
            }
            return listing
        }

        private func names(in folder: String, _ stamp: FileStamp) throws(SystemError) -> Listing {
            var listing = Listing(stamp: stamp)
            // One more than are read, and the two dots: if only a part were listed, the rest would seem to be removed.
            try Folder.visit(folder, most: SetFolders.mostFiles + 3) { entry in
                listing.count += 1
                guard entry.bytes[0] != UInt8(ascii: ".") else { return }
                listing.isEmpty = false
                let name = entry.text
                let path = folder == "/" ? folder + name : "\(folder)/\(name)"
                guard name.utf8.elementsEqual(entry.bytes) else {
                    return listing.others.append(.init(path: path, reason: "its name is no text"))
                }
                if let reason = add(name, path, to: &listing) { listing.others.append(.init(path: path, reason: reason)) }
            }
            listing.folders.sort { precedesAsCounted($0.name, $1.name) }
            return listing
        }

        /// Adds an entry of a folder. Returns why it is not used; `nil` also for what programs leave behind while they copy, and is
        /// nothing to speak of.
        private func add(_ name: String, _ path: String, to listing: inout Listing) -> String? {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            if status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 { listing.hasLinks = true }
            if status.st_mode & S_IFMT == S_IFLNK {
                listing.hasLinks = true
                guard folders.isInside(Folder.real(path)) else { return "it is a link to something outside of these folders" }
                guard stat(path, &status) == 0 else { return "it is a link to nothing" }
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: listing.folders.append((name, path))
            case S_IFREG where Self.isUnfinished(name) || Self.isOfMarks(name): break
            case S_IFREG where SetFile.isSecondVersion(named: name): return Self.secondVersion
            case S_IFREG:
                if Self.isList(name) {
                    listing.lists.append((name, path, FileStamp(status)))
                } else if let kind = SetFile.kind(ofName: name) {
                    listing.files.append(SetFile(path: path, kind: kind, stamp: FileStamp(status)))
                } else if name.lowercased().hasSuffix(".csv") {
                    listing.indexes.append(path)
                } else {
                    return "it is no PDF, no song and no picture that can be shown (JPEG or PNG)"
                }
            default: return "it is no file"
            }
            return nil
        }

        private static let secondVersion =
            "a program that syncs files kept it, since two devices changed one file at once; put what is right into that file, "
            + "and delete this one"

        /// Whether the file has marks, which others read, or is the background that Xournal++ keeps of a file of marks.
        private static func isOfMarks(_ name: String) -> Bool {
            let name = name.lowercased()
            return [".xopp", ".xoj"].contains(where: name.hasSuffix) || name.contains(".xopp.bg")
                || name.contains(".marks") && name.hasSuffix(".json")
        }

        /// Whether a file with this name is a list of songs, or was meant to be one. Any other text may be a song.
        private static func isList(_ name: String) -> Bool {
            guard name.lowercased().hasSuffix(".txt") else { return false }
            let bare = SongTitle.withoutEnding(name)
            return SetName.read(bare) != .other || SetName.advice(for: bare) != nil
        }

        /// Whether programs give such names to files that they have not finished.
        private static func isUnfinished(_ name: String) -> Bool {
            let name = name.lowercased()
            return name.hasSuffix("~") || [".part", ".tmp", ".crdownload", ".download", ".swp"].contains(where: name.hasSuffix)
                || name.hasPrefix("~") || name.contains(".syncthing.")
        }
    }
}

extension DiskNumber {
    fileprivate init(_ stamp: FileStamp) { self.init(device: stamp.device, inode: stamp.inode) }

    fileprivate init?(ofFolder path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(FileStamp(status))
    }
}

extension SetFolders {
    /// The songs that tables list, with the PDFs that they are in; a table that cannot be read has none.
    public static func songs(in indexes: [FoundSets.Index]) -> [(song: BookIndex.Song, pdf: SetFile)] {
        var songs: [(song: BookIndex.Song, pdf: SetFile)] = []
        for index in indexes where songs.count < BookIndex.mostSongs {
            guard let bytes = try? AtomicFile.read(index.path, limit: longestIndex), let text = try? SongFileText(bytes).text else {
                continue
            }
            let name = index.path.split(separator: "/").last.map(String.init) ?? ""
            songs += BookIndex(text).places(named: name, beside: index.pdfs)
        }
        return Array(songs.prefix(BookIndex.mostSongs))
    }

    /// What reading a file led to.
    public enum Reading: Hashable, Sendable {
        case whole(Digest, FileKind)
        /// Somebody is still writing the file.
        case unfinished
    }

    /// Reads a file as it was when it was listed, and copies it to `target`, if there is one. `now` is this machine's time, by which a
    /// file that is being written is known.
    public static func read(_ file: SetFile, to target: TemporaryFile? = nil, now: Timestamp) throws(SystemError) -> Reading {
        let source = try Descriptor.openFile(file.path)
        var sum = SHA256()
        var (size, head, tail) = (0, [UInt8](), [UInt8]())
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = piece.withUnsafeMutableBytes { Glibc.read(source.number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError("read", path: file.path) }
            if count == 0 { break }
            let written: Result<Void, SystemError> = piece.withUnsafeBytes { bytes in
                let some = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                sum.update(some)
                return Result { () throws(SystemError) in try target?.write(some) }
            }
            try written.get()
            size += count
            head += piece[..<min(count, FileKind.headerLength - head.count)]
            tail = Array((tail + piece[..<count]).suffix(1024))
            guard size <= largest else { throw SystemError("read", path: file.path, code: EFBIG) }
        }
        var status = stat()
        guard fstat(source.number, &status) == 0 else { throw SystemError("read", path: file.path) }
        guard FileStamp(status) == file.stamp, size == file.stamp.size else { return .unfinished }
        // PDFs and pictures have an end that says so. A file without it is believed when nobody has written to it for a while.
        let isWhole = hasEnd(tail, file.kind)
        let age = now.nanoseconds.subtractingReportingOverflow(file.stamp.modified).partialValue
        return isWhole || age.magnitude > patience ? .whole(sum.finish(), FileKind(header: head)) : .unfinished
    }

    private static func hasEnd(_ tail: [UInt8], _ kind: SetFile.Kind) -> Bool {
        switch kind {
        case .song: true
        case .pdf: String(decoding: tail, as: UTF8.self).contains("%%EOF")
        case .picture:
            zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 } || String(decoding: tail, as: UTF8.self).contains("IEND")
        }
    }

    /// No chart is larger, in bytes.
    private static var largest: Int { 512 << 20 }
    private static var patience: UInt64 { 10_000_000_000 }
}
