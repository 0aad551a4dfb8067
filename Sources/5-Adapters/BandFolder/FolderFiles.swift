import BandLayout
import Glibc
import Model
import Platform

/// The files of a band's folder. No method waits for anything but the disk.
struct FolderFiles: Sendable {
    let place: String

    /// The last report about one device's folder.
    struct SeenFolder: Sendable {
        /// The folder's stamp at the time of the report.
        var folder: Stamp
        /// The stamps of the files that may be heads, at the time of the report.
        var heads: [String: Stamp] = [:]
        var strangers = 0
    }

    /// If a file or folder has another stamp than before, it may have been changed or replaced.
    struct Stamp: Hashable, Sendable {
        /// May overflow for a time in the far future, which anybody can give a file. No harm: the result is only compared.
        private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

        let inode: UInt64
        let size: Int64
        let modified: Int64
        let changed: Int64

        init(_ status: stat) {
            inode = UInt64(status.st_ino)
            size = Int64(status.st_size)
            modified = Self.nanoseconds(status.st_mtim)
            changed = Self.nanoseconds(status.st_ctim)
        }
    }

    /// How many names in one folder are read at most.
    private static let mostNames = 20_000
    /// The most possible heads in one folder, and the most copies of one object. Enough, because sync programs keep ten conflicting
    /// copies of a file.
    private static let mostHeads = 16
    private static let mostDevices = 1000

    // MARK: - Files

    func read(_ path: String, _ limit: Int) -> [UInt8]? {
        let path = place + "/" + path
        var status = stat()
        guard isPlain(path), lstat(path, &status) == 0, status.st_size <= limit, let file = try? Descriptor.openFile(path, O_NOFOLLOW)
        else { return nil }
        return try? file.readAll(limit: limit, path: path)
    }

    /// Returns the bytes of the first file with this sum, and the stamps of the files before it that have other sums. Files that
    /// are too long, or have their stamps in `wrong`, are skipped. Unreadable files are tried every time, because a disk or
    /// network may have failed only briefly.
    func first(_ paths: [String], _ sum: Digest, _ limit: Int, but wrong: [String: Stamp]) -> (bytes: [UInt8]?, wrong: [String: Stamp]) {
        var found: [String: Stamp] = [:]
        for path in paths {
            var status = stat()
            guard lstat(place + "/" + path, &status) == 0, wrong[path] != Stamp(status), status.st_size <= limit else { continue }
            guard let bytes = read(path, limit) else { continue }
            if SHA256.digest(of: bytes) == sum { return (bytes, found) }
            found[path] = Stamp(status)
        }
        return (nil, found)
    }

    /// The paths of a device's objects that are in other folders, or have other names, such as the names that sync programs give to copies.
    func copies(of device: BandDevice) -> [Digest: [String]] {
        var copies: [Digest: [String]] = [:]
        for folder in folders(known: [device]).0 where folder.device == device {
            visit(folder.path) { entry in
                let text = entry.text
                guard let sum = BandPath.object(copied: text) else { return }
                let path = folder.path.dropFirst(place.utf8.count + 1) + "/" + text
                if path != BandPath.object(sum, of: device) { copies[sum, default: []].append(String(path)) }
            }
        }
        // Sort the paths, so that the limit keeps the same copies every time.
        return copies.mapValues { Array($0.sorted().prefix(Self.mostHeads)) }
    }

    /// Removes files in the device's folders that are named like copies of a head or an object. All other files stay, and so do the
    /// head and the objects themselves, which heads may still name.
    func removeCopies(of device: BandDevice) throws(Trouble) {
        for folder in folders(known: [device]).0 where folder.device == device && isPlain(folder.path + "/head.json") {
            var copies: [String] = []
            // Compare the folders and not the paths, since one folder may appear under two names.
            let isOwn = isSame(folder.path, place + "/" + BandPath.folder(of: device))
            visit(folder.path) { entry in
                let name = entry.text
                let isHead = name.lowercased().hasPrefix("head") && name.lowercased().contains(".json")
                let isObject =
                    BandPath.object(copied: name).map { !isOwn || !BandPath.object($0, of: device).hasSuffix("/" + name) } ?? false
                if isObject || isHead && name != "head.json" { copies.append(folder.path + "/" + name) }
            }
            for path in copies where unlink(path) != 0 && errno != ENOENT && errno != EISDIR {
                throw Trouble("\(SystemError("remove", path: path))")
            }
        }
    }

    private func isSame(_ path: String, _ other: String) -> Bool {
        var (one, two) = (stat(), stat())
        return lstat(path, &one) == 0 && lstat(other, &two) == 0 && (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)
    }

    private func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

    func put(_ bytes: [UInt8], as path: String) throws(Trouble) {
        let target = place + "/" + path
        try check()
        guard isPlain(target) || !isThere(Folder.parent(of: target)) else {
            throw Trouble("\(SystemError("write", path: target, code: ELOOP, reason: "its folder is a link; remove that"))")
        }
        var isTaken = false
        do throws(SystemError) {
            try Folder.create(Folder.parent(of: target), mode: 0o777)
            // Most sync programs ignore this name, which is used only where an incomplete file needs a name.
            let file = try TemporaryFile.createUnnamed(inFolderOf: target, mode: 0o666, as: ".~\(name(path)).tmp")
            let written = bytes.withUnsafeBytes { bytes in Result { () throws(SystemError) in try file.write(bytes) } }
            try written.get()
            // The marker of another band is never overwritten.
            if path != BandPath.marker {
                try file.publish(as: target, durability: .synced)
            } else if try !file.publishWhereFree(as: target) {
                isTaken = true
            }
        } catch {
            throw Trouble("\(error)")
        }
        var status = stat()
        if isTaken, lstat(target, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Trouble("\(target) is not a file: move it away")
        }
        if isTaken { throw Trouble("\(place) is a band's place by now; join it, or choose another one") }
    }

    private func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether every folder from the place down to the file is a real folder. A link could lead anywhere.
    private func isPlain(_ path: String) -> Bool {
        var (folder, status) = (Folder.parent(of: path), stat())
        while folder.utf8.count > place.utf8.count {
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return false }
            folder = Folder.parent(of: folder)
        }
        return true
    }

    func remove(_ path: String) throws(Trouble) {
        guard isPlain(place + "/" + path) else { return }
        guard unlink(place + "/" + path) == 0 || errno == ENOENT else {
            throw Trouble("\(SystemError("remove", path: place + "/" + path))")
        }
    }

    func objects(of device: BandDevice) throws(Trouble) -> [Digest: Int]? {
        try check()
        var objects: [Digest: Int] = [:]
        let folder = place + "/" + BandPath.folder(of: device)
        do throws(SystemError) {
            try Folder.visit(folder, followingLinks: false, most: Self.mostNames) { entry in
                var status = stat()
                guard let sum = BandPath.object(named: entry.text), lstat("\(folder)/\(entry.text)", &status) == 0,
                    status.st_mode & S_IFMT == S_IFREG
                else { return }
                objects[sum] = Int(status.st_size)
            }
        } catch {
            // A folder that exists but cannot be listed must not count as empty.
            guard error.code == ENOENT else { throw Trouble("\(error)") }
            try check()
        }
        return objects
    }

    /// Throws if the place's folder is missing or not a folder. Its files then count as out of reach, not as removed.
    private func check() throws(Trouble) {
        var status = stat()
        guard stat(place, &status) == 0 else { throw Trouble(.away, "\(SystemError("open", path: place))") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Trouble(.away, "\(place) is not a folder") }
    }

    // MARK: - Heads

    func heads(known: [BandDevice], seen: [BandDevice: SeenFolder]) throws(Trouble) -> (BandListing, [BandDevice: SeenFolder]) {
        try check()
        var (listing, now) = (BandListing(), [BandDevice: SeenFolder]())
        let (folders, others) = folders(known: known)
        listing.strangers = others
        let isKnown = Set(known)
        let order = folders.sorted { (isKnown.contains($1.device) ? 1 : 0, $0.path) < (isKnown.contains($0.device) ? 1 : 0, $1.path) }
        for (device, folder) in order {
            guard let present = look(folder, seen: seen[device]) else { continue }
            // Only folders with a head count, so that empty folders cannot use up the limit.
            guard listing.devices.count < Self.mostDevices || listing.devices.contains(device) else {
                listing.unread += 1
                continue
            }
            listing.devices.insert(device)
            listing.strangers += present.strangers
            let path = folder.dropFirst(place.utf8.count + 1)
            for (name, stamp) in present.heads.sorted(by: { $0.key < $1.key }) where seen[device]?.heads["\(path)/\(name)"] != stamp {
                listing.heads.append(BandListing.File(device, "\(path)/\(name)"))
            }
            var seen = present
            seen.heads = Dictionary(uniqueKeysWithValues: present.heads.map { ("\(path)/\($0.key)", $0.value) })
            now[device, default: seen].heads.merge(seen.heads) { $1 }
        }
        return (listing, now)
    }

    /// The devices' folders, several for some devices, and the number of other files and folders next to them.
    ///
    /// Folders of `known` devices come first, so that no number of other folders can crowd them out.
    private func folders(known: [BandDevice] = []) -> ([(device: BandDevice, path: String)], others: Int) {
        var (folders, others) = ([(device: BandDevice, path: String)](), 0)
        for device in known.prefix(Self.mostDevices) where isThere(place + "/" + BandPath.folder(of: device)) {
            folders.append((device, place + "/" + BandPath.folder(of: device)))
        }
        let paths = Set(folders.map(\.path))
        for root in roots() {
            visit(root) { entry in
                let path = root + "/" + entry.text
                if paths.contains(path) { return }
                guard let device = BandDevice(checking: entry.text) else { return others += 1 }
                folders.append((device, path))
            }
        }
        return (folders, others)
    }

    /// The folders that contain the devices' folders. Several are possible, because file systems may change the case of the name.
    private func roots() -> [String] {
        var roots: [String] = []
        visit(place) { entry in
            if entry.text.lowercased() == BandPath.devices { roots.append(place + "/" + entry.text) }
        }
        return roots.sorted()
    }

    /// The files in a device's folder that may be heads; `nil` if there are none.
    private func look(_ folder: String, seen: SeenFolder?) -> SeenFolder? {
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        var present = SeenFolder(folder: Stamp(status))
        var names: [String] = []
        if let seen, seen.folder == present.folder, isSettled(status) {
            names = seen.heads.keys.map { name($0) }
            present.strangers = seen.strangers
        } else {
            visit(folder) { entry in
                let text = entry.text
                if text.hasPrefix(".") || text.lowercased().hasPrefix("o-") { return }
                names.append(text)
            }
            // The usual name comes first, so that no number of other files can crowd it out.
            names = ["head.json"] + names.filter { $0 != "head.json" }.sorted()
            present.strangers = max(0, names.count - Self.mostHeads)
        }
        for name in names.prefix(Self.mostHeads)
        where lstat(folder + "/" + name, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0 {
            present.heads[name] = Stamp(status)
        }
        return present.heads.isEmpty ? nil : present
    }

    /// Whether any later change will change the folder's time. Some file systems store times in steps of up to two seconds.
    private func isSettled(_ status: stat) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return abs(Int(now.tv_sec) - Int(status.st_mtim.tv_sec)) > 3
    }

    private func visit(_ path: String, _ body: (borrowing Folder.Entry) -> Void) {
        try? Folder.visit(path, followingLinks: path == place, most: Self.mostNames, body)
    }
}
