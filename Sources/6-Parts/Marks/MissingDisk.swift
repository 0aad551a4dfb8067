import Glibc
import Model
import Platform

/// Tells files that were deleted from files that went away with their disk, like a stick that was mounted somewhere below a mark folder.
enum MissingDisk {
    /// Those of `gone` that lay on another disk than what is left of their folder, and from whose disk nothing is there. This looks at
    /// the disk. A disk that got another number when the machine started is recognised by its files that are there.
    static func files(among gone: [(path: String, stamp: FileStamp)], thoughThereAre present: Set<UInt64>) -> [String] {
        var disks: [String: UInt64?] = [:]
        return gone.filter { path, stamp in
            guard stamp.device != 0, !present.contains(stamp.device) else { return false }
            let folder = Folder.parent(of: path)
            let disk = disks[folder] ?? device(above: folder)
            disks[folder] = disk
            return disk.map { $0 != stamp.device } ?? false
        }.map(\.path)
    }

    /// The disk of the nearest folder that exists.
    private static func device(above folder: String) -> UInt64? {
        var folder = folder
        while true {
            var status = stat()
            if stat(folder, &status) == 0 { return UInt64(status.st_dev) }
            guard errno == ENOENT || errno == ENOTDIR, folder.count > 1 else { return nil }
            folder = Folder.parent(of: folder)
        }
    }
}
