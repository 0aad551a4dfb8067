import Glibc
import Model
import PageCache
import Platform
import TestSupport

/// A page cache on the disk.
struct CacheFiles {
    let folder: String

    /// The files that no cache may ever have under a final name; each image is checked to the last byte.
    @LoopActor
    func faults() async throws -> [String] {
        let report = try await PageCache(readingFrom: folder).verify()
        return report.bad.map { "\($0) is damaged" } + report.unreadable.map { "\($0.name): \($0.error)" }
            + report.strangers.filter { !$0.contains(AtomicFile.temporaryPrefix) }
    }

    /// Every image's bytes, by its path.
    func images() throws -> [String: [UInt8]] {
        var images: [String: [UInt8]] = [:]
        for path in try paths() where path.hasSuffix(".png") {
            // The file may be removed at this moment.
            images[path] = try? AtomicFile.read(folder + "/pages/" + path, limit: 1 << 26)
        }
        return images
    }

    /// The paths of unfinished files.
    func temporaryFiles() throws -> [String] {
        try paths().filter { $0.contains(AtomicFile.temporaryPrefix) } + names("").filter { $0.hasPrefix(AtomicFile.temporaryPrefix) }
    }

    /// Files in the folders of charts, as "chart/file".
    func paths() throws -> [String] {
        try names("/pages").flatMap { chart in try names("/pages/" + chart).map { chart + "/" + $0 } }
    }

    /// The disk space of all images.
    @LoopActor
    func bytes() async throws -> Int {
        try await PageCache(readingFrom: folder).survey().reduce(0) { $0 + $1.size.bytes }
    }

    private func names(_ path: String) throws -> [String] {
        do throws(SystemError) {
            return try Folder.names(in: folder + path)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw error }
            return []
        }
    }
}
