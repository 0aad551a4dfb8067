import Glibc
public import Model
import PagePNG
public import Platform

/// The page images, as files that anybody may delete at any time.
///
/// A file's name says everything that it was made from, so the list of names is the index, and a file that is missing, cut
/// off or not ours is a miss and never an error.
@LoopActor
public final class PageCache {
    /// The cache's root.
    public nonisolated let folder: String
    nonisolated let pages: PagesFolder
    let mayWrite: Bool
    /// Where many files are looked at or removed; open to others who think about as many.
    public nonisolated let side: SideThread
    /// Tells the time of day in place of the system's clock, from any thread.
    private nonisolated let timeOfDay: (@Sendable () -> Timestamp)?
    var ledger = ImageLedger()
    /// Whether all images were measured once; from then on their sum is kept up.
    var isSurveyed = false
    /// Those that are being removed on the side thread right now: misses, whose fate is told when that is done.
    var leaving: Set<ImageName> = []
    /// Those of them that were published again meanwhile: the new file may stay or go.
    var madeAgain: Set<ImageName> = []
    /// What came and went since a survey began; `nil` while there is none.
    var changes: Set<ImageName>?
    /// One who removes many images at a time.
    let removers = Turns()
    /// Surveys, one after the other.
    let surveyors = Turns()

    /// Is told what becomes of an image, with the disk space that it takes or took; zero where that was never measured.
    private(set) var onFate: (@LoopActor (ImageName, ImageFate, ByteCount) -> Void)?

    /// Names who is told what becomes of an image.
    public func hear(fate body: @escaping @LoopActor (ImageName, ImageFate, ByteCount) -> Void) { onFate = body }

    /// Opens the cache in `folder`, makes what is missing of it, and lists what is there; no image's file is looked at.
    ///
    /// `timeOfDay` stands in for the system's clock where uses are noted.
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

    /// Opens the cache in `folder` for reading only: nothing is made and nothing removed; an image that is shown is stamped, as
    /// that is what reading is. No folder is an empty cache.
    public init(readingFrom folder: String, side: SideThread = SideThread()) throws(PageCacheError) {
        self.folder = folder
        timeOfDay = nil
        self.side = side
        pages = PagesFolder(path: folder + "/pages")
        mayWrite = false
        try rescan()
    }

    // MARK: What is there

    /// Every image known to be there.
    public func present() -> Set<ImageName> { Set(ledger.names) }

    /// Whether an image is known to be there; `look` makes sure.
    public func contains(_ name: ImageName) -> Bool { ledger.contains(name) }

    /// Those of one folder, which holds the images of one chart.
    public func present(in folder: ImageFolder) -> [ImageName] { ledger.names(in: folder) }

    /// The disk space that all images take; `nil` before the first survey.
    public var bytes: ByteCount? { isSurveyed ? ledger.bytes : nil }

    /// Those of `names` that are there and were seen to be whole: each is looked at once, not every time.
    public func whole(_ names: [ImageName]) -> Set<ImageName> {
        var whole: Set<ImageName> = []
        var chart = PagesFolder.OpenChart()
        for name in names where ledger.contains(name) && (ledger.isWhole(name) || condition(of: name, in: &chart) == .whole) {
            whole.insert(name)
        }
        return whole
    }

    /// Opens an image that others are made from; else as `look`.
    public func open(_ name: ImageName) -> Descriptor? { look(name) == nil ? nil : try? pages.open(name) }

    /// Takes no image for whole any more that was seen to be: somebody may have written into it since.
    public func doubtAll() { ledger.doubtAll() }

    /// The path of an image that is there and whole to the cheap check; `nil` is a miss. What is bad is removed.
    ///
    /// This is how images are made from images: it is not noted as a use.
    public func look(_ name: ImageName) -> String? {
        var chart = PagesFolder.OpenChart()
        return condition(of: name, in: &chart) == .whole ? path(of: name) : nil
    }

    /// How these images are: those that were seen to be whole before are not looked at again.
    public func conditions(of names: [ImageName]) -> [ImageName: ImageCondition] {
        var conditions: [ImageName: ImageCondition] = [:]
        conditions.reserveCapacity(names.count)
        var chart = PagesFolder.OpenChart()
        for name in names {
            conditions[name] = ledger.contains(name) && ledger.isWhole(name) ? .whole : condition(of: name, in: &chart)
        }
        return conditions
    }

    /// How an image is to the cheap check, by one look at one file: images are put in their places whole, also by others while
    /// this looks. What is bad is removed.
    private func condition(of name: ImageName, in chart: inout PagesFolder.OpenChart) -> ImageCondition {
        guard !leaving.contains(name) else { return .missing }
        do throws(SystemError) {
            let file = try pages.open(name, in: &chart)
            guard let status = PNGCheck.status(of: file.number) else {
                discard(name)
                return .damaged
            }
            if !ledger.contains(name) { changes?.insert(name) }
            ledger.note(name, size: isSurveyed ? status.space : nil, isWhole: true)
            return .whole
        } catch {
            if error.code == ELOOP || error.code == ENXIO {
                // A link or a socket is none of ours.
                discard(name)
                return .damaged
            }
            // What cannot be opened says nothing about the file: it may be whole.
            forget(name, as: error.isAbsence ? .vanished : nil)
            return error.isAbsence ? .missing : .unreadable(error)
        }
    }

    /// Opens an image in order to show it, and notes its use on the file, at most once an hour; `nil` is a miss.
    ///
    /// From any thread, since it remembers nothing: after a miss, `look` on the loop finds out why and clears up.
    public nonisolated func use(_ name: ImageName) -> OpenImage? {
        guard let file = try? pages.open(name), let status = PNGCheck.status(of: file.number) else { return nil }
        let image = OpenImage(file: file, length: Int(status.st_size))
        image.stamp(status, at: timeOfDay?())
        return image
    }

    /// An image's bytes, to be shown; else as `use`.
    public nonisolated func load(_ name: ImageName) -> [UInt8]? {
        guard let image = use(name) else { return nil }
        return try? image.file.readAll(limit: image.length, path: path(of: name))
    }

    /// The same with every byte checked, which takes some milliseconds: an image that is not as it was made throws `damaged`.
    ///
    /// It stays where it is: `verify` makes sure and removes it.
    public nonisolated func loadWhole(_ name: ImageName) throws(PageCacheError) -> [UInt8]? {
        guard let bytes = load(name) else { return nil }
        guard PagesFolder.isWhole(bytes, as: name, by: PackedRows()) else { throw .damaged(name) }
        return bytes
    }

    /// The disk space that an image takes; `nil` where there is none.
    public func size(of name: ImageName) -> ByteCount? { pages.entry(of: name)?.size }

    /// The same as far as it is known without looking; for tens of thousands at a time.
    public func knownSize(of name: ImageName) -> ByteCount? { ledger.size(of: name) }

    /// Where an image is, or would be.
    public nonisolated func path(of name: ImageName) -> String { pages.path(of: name) }

    // MARK: Keeping count

    func note(_ name: ImageName, size: ByteCount? = nil, isWhole: Bool = false) {
        ledger.note(name, size: size, isWhole: isWhole)
        changes?.insert(name)
    }

    /// Lets go of an image that is not there any more, and tells what became of it if it was known.
    @discardableResult
    func forget(_ name: ImageName, as fate: ImageFate?) -> Bool {
        guard !leaving.contains(name), let size = ledger.remove(name) else { return false }
        changes?.insert(name)
        if let fate { onFate?(name, fate, size) }
        return true
    }

    /// Removes what stands in an image's place and is none. Answers whether it is gone; what stands there by then may be new.
    @discardableResult
    func discard(_ name: ImageName) -> Bool {
        let size = size(of: name) ?? ByteCount(0)
        ledger.remove(name)
        changes?.insert(name)
        // What cannot be removed stays a miss; the next image of this name takes its place.
        let isGone = mayWrite && (unlink(path(of: name)) == 0 || errno == ENOENT || rmdir(path(of: name)) == 0)
        onFate?(name, .corrupt, size)
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
