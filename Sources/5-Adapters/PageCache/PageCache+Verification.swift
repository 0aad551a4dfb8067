import Glibc
public import Model
import PagePNG
public import Platform

extension PageCache {
    /// Checks every byte of all images, on other threads, removes bad images, and finds files that are not ours.
    public func verify() async throws(PageCacheError) -> VerifyReport {
        try rescan()
        let (pages, unlisted) = (pages, unlisted)
        let others = await side.run { pages.others() }
        var report = await verify(Set(ledger.names + others.displaced).sorted())
        report.strangers = others.strangers
        report.unlisted = unlisted.merging(others.unlisted) { first, _ in first }.values.sorted { "\($0)" < "\($1)" }
        return report
    }

    /// Checks every byte of some images, on other threads, and removes bad images.
    public func verify(_ names: [ImageName]) async -> VerifyReport {
        var report = VerifyReport()
        // Do not use the cache's side thread, so that its other work does not have to wait.
        let threads = side.isInline ? [side] : (0..<Self.processors).map { _ in SideThread() }
        let slices = stride(from: 0, to: names.count, by: Self.verifiedAtATime).map {
            names[$0..<min($0 + Self.verifiedAtATime, names.count)]
        }
        // Begin two slices for each thread, so that the thread can check the second while the results of the first are recorded here.
        let most = 2 * threads.count
        var begun = slices.indices.prefix(most).map { verification(of: slices[$0], on: threads[$0 % threads.count]) }
        for index in slices.indices {
            let conditions = await begun.removeFirst().value
            let next = index + most
            if next < slices.count { begun.append(verification(of: slices[next], on: threads[next % threads.count])) }
            for (name, condition) in zip(slices[index], conditions) { record(condition, of: name, into: &report) }
        }
        return report
    }

    private typealias Verification = Task<[PagesFolder.Condition], Never>

    private func verification(of names: ArraySlice<ImageName>, on thread: SideThread) -> Verification {
        let pages = pages
        return spawn {
            await thread.run {
                let rows = PackedRows()
                return names.map { pages.verify($0, by: rows) }
            }
        }
    }

    /// As many images as can be checked in a few milliseconds.
    private static let verifiedAtATime = 16

    /// At most eight: each thread needs its own memory, and more threads do not make the disk faster.
    private static var processors: Int { min(max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1), 8) }

    private func record(_ condition: PagesFolder.Condition, of name: ImageName, into report: inout VerifyReport) {
        switch condition {
        case .intact:
            report.intact += 1
            if ledger.contains(name) { ledger.note(name, isIntact: true) }
        case .bad(let identity):
            guard !leaving.contains(name) else {
                report.missing.insert(name)
                return
            }
            report.bad.append(name)
            // The image may have been made again since it was read.
            guard pages.identity(of: name) == identity else { return }
            if !discard(name) { report.left.append(name) }
        case .gone:
            report.missing.insert(name)
            // This program may have removed or made the image since.
            guard !leaving.contains(name), pages.identity(of: name) == nil else { return }
            if forget(name, as: .vanished) { report.vanished.append(name) }
        case .unreadable(let error):
            report.unreadable.append(VerifyReport.Unreadable(name: name, error: error))
        }
    }
}

/// The result of a full check of images.
public struct VerifyReport: Hashable, Sendable {
    /// An image that could not be read for now. It may be intact, so it was left alone.
    public struct Unreadable: Hashable, Sendable {
        public let name: ImageName
        public let error: SystemError
    }

    /// How many images are exactly as they were made.
    public internal(set) var intact = 0
    /// The images that are not intact. They were removed, unless they are in `left` or were replaced meanwhile.
    public internal(set) var bad: [ImageName] = []
    /// The bad images that still exist, because they could not be removed, or because the cache was opened for reading only.
    public internal(set) var left: [ImageName] = []
    /// Images that were to be checked but do not exist.
    public internal(set) var missing: Set<ImageName> = []
    /// The missing images that the cache had recorded as present.
    public internal(set) var vanished: [ImageName] = []
    public internal(set) var unreadable: [Unreadable] = []
    /// Why folders could not be listed for now. Only images already known were checked in them.
    public internal(set) var unlisted: [SystemError] = []
    /// Files among the images that are not ours, as paths within the folder of images. They are left alone.
    public internal(set) var strangers: [String] = []
}

/// The state of an image.
public enum ImageCondition: Hashable, Sendable {
    case intact
    case missing
    case damaged
    /// The image exists but cannot be read, which proves nothing about its content.
    case unreadable(SystemError)
}

/// The cheap check of an image: whether it begins and ends like a PNG. A file that was cut off fails.
enum PNGCheck {
    /// The signature, then the start of the header chunk, with its length of 13 bytes.
    private static let start: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    /// The closing chunk: no data, its name, its checksum.
    private static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    /// The shortest image: the signature, the header chunk, a data chunk with at least one byte, the closing chunk.
    private static let least = 8 + 25 + 13 + 12

    /// An open file that passed the check.
    struct Sound {
        let status: stat
        /// Where the image has ink; `nil` if the file does not state where.
        let ink: PageInk?
    }

    /// Checks an open file; `nil` unless it is a regular file that begins and ends like a PNG.
    static func sound(_ descriptor: Int32) -> Sound? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.isFile, status.st_size >= least,
            let head = bytes(of: descriptor, at: 0, count: min(Int(status.st_size), PageInk.headLengthWithMusic)), head.starts(with: start),
            let tail = bytes(of: descriptor, at: status.st_size - PageInk.tailLength, count: PageInk.tailLength),
            tail.suffix(end.count).elementsEqual(end)
        else { return nil }
        return Sound(status: status, ink: PageInk(head: head, tail: tail))
    }

    private static func bytes(of descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
        return read == count ? bytes : nil
    }
}
