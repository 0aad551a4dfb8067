import Glibc
public import Model
public import Platform

/// The page images, as files that anybody may delete at any time.
///
/// A file's name says everything that it was made from, so the list of names is the index, and a file that is missing,
/// cut off or somebody else's is a miss and never an error.
@LoopActor
public final class PageCache {
    /// The cache's root.
    public nonisolated let folder: String
    private let mayWrite: Bool
    private var index: Set<ImageName> = []
    /// Those among the index that were seen to be whole, by this process.
    private var seenWhole: Set<ImageName> = []

    private nonisolated var pagesFolder: String { folder + "/pages" }

    /// Opens the cache in `folder`, makes what is missing of it, and lists what is there.
    public init(folder: String) throws(PageCacheError) {
        self.folder = folder
        mayWrite = true
        try makeFolders()
        try rescan()
    }

    /// Opens the cache in `folder` for reading only: nothing is made and nothing removed. No folder is an empty cache.
    public init(readingFrom folder: String) throws(PageCacheError) {
        self.folder = folder
        mayWrite = false
        try rescan()
    }

    // MARK: What is there

    /// Every image known to be there.
    public func present() -> Set<ImageName> { index }

    /// Whether an image is known to be there; `look` makes sure.
    public func contains(_ name: ImageName) -> Bool { index.contains(name) }

    /// Those of `names` that are there and were seen to be whole: each is looked at once, not every time.
    public func whole(_ names: [ImageName]) -> Set<ImageName> {
        var whole: Set<ImageName> = []
        for name in names where index.contains(name) && (seenWhole.contains(name) || look(name) != nil) { whole.insert(name) }
        return whole
    }

    /// Lists the folders again, for what others made and removed.
    public func rescan() throws(PageCacheError) {
        var found: Set<ImageName> = []
        for chart in try chartFolders() {
            // A folder that cannot be listed was removed meanwhile, or is no folder.
            for file in (try? Folder.names(in: pagesFolder + "/" + chart)) ?? [] {
                if let name = ImageName(folder: chart, file: file) { found.insert(name) }
            }
        }
        index = found
        seenWhole.formIntersection(found)
    }

    /// The path of an image that is there and whole to the cheap check; `nil` is a miss. What is bad is removed.
    public func look(_ name: ImageName) -> String? {
        let path = path(of: name)
        let isBad: Bool
        do throws(SystemError) {
            // Without waiting: somebody may have put a pipe there.
            let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            isBad = !PNGCheck.passes(file.number)
            if !isBad {
                index.insert(name)
                seenWhole.insert(name)
                return path
            }
        } catch {
            // A link or a socket is none of ours. Anything else says nothing about the file: it may be whole.
            isBad = error.code == ELOOP || error.code == ENXIO
        }
        forget(name)
        // What cannot be removed stays a miss; the next image of this name takes its place.
        if isBad, mayWrite { unlink(path) }
        return nil
    }

    /// The disk space that an image takes; `nil` where there is none.
    public func size(of name: ImageName) -> ByteCount? {
        var status = stat()
        guard lstat(path(of: name), &status) == 0 else { return nil }
        // Blocks are what a deletion gives back; they have 512 bytes on every file system.
        return ByteCount(Int(status.st_blocks) * 512)
    }

    /// Where an image is, or would be.
    public nonisolated func path(of name: ImageName) -> String { pagesFolder + "/" + name.description }

    private func forget(_ name: ImageName) {
        index.remove(name)
        seenWhole.remove(name)
    }

    // MARK: Making and removing

    /// Begins an image's file, in the folder where it will stand; it goes away by itself unless it is published.
    public func begin(_ name: ImageName) throws(PageCacheError) -> TemporaryFile {
        guard mayWrite else { throw .readOnly(path: folder) }
        let path = path(of: name)
        return try system { () throws(SystemError) in
            do throws(SystemError) {
                return try TemporaryFile.create(inFolderOf: path)
            } catch {
                // The chart's first image, or somebody removed its folder or the whole cache.
                guard error.code == ENOENT else { throw error }
                try makeFolders(with: Folder.parent(of: path))
                return try TemporaryFile.create(inFolderOf: path)
            }
        }
    }

    /// Puts a finished image under its name. It is not synced, since it can be made again.
    ///
    /// Returns whether it stands there: `false` when its folder was removed meanwhile, which makes it a miss like any other.
    @discardableResult
    public func publish(_ file: TemporaryFile, as name: ImageName) throws(PageCacheError) -> Bool {
        guard mayWrite else { throw .readOnly(path: folder) }
        guard PNGCheck.passes(file.descriptor) else { throw .notWhole(name) }
        do throws(SystemError) {
            try file.publish(as: path(of: name), durability: .none)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw .system(error) }
            forget(name)
            return false
        }
        index.insert(name)
        seenWhole.insert(name)
        return true
    }

    /// Removes an image, and its chart's folder with the last one. One that is not there is fine.
    public func remove(_ name: ImageName) throws(PageCacheError) {
        guard mayWrite else { throw .readOnly(path: folder) }
        let path = path(of: name)
        guard unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR else { throw .system(SystemError("remove", path: path)) }
        forget(name)
        // Refused as long as anything is in it, an image on its way too.
        rmdir(Folder.parent(of: path))
    }

    /// Removes what killed processes left of images on their way. For the process that holds the agent's lock.
    public func removeAbandoned() throws(PageCacheError) {
        guard mayWrite else { throw .readOnly(path: folder) }
        AtomicFile.removeAbandoned(in: folder)
        for chart in try chartFolders() { AtomicFile.removeAbandoned(in: pagesFolder + "/" + chart) }
    }

    // MARK: Folders

    private func chartFolders() throws(PageCacheError) -> [String] {
        do throws(SystemError) {
            return try Folder.names(in: pagesFolder)
        } catch {
            guard error.code == ENOENT else { throw .system(error) }
            return []
        }
    }

    private func makeFolders() throws(PageCacheError) {
        try system { () throws(SystemError) in try makeFolders(with: pagesFolder) }
    }

    private nonisolated func makeFolders(with path: String) throws(SystemError) {
        try Folder.create(path)
        let tag = folder + "/" + CacheTag.name
        if access(tag, F_OK) != 0 { try AtomicFile.write(CacheTag.text, to: tag) }
    }

    private nonisolated func system<Result>(_ body: () throws(SystemError) -> Result) throws(PageCacheError) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw .system(error)
        }
    }
}
