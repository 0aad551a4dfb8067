import Glibc
import Model
import Platform

/// The folder of all images: it has one folder for each chart, with the images in it. Nothing is remembered here, so any thread may ask.
///
/// A chart's folder that is a link is not ours: what is behind it belongs to somebody else.
struct PagesFolder: Sendable {
    let path: String

    func path(ofChart chart: String) -> String { path + "/" + chart }

    func path(of name: ImageName) -> String { path + "/" + name.description }

    /// The charts that have a folder, sorted. Empty if there is no folder of images.
    func charts() throws(SystemError) -> [String] {
        var charts: [String] = []
        do throws(SystemError) {
            try Folder.visit(path) { entry in
                guard entry.kind == .folder || entry.kind == .unknown else { return }
                let name = String(decoding: entry.bytes, as: UTF8.self)
                if ImageFolder(name) != nil { charts.append(name) }
            }
        } catch {
            guard error.code == ENOENT else { throw error }
        }
        return charts.sorted()
    }

    /// Calls `body` with each of a chart's images, going by their names. Without a folder there are none.
    ///
    /// Answers whether all of them were visited: a folder may be unreadable for now, which says nothing about what is in it.
    @discardableResult
    func visit(_ chart: String, _ body: (ImageName, borrowing Folder.Entry) -> Void) -> Bool {
        do throws(SystemError) {
            try Folder.visit(path(ofChart: chart), followingLinks: false) { entry in
                guard entry.kind == .file || entry.kind == .unknown, let name = ImageName(folder: chart, file: entry.bytes) else { return }
                body(name, entry)
            }
            return true
        } catch {
            return error.isAbsence
        }
    }

    /// The images of a chart.
    func images(of chart: String) -> [ImageName] {
        var names: [ImageName] = []
        visit(chart) { name, _ in names.append(name) }
        return names
    }

    /// The images of some charts, with their disk space and when they were last used; and the charts that could not be listed.
    func entries(of charts: some Sequence<String>) -> (entries: [CacheEntry], unlisted: [String]) {
        var entries: [CacheEntry] = []
        let unlisted = charts.filter { chart in
            !visit(chart) { name, entry in
                if let status = entry.status(), status.isFile { entries.append(CacheEntry(name, status)) }
            }
        }
        return (entries, unlisted)
    }

    /// An image according to its file; `nil` if there is none.
    func entry(of name: ImageName) -> CacheEntry? {
        var status = stat()
        guard lstat(path(of: name), &status) == 0, status.isFile else { return nil }
        return CacheEntry(name, status)
    }

    /// Opens an image, or whatever is in its place, without waiting, since that may be a pipe.
    ///
    /// A link throws `ELOOP`, a socket `ENXIO`; an image that is not there `ENOENT` or `ENOTDIR`.
    func open(_ name: ImageName) throws(SystemError) -> Descriptor {
        var chart = OpenChart()
        return try open(name, in: &chart)
    }

    /// A chart's folder while its images are opened one after the other: it is looked up only once.
    struct OpenChart: ~Copyable {
        fileprivate var chart: String?
        fileprivate var folder: Int32 = -1

        deinit {
            if folder >= 0 { close(folder) }
        }
    }

    /// Opens an image like the other `open`; `chart` then holds its chart, for the next one.
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

    /// Removes a chart's folder; the system refuses that while anything is in it: an unfinished image, or somebody else's file.
    func removeIfEmpty(chart: String) {
        rmdir(path(ofChart: chart))
    }

    /// What happened to an image that was to be removed.
    enum Removal: Sendable {
        case removed(ByteCount)
        /// Somebody else was quicker.
        case gone
        case failed(SystemError)
    }

    /// Removes images, in the order given.
    func remove(_ names: [ImageName]) -> [Removal] {
        // Images of one chart are often removed together; its folder is looked up once.
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
    /// Whether it says that something does not exist.
    var isAbsence: Bool { code == ENOENT || code == ENOTDIR }
}

extension stat {
    var isFile: Bool { st_mode & S_IFMT == S_IFREG }

    /// A deletion gives back blocks, which have 512 bytes on every file system.
    var space: ByteCount { ByteCount(Int(st_blocks) * 512) }
}

extension CacheEntry {
    /// In the year 2255; nanoseconds can be counted until 2262.
    private static let lastSecond = 9_000_000_000

    init(_ name: ImageName, _ status: stat) {
        // Anybody may set it to anything; values that cannot be handled count as long ago, or as far ahead as possible.
        let seconds = min(max(status.st_mtim.tv_sec, 0), Self.lastSecond)
        let used = Timestamp(sinceEpoch: .seconds(seconds) + .nanoseconds(status.st_mtim.tv_nsec))
        self.init(name: name, size: status.space, usedAt: used)
    }
}
