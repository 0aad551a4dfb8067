import BenchmarkCorpus
import Glibc
import Model
import PageCache
import Platform

/// A cache's folder on disk, for measuring.
struct CacheTree: Sendable {
    let folder: String
    /// Where its images are.
    var pages: String { folder + "/pages" }

    /// Fills a new cache in the same way as rendering does; returns the median time to store an image, in microseconds.
    @LoopActor
    func fill(_ contents: CacheContents, _ kind: SampleImages.Kind) throws -> Double {
        let cache = try PageCache(folder: folder)
        let samples = SampleImages(kind)
        var times: [Double] = []
        for image in contents.images {
            let bytes = samples.image(of: image.name.page, image.name.variant, key: image.key)
            let start = ProcessFigures.wallMilliseconds
            let file = try cache.begin(image.name)
            try bytes.withUnsafeBytes { try file.write($0) }
            try cache.publish(file, as: image.name)
            times.append((ProcessFigures.wallMilliseconds - start) * 1000)
            let stamps = [timespec](repeating: timespec(tv_sec: image.usedAt, tv_nsec: 0), count: 2)
            guard utimensat(AT_FDCWD, cache.path(of: image.name), stamps, 0) == 0 else {
                throw SystemError("stamp", path: cache.path(of: image.name))
            }
        }
        return times.median
    }

    /// Copies it with all file times; everything has reached the disk when this returns.
    @LoopActor
    func copy(to folder: String) async throws -> CacheTree {
        _ = try await Shell.run("cp -a '\(self.folder)' '\(folder)' && sync -f '\(folder)'")
        return CacheTree(folder: folder)
    }

    /// Reads the metadata of every file, so that the system has it in memory.
    @LoopActor
    func warm() async throws {
        _ = try await Shell.run("find '\(folder)' -printf '%T@ %b' > /dev/null")
    }

    @LoopActor
    func remove() async throws {
        _ = try await Shell.run("rm -rf '\(folder)'")
    }
}
