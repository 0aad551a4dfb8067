import Glibc
public import Model
public import Platform

/// What can go wrong with the page cache. A missing or bad image is not among it: that is a miss.
public enum PageCacheError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What should be published is not a complete PNG.
    case notWhole(ImageName)
    /// The file under this name begins and ends like an image, but is not as it was made.
    case damaged(ImageName)
    /// The cache was opened for reading only.
    case readOnly(path: String)
    /// A file or folder cannot be made, listed or removed.
    case system(SystemError)

    public var description: String {
        switch self {
        case .notWhole(let name): "the image \(name) came out cut off or empty and is not kept; it is redrawn when it is needed"
        case .damaged(let name): "the image \(name) is damaged; it is redrawn when it is needed"
        case .readOnly(let path): "the page cache at \(path) was opened read-only"
        case .system(let error) where error.isDiskFull:
            "\(error): free some space; if you need room at once, delete page images at \(error.path ?? "the cache"): they can be drawn again"
        case .system(let error) where error.isOfReadOnlyDisk: error.onReadOnlyDisk
        case .system(let error) where error.code == EACCES || error.code == EPERM:
            "\(error): you need write permission for the cache folder"
        case .system(let error): error.description
        }
    }
}
