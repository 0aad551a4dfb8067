import Glibc
import Model
import PageCache
import Platform

/// Images and names for the tests.
enum Samples {
    static func name(_ chart: String = "a", page: Int = 0, variant: Variant = .plain, size: Int = 100) -> ImageName {
        ImageName(inputs(chart, page: page, variant: variant, size: size))
    }

    static func inputs(_ chart: String = "a", page: Int = 0, variant: Variant = .plain, size: Int = 100) -> ImageInputs {
        ImageInputs(
            renderer: RendererIdentity(tag: RendererTag("test"), fonts: FontSet(SHA256.digest(of: "fonts"))),
            chart: ChartHash(SHA256.digest(of: chart)), chartNeedsFonts: false,
            page: PageIndex(page), variant: variant,
            settings: RenderSettings(fullSize: size, thumbnailSize: size),
            marks: variant == .annotated ? MarkDigest(SHA256.digest(of: "marks")) : nil)
    }

    /// Bytes that begin and end like a PNG, with filler in between.
    static func png(filler: Int = 100) -> [UInt8] {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = [0, 0, 0, 13] + Array("IHDR".utf8) + [UInt8](repeating: 1, count: 17)
        let data: [UInt8] = [0, 0, 0, UInt8(filler % 256)] + Array("IDAT".utf8) + [UInt8](repeating: 7, count: filler + 4)
        let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
        return signature + header + data + end
    }
}

extension PageCache {
    /// Makes an image as a renderer would.
    @discardableResult
    func store(_ name: ImageName, _ bytes: [UInt8] = Samples.png()) throws -> Bool {
        let file = try begin(name)
        try bytes.withUnsafeBytes { try file.write($0) }
        return try publish(file, as: name)
    }
}

extension PageCache {
    /// Whether the cache can serve the image.
    nonisolated func serves(_ name: ImageName) -> Bool {
        switch use(name) {
        case .some: true
        case .none: false
        }
    }
}

/// Changes to files as somebody would make them in a shell.
enum Shell {
    static func write(_ bytes: [UInt8], to path: String) throws {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        try bytes.withUnsafeBytes { try file.write($0) }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Removes a file, or a folder with everything in it.
    static func remove(_ path: String) {
        for name in (try? Folder.names(in: path)) ?? [] { remove(path + "/" + name) }
        if unlink(path) != 0 { rmdir(path) }
    }

    // MARK: Times of use

    static func now() -> Int {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.tv_sec
    }

    static func setUse(_ path: String, _ seconds: Int) {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        utimensat(AT_FDCWD, path, times, 0)
    }

    static func use(_ path: String) -> Int {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mtim.tv_sec : -1
    }

    // MARK: Obstacles in an image's place

    /// Puts something else in an image's place.
    static func spoil(_ path: String, _ kind: String) throws {
        unlink(path)
        switch kind {
        case "nothing": try write([], to: path)
        case "cut off": try write(Array(Samples.png().dropLast(1)), to: path)
        case "garbage": try write(Array("<html>".utf8) + [UInt8](repeating: 65, count: 500), to: path)
        case "folder": try Folder.create(path)
        case "full folder":
            try Folder.create(path)
            try write(Samples.png(), to: path + "/holiday.png")
        case "link": symlink("/etc/hostname", path)
        case "pipe": mkfifo(path, 0o600)
        case "socket": mknod(path, S_IFSOCK | 0o600, 0)
        default: preconditionFailure(kind)
        }
    }
}
