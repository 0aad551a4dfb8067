import Glibc
public import Model
import PagePNG
public import Platform

/// The page images, as files that any program may delete at any time.
///
/// A file's name identifies everything that the image was made from, so the list of names is the index. A file that is missing, cut
/// off or not ours is a miss, and never an error.
@LoopActor
public final class PageCache {
    /// The cache's root.
    public nonisolated let folder: String
    nonisolated let pages: PagesFolder
    let mayWrite: Bool
    /// The thread on which many files are listed, measured or removed. Other code may also use it for long computations.
    public nonisolated let side: SideThread
    /// Replaces the system's clock. Called on any thread.
    private nonisolated let timeOfDay: (@Sendable () -> Timestamp)?
    var ledger = ImageLedger()
    /// `true` if all images were measured once; from then on their total is kept up to date.
    var isSurveyed = false
    /// Images that the side thread is removing. They count as misses, and are reported once they are removed.
    var leaving: Set<ImageName> = []
    /// Images in `leaving` that were published again meanwhile. The new file may stay or go.
    var madeAgain: Set<ImageName> = []
    /// The images that were made or removed since a survey began; `nil` while no survey is running.
    var changes: Set<ImageName>?
    /// The charts whose images could not be listed in the last look at all charts, with the reasons. New images of these charts are
    /// unknown.
    var unlisted: [String: SystemError] = [:]
    /// Runs removals of many images one after the other.
    let removers = Turns()
    /// Runs surveys one after the other.
    let surveyors = Turns()

    /// Called when something happens to an image, with the image's disk space, which is zero if it was never measured.
    private(set) var onImageEvent: (@LoopActor (ImageName, ImageEvent, ByteCount) -> Void)?

    /// Sets the function that is called when something happens to an image.
    public func setListener(_ body: @escaping @LoopActor (ImageName, ImageEvent, ByteCount) -> Void) { onImageEvent = body }

    /// Opens the cache in `folder`, makes its missing folders, and lists the images without reading their files.
    ///
    /// `timeOfDay` replaces the system's clock for recording when images are used.
    public init(
        folder: String, side: SideThread = SideThread(), timeOfDay: (@Sendable () -> Timestamp)? = nil
    ) throws(PageCacheError) {
        self.folder = folder
        self.timeOfDay = timeOfDay
        self.side = side
        pages = PagesFolder(path: folder + "/pages")
        mayWrite = true
        try system { () throws(SystemError) in try makeFolders(with: pages.path) }
        try rescan()
    }

    /// Opens the cache in `folder` for reading only: nothing is made or removed. Images that are shown are still stamped, since
    /// that is part of reading. A folder that does not exist counts as an empty cache.
    public init(readingFrom folder: String, side: SideThread = SideThread()) throws(PageCacheError) {
        self.folder = folder
        timeOfDay = nil
        self.side = side
        pages = PagesFolder(path: folder + "/pages")
        mayWrite = false
        try rescan()
    }

    // MARK: Contents

    /// Every image known to exist.
    public func present() -> Set<ImageName> { Set(ledger.names) }

    /// Returns whether an image is known to exist. To be certain, use `intactPath`.
    public func contains(_ name: ImageName) -> Bool { ledger.contains(name) }

    /// The images in one folder, which are the images of one chart.
    public func present(in folder: ImageFolder) -> [ImageName] { ledger.names(in: folder) }

    /// Why folders could not be listed when all folders were last listed.
    var closed: [SystemError] { unlisted.values.sorted { "\($0)" < "\($1)" } }

    /// The disk space that all images take; `nil` before the first survey.
    public var bytes: ByteCount? { isSurveyed ? ledger.bytes : nil }

    /// The images among `names` that exist and pass the cheap check. An image that passed before is not checked again.
    public func intact(_ names: [ImageName]) -> Set<ImageName> {
        var intact: Set<ImageName> = []
        var chart = PagesFolder.OpenChart()
        for name in names where ledger.contains(name) && (ledger.isIntact(name) || condition(of: name, in: &chart) == .intact) {
            intact.insert(name)
        }
        return intact
    }

    /// Opens an image from which others are made; otherwise like `intactPath`.
    public func open(_ name: ImageName) -> Descriptor? { intactPath(of: name) == nil ? nil : try? pages.open(name) }

    /// Counts no image as intact any more, because another program may have written to it since its check.
    public func doubtAll() { ledger.doubtAll() }

    /// The path of an image that passes the cheap check; `nil` for a miss. Bad images are removed.
    ///
    /// For making images from images: this does not count as a use.
    public func intactPath(of name: ImageName) -> String? {
        var chart = PagesFolder.OpenChart()
        return condition(of: name, in: &chart) == .intact ? path(of: name) : nil
    }

    /// The states of these images. Images found intact before are not checked again.
    public func conditions(of names: [ImageName]) -> [ImageName: ImageCondition] {
        var conditions: [ImageName: ImageCondition] = [:]
        conditions.reserveCapacity(names.count)
        var chart = PagesFolder.OpenChart()
        for name in names {
            conditions[name] = ledger.contains(name) && ledger.isIntact(name) ? .intact : condition(of: name, in: &chart)
        }
        return conditions
    }

    /// The state of an image according to the cheap check. One reading of one file is enough: images appear in their places
    /// complete, even if other processes put them there meanwhile. Bad images are removed.
    private func condition(of name: ImageName, in chart: inout PagesFolder.OpenChart) -> ImageCondition {
        guard !leaving.contains(name) else { return .missing }
        do throws(SystemError) {
            let file = try pages.open(name, in: &chart)
            guard let sound = PNGCheck.sound(file.number) else {
                discard(name)
                return .damaged
            }
            if !ledger.contains(name) { changes?.insert(name) }
            ledger.note(name, size: isSurveyed ? sound.status.space : nil, isIntact: true, ink: sound.ink)
            return .intact
        } catch {
            if error.code == ELOOP || error.code == ENXIO {
                // A link or a socket is not ours.
                discard(name)
                return .damaged
            }
            // A file that cannot be opened may still be intact.
            forget(name, as: error.isAbsence ? .vanished : nil)
            return error.isAbsence ? .missing : .unreadable(error)
        }
    }

    /// Opens an image to be shown, and records this use in the file's time, at most once an hour; `nil` for a miss.
    ///
    /// Works on any thread, since it has no state. After a miss, `intactPath` finds the cause and cleans up, on the loop.
    public nonisolated func use(_ name: ImageName) -> OpenImage? {
        guard let file = try? pages.open(name), let status = PNGCheck.sound(file.number)?.status else { return nil }
        let image = OpenImage(file: file, length: Int(status.st_size))
        image.stamp(status, at: timeOfDay?())
        return image
    }

    /// Reads the bytes of an image to be shown; otherwise like `use`.
    public nonisolated func load(_ name: ImageName) -> [UInt8]? {
        guard let image = use(name) else { return nil }
        return try? image.file.readAll(limit: image.length, path: path(of: name))
    }

    /// Like `load`, but checks every byte, which takes some milliseconds. Throws `damaged` if the image is not as it was made.
    ///
    /// The file stays in its place until `verify` confirms the damage and removes it.
    public nonisolated func loadIntact(_ name: ImageName) throws(PageCacheError) -> [UInt8]? {
        guard let bytes = load(name) else { return nil }
        guard PagesFolder.isIntact(bytes, as: name, by: PackedRows()) else { throw .damaged(name) }
        return bytes
    }

    /// The disk space that an image takes; `nil` if there is none.
    public func size(of name: ImageName) -> ByteCount? { pages.entry(of: name)?.size }

    /// The disk space that an image takes, if known without reading the disk. Fit for tens of thousands of images at a time.
    public func knownSize(of name: ImageName) -> ByteCount? { ledger.size(of: name) }

    /// Where an image has ink; `nil` if the image was not checked, or does not state where. No file is read.
    public func ink(of name: ImageName) -> PageInk? { ledger.ink(of: name) }

    /// Where the images of a chart are, or would be.
    public nonisolated func path(of folder: ImageFolder) -> String { pages.path + "/" + folder.description }

    /// Where an image is, or would be.
    public nonisolated func path(of name: ImageName) -> String { pages.path(of: name) }

    // MARK: Keeping count

    func note(_ name: ImageName, size: ByteCount? = nil, isIntact: Bool = false, ink: PageInk? = nil) {
        ledger.note(name, size: size, isIntact: isIntact, ink: ink)
        changes?.insert(name)
    }

    /// Forgets an image that is gone or unreadable, unless it is being removed. Reports `event` if the image was known, and
    /// returns whether it was.
    @discardableResult
    func forget(_ name: ImageName, as event: ImageEvent?) -> Bool {
        guard !leaving.contains(name), let size = ledger.remove(name) else { return false }
        changes?.insert(name)
        if let event { onImageEvent?(name, event, size) }
        return true
    }

    /// Removes a file, or an empty folder, that has an image's name but is no intact image. Returns whether it is gone; always
    /// `false` if the cache is read-only. When this returns, a new file may already have the name.
    @discardableResult
    func discard(_ name: ImageName) -> Bool {
        let size = size(of: name) ?? ByteCount(0)
        ledger.remove(name)
        changes?.insert(name)
        // If this fails, the image stays a miss, and the next image with this name replaces the file.
        let isGone = mayWrite && (unlink(path(of: name)) == 0 || errno == ENOENT || rmdir(path(of: name)) == 0)
        onImageEvent?(name, .corrupt, size)
        return isGone
    }

    nonisolated func system<Result>(_ body: () throws(SystemError) -> Result) throws(PageCacheError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}

/// An image that was opened to be shown. It stays readable until it is released, even if its file is removed in the meantime.
public struct OpenImage: ~Copyable, Sendable {
    /// Open for reading, from its beginning.
    public let file: Descriptor
    /// The image's length in bytes.
    public let length: Int

    init(file: consuming Descriptor, length: Int) {
        self.file = file
        self.length = length
    }

    /// Hands over the descriptor, which the caller has to close.
    public consuming func release() -> Int32 { file.release() }

    /// How many seconds a stamp of use remains good enough.
    private static let stampLasts = 3600

    /// Sets the file's time to now, as a record of its use, unless it was stamped within the last hour.
    ///
    /// `time` replaces the time of day.
    func stamp(_ status: stat, at time: Timestamp?) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        if let time { now = timespec(tv_sec: Int(time.nanoseconds / 1_000_000_000), tv_nsec: 0) }
        // A stamp in the future was made before the clock was corrected.
        guard !(0..<Self.stampLasts).contains(now.tv_sec &- status.st_mtim.tv_sec) else { return }
        // Use the clock of the file's disk. An image that cannot be stamped, for instance on a read-only disk, is just as good.
        guard time != nil else {
            futimens(file.number, nil)
            return
        }
        _ = withUnsafePointer(to: (now, now)) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(file.number, $0) }
        }
    }
}

/// The file that makes backup programs leave the cache out (https://bford.info/cachedir/).
enum CacheTag {
    static let name = "CACHEDIR.TAG"

    static let text = """
        Signature: 8a477f597d28d172789f06886806bc55
        # Woodshed's page images. All of them can be drawn again: leave them out of backups, delete them when space is short.

        """
}

extension DiskSpace {
    /// The disk that a folder lies on, or will lie on once it is made.
    public static func of(_ folder: String) throws(SystemError) -> DiskSpace {
        let (total, free) = try Folder.space(of: folder)
        // Some file systems, such as those run by user programs, do not report a disk's size. Such a disk sets no limit. Sums of
        // these values cannot overflow.
        guard total > 0 else { return DiskSpace(total: ByteCount(.max / 4), free: ByteCount(.max / 4)) }
        return DiskSpace(total: ByteCount(min(total, .max / 4)), free: ByteCount(min(free, .max / 4)))
    }
}

/// A failure of the page cache. Missing and bad images are misses, not failures.
public enum PageCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file to be published is not a complete PNG.
    case notWhole(ImageName)
    /// The file under this name begins and ends like an image, but is not as it was made.
    case damaged(ImageName)
    /// The cache was opened for reading only.
    case readOnly(path: String)
    /// A file or folder cannot be made, listed or removed.
    case system(SystemError)

    public var description: String {
        switch self {
        case .notWhole(let name): "the image \(name) came out cut off or empty and is not kept; it is drawn again when it is needed"
        case .damaged(let name): "the image \(name) is damaged; it is drawn again when it is needed"
        case .readOnly(let path): "the page cache at \(path) was opened read-only"
        case .system(let error) where error.isDiskFull:
            "\(error): free some space; if you need room at once, delete page images at \(error.path ?? "the cache"): they can be drawn again"
        case .system(let error) where error.isOfReadOnlyDisk: error.onReadOnlyDisk
        case .system(let error) where error.code == EACCES || error.code == EPERM:
            "\(error): you need permission to read and write in the cache folder"
        case .system(let error): error.description
        }
    }
}
