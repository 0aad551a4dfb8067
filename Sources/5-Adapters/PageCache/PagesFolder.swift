import Glibc
import Model
import PagePNG
public import Platform

/// The folder of all images, with one folder for each chart's images. There is no state here, so any thread may use it.
///
/// If a chart's folder is a link, neither the link nor the files behind it are ours.
struct PagesFolder: Sendable {
    let path: String

    func path(ofChart chart: String) -> String { path + "/" + chart }

    func path(of name: ImageName) -> String { path + "/" + name.description }

    /// The charts that have a folder, sorted. Empty if there is no folder of images; but if that is a link to a disk that is away,
    /// nobody knows what is there.
    func charts() throws(SystemError) -> [String] {
        var charts: [String] = []
        do throws(SystemError) {
            try Folder.visit(path) { entry in
                guard entry.kind == .folder || entry.kind == .unknown else { return }
                let name = String(decoding: entry.bytes, as: UTF8.self)
                if ImageFolder(name) != nil { charts.append(name) }
            }
        } catch {
            guard error.code == ENOENT, Folder.deadLink(onWayTo: path) == nil else { throw error }
        }
        return charts.sorted()
    }

    /// Calls `body` with each of a chart's images, recognised by their names. A missing folder has no images.
    ///
    /// Returns the error if the images could not be listed. A folder that is unreadable for now proves nothing about its images.
    func visit(_ chart: String, _ body: (ImageName, borrowing Folder.Entry) -> Void) -> SystemError? {
        error { () throws(SystemError) in
            try Folder.visit(path(ofChart: chart), followingLinks: false) { entry in
                guard entry.kind == .file || entry.kind == .unknown, let name = ImageName(folder: chart, file: entry.bytes) else { return }
                body(name, entry)
            }
        }
    }

    /// The images of a chart; throws if they cannot be listed.
    func images(of chart: String) throws(SystemError) -> [ImageName] {
        var names: [ImageName] = []
        if let error = visit(chart, { name, _ in names.append(name) }) { throw error }
        return names
    }

    /// The images of some charts, with their disk space and last use, and the charts that could not be listed, with the errors.
    func entries(of charts: some Sequence<String>) -> (entries: [CacheEntry], unlisted: [String: SystemError]) {
        var (entries, unlisted): ([CacheEntry], [String: SystemError]) = ([], [:])
        for chart in charts {
            // A folder may permit reading its names, but not access to its files.
            var closed: SystemError?
            unlisted[chart] =
                visit(chart) { name, entry in
                    guard let status = entry.status() else {
                        let error = SystemError("access", path: path(of: name))
                        if !error.isAbsence { closed = error }
                        return
                    }
                    if status.isFile { entries.append(CacheEntry(name, status)) }
                } ?? closed
        }
        return (entries, unlisted)
    }

    /// An image according to its file; `nil` if there is none.
    func entry(of name: ImageName) -> CacheEntry? {
        var status = stat()
        guard lstat(path(of: name), &status) == 0, status.isFile else { return nil }
        return CacheEntry(name, status)
    }

    /// Opens an image, or anything else with its name. Opening never waits, because the name may belong to a pipe.
    ///
    /// Throws `ELOOP` for a link, `ENXIO` for a socket, and `ENOENT` or `ENOTDIR` for an image that does not exist.
    func open(_ name: ImageName) throws(SystemError) -> Descriptor {
        var chart = OpenChart()
        return try open(name, in: &chart)
    }

    /// A chart's open folder, so that opening several of its images looks the folder up only once.
    struct OpenChart: ~Copyable {
        fileprivate var chart: String?
        fileprivate var folder: Int32 = -1

        deinit {
            if folder >= 0 { close(folder) }
        }
    }

    /// Opens an image like the other `open`, and leaves its chart's folder open in `chart`, for the next image.
    func open(_ name: ImageName, in chart: inout OpenChart) throws(SystemError) -> Descriptor {
        if chart.chart != name.chart {
            let folder = try open(chart: name.chart)
            chart = OpenChart(chart: name.chart, folder: folder.release())
        }
        let number = openat(chart.folder, name.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else { throw SystemError("open", path: path(of: name)) }
        return Descriptor(owning: number)
    }

    private func open(chart: String) throws(SystemError) -> Descriptor {
        do throws(SystemError) {
            return try Descriptor.open(path(ofChart: chart), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        } catch {
            throw error.code == ELOOP ? SystemError(error.operation, path: error.path, code: ENOTDIR) : error
        }
    }

    /// Removes a chart's folder, unless anything is in it, such as an unfinished image or another program's file.
    func removeIfEmpty(chart: String) { rmdir(path(ofChart: chart)) }

    enum Removal: Sendable {
        case removed(ByteCount)
        /// Another process removed the image first.
        case gone
        case failed(SystemError)
    }

    /// Removes images, in the order given.
    func remove(_ names: [ImageName]) -> [Removal] {
        // Images of one chart are often removed together, so look its folder up only once.
        var open: (image: ImageName, folder: Int32)?
        defer { if let open { close(open.folder) } }
        return names.map { name in
            if open?.image.sharesChart(with: name) != true {
                if let former = open { close(former.folder) }
                open = nil
                do throws(SystemError) {
                    open = (name, try self.open(chart: name.chart).release())
                } catch {
                    return error.isAbsence ? .gone : .failed(error)
                }
            }
            guard let folder = open?.folder else { return .gone }
            var status = stat()
            let file = name.file
            guard fstatat(folder, file, &status, AT_SYMLINK_NOFOLLOW) == 0, unlinkat(folder, file, 0) == 0 else {
                let error = SystemError("remove", path: path(of: name))
                return error.isAbsence ? .gone : .failed(error)
            }
            return .removed(status.space)
        }
    }
}

extension SystemError {
    /// `true` if the error means that something does not exist.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

extension stat {
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }

    /// The space that a deletion frees. Blocks have 512 bytes on every file system.
    var space: ByteCount { ByteCount(Int(st_blocks) * 512) }
}

extension CacheEntry {
    /// The latest time of use that is reported, in seconds since 1970: in the year 2255, because nanoseconds can be counted only
    /// until 2262.
    private static let lastSecond = 9_000_000_000

    init(_ name: ImageName, _ status: stat) {
        // Any program may set any time. Times too early or too late to be handled become the earliest or the latest possible time.
        let seconds = min(max(status.st_mtim.tv_sec, 0), Self.lastSecond)
        let used = Timestamp(sinceEpoch: .seconds(seconds) + .nanoseconds(status.st_mtim.tv_nsec))
        self.init(name: name, size: status.space, usedAt: used)
    }
}

extension PagesFolder {
    enum Condition: Sendable {
        case intact
        case bad(FileStamp)
        case gone
        case unreadable(SystemError)
    }

    /// The most bytes of an image. No image of ours is longer.
    private static let greatestLength = 1 << 28

    /// Checks every byte of an image, and whether the image was made from the inputs that its name identifies. If another file
    /// replaced a bad one while it was read, the check is repeated.
    func verify(_ name: ImageName, by rows: PackedRows) -> Condition {
        var condition = check(name, by: rows)
        for _ in 1..<Self.mostReadings {
            guard case .bad(let read) = condition, identity(of: name) != read else { return condition }
            condition = check(name, by: rows)
        }
        return condition
    }

    /// How often an image is read at most: no image is replaced this often in a row.
    private static let mostReadings = 4

    private func check(_ name: ImageName, by rows: PackedRows) -> Condition {
        let path = path(of: name)
        var status = stat()
        do throws(SystemError) {
            let file = try open(name)
            guard fstat(file.number, &status) == 0 else { throw SystemError("access", path: path) }
            guard status.isFile, status.st_size <= Self.greatestLength else { return .bad(FileStamp(status)) }
            let bytes = try file.readAll(limit: Self.greatestLength, path: path)
            return Self.isIntact(bytes, as: name, by: rows) ? .intact : .bad(FileStamp(status))
        } catch {
            if error.isAbsence { return .gone }
            // A link or a socket is bad; any other error proves nothing about the image.
            guard error.code == ELOOP || error.code == ENXIO else { return .unreadable(error) }
            return lstat(path, &status) == 0 ? .bad(FileStamp(status)) : .gone
        }
    }

    /// Returns whether every byte is as it was made, and the image was made from the inputs that its name identifies.
    static func isIntact(_ bytes: [UInt8], as name: ImageName, by rows: PackedRows) -> Bool {
        bytes.withUnsafeBytes { BandedPNG(whole: $0, unpackingInto: rows)?.key.isKey(of: name) == true }
    }

    /// The identity of the file or folder that has an image's name; `nil` if there is none.
    func identity(of name: ImageName) -> FileStamp? {
        var status = stat()
        return lstat(path(of: name), &status) == 0 ? FileStamp(status) : nil
    }

    /// Everything among the images that is not an image.
    struct Others {
        /// Files that are not ours, sorted, as paths within this folder.
        var strangers: [String] = []
        /// The images whose places are taken by something other than a file.
        var displaced: [ImageName] = []
        /// The folders that could not be listed.
        var unlisted: [String: SystemError] = [:]
    }

    func others() -> Others {
        var (others, charts): (Others, [String]) = (Others(), [])
        others.unlisted[path] = error { () throws(SystemError) in
            try Folder.visit(path) { entry in
                let isChart = (entry.kind == .folder || entry.kind == .unknown) && ImageFolder(entry.text) != nil
                if isChart { charts.append(entry.text) } else { others.strangers.append(entry.text) }
            }
        }
        for chart in charts {
            others.unlisted[chart] = error { () throws(SystemError) in
                try Folder.visit(path(ofChart: chart), followingLinks: false) { entry in
                    if let image = ImageName(folder: chart, file: entry.bytes) {
                        if entry.kind != .file && entry.kind != .unknown { others.displaced.append(image) }
                    } else if !entry.text.hasPrefix(AtomicFile.temporaryPrefix) {
                        others.strangers.append(chart + "/" + entry.text)
                    }
                }
            }
        }
        others.strangers.sort()
        return others
    }

    /// Why a folder could not be listed; a missing folder counts as empty.
    private func error(_ listing: () throws(SystemError) -> Void) -> SystemError? {
        do throws(SystemError) {
            try listing()
            return nil
        } catch {
            return error.isAbsence ? nil : error
        }
    }
}

extension ImageKey {
    /// Returns whether the image with this name was made under this key. The name contains only the beginning of a key.
    fileprivate func isKey(of name: ImageName) -> Bool { digest.shortHex == name.key }
}

/// Protects folders from systemd-tmpfiles, which skips a locked folder and everything in it.
///
/// The locks are shared, do not prevent reading, writing or deleting, and end with the process.
@LoopActor
public final class FolderHolds {
    private let most: Int
    private var held: [String: Held] = [:]

    /// A locked folder. By now, another folder may be at its path.
    private final class Held {
        let folder: Descriptor
        let identity: FileIdentity

        /// `nil` if no folder can be opened at `path`, or if the folder is being cleaned at this moment.
        init?(_ path: String) {
            guard let folder = try? Descriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW) else { return nil }
            var status = stat()
            guard fstat(folder.number, &status) == 0, flock(folder.number, LOCK_SH | LOCK_NB) == 0 else { return nil }
            self.folder = folder
            identity = FileIdentity(status)
        }

        func isAt(_ path: String) -> Bool {
            var present = stat()
            return lstat(path, &present) == 0 && FileIdentity(present) == identity
        }
    }

    /// Holds at most `most` folders, because each takes an open file, and a process may usually have 1,024 of them.
    public init(most: Int = 256) { self.most = most }

    /// The folders that are held.
    public var paths: Set<String> { Set(held.keys) }

    /// Holds these folders, the most important ones first, and releases all others.
    ///
    /// A folder that does not exist, or is being cleaned at this moment, is left out; the next call tries again. A folder that was
    /// removed and made again is locked again.
    public func hold(_ paths: [String]) {
        var next: [String: Held] = [:]
        for path in paths where next[path] == nil {
            guard next.count < most else { break }
            if let before = held[path], before.isAt(path) {
                next[path] = before
            } else {
                next[path] = Held(path)
            }
        }
        held = next
    }
}
