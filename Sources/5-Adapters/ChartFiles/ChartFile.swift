package import Glibc
public import Model
public import Platform

/// A chart's file, checked against the hash in its name: it is read in full once, and again after every write to it.
///
/// Any program can follow the links that people open to a chart's file, and write to the file.
public struct ChartFile: Sendable {
    public enum State: Hashable, Sendable {
        /// The file holds the bytes that were downloaded.
        case intact
        case gone
        /// The file contains something else, which the user may want to keep.
        case changed
    }

    /// The result of reading a file in full.
    public struct Reading: Hashable, Sendable {
        /// Identifies the file and the time of its last change; a file with a different stamp has to be read again.
        package let stamp: String
        package let isWhole: Bool

        package init(stamp: String, isWhole: Bool) { (self.stamp, self.isWhole) = (stamp, isWhole) }
    }

    public let chart: ChartHash
    public let path: String
    /// The expected size; `nil` if it is no longer known.
    package let size: Int?
    package let lastReading: Reading?

    package init(chart: ChartHash, path: String, size: Int?, lastReading: Reading?) {
        (self.chart, self.path, self.size, self.lastReading) = (chart, path, size, lastReading)
    }

    /// The state of the file. The file is read if it was touched since the last reading, or if `isThorough`. A file that was last
    /// found damaged is not read again until it is touched.
    public func state(isThorough: Bool) throws(SystemError) -> State {
        try readState(isThorough: isThorough, protects: false).state
    }

    /// Like `state`, but also returns the reading; `nil` if the file is missing, is a link or has the wrong size.
    public func examine(isThorough: Bool) throws(SystemError) -> (state: State, reading: Reading?) {
        try readState(isThorough: isThorough, protects: false)
    }

    /// Examines the file and returns the reading for storage. If the file is intact but writable, it is made read-only.
    package func read() throws(SystemError) -> (state: State, reading: Reading?) { try readState(isThorough: false, protects: true) }

    /// True if the file has the right size, and was never read in full or was touched since.
    package var isToBeRead: Bool { presentStamp.map { $0 != lastReading?.stamp } ?? false }

    /// True if the file exists with the right size and is not known to have changed.
    package var mayBeWhole: Bool { presentStamp.map { lastReading?.isWhole ?? true || $0 != lastReading?.stamp } ?? false }

    /// The stamp of the file if it exists and has the right size.
    private var presentStamp: String? {
        var status = stat()
        return lstat(path, &status) == 0 && isOfRightSize(status) ? Self.stamp(status) : nil
    }

    private func readState(isThorough: Bool, protects: Bool) throws(SystemError) -> (state: State, reading: Reading?) {
        for _ in 0..<Self.mostReadings {
            let file: Descriptor
            do throws(SystemError) {
                file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            } catch {
                switch error.code {
                // A file on a disk that is away is not gone.
                case ENOENT where Folder.deadLink(onWayTo: Folder.parent(of: path)) != nil: throw error
                case ENOENT, ENOTDIR: return (.gone, nil)
                // The file was replaced by a link.
                case ELOOP: return (.changed, nil)
                default: throw error
                }
            }
            let before = try Self.status(file, path)
            guard isOfRightSize(before) else { return (.changed, nil) }
            // A damaged file counts as damaged until it is downloaded again: a failing disk may return other bytes on the next reading.
            if let lastReading, !isThorough || !lastReading.isWhole, lastReading.stamp == Self.stamp(before) {
                return (lastReading.isWhole ? .intact : .changed, lastReading)
            }
            let isWhole = try Self.digest(file, path) == chart.digest
            // If the file has changed meanwhile, another program is still writing to it, so read it again.
            guard Self.stamp(try Self.status(file, path)) == Self.stamp(before) else { continue }
            // A file that cannot be protected is used anyway.
            if protects, isWhole, before.st_mode & Self.writing != 0 { fchmod(file.number, before.st_mode & 0o7777 & ~Self.writing) }
            return (isWhole ? .intact : .changed, Reading(stamp: Self.stamp(try Self.status(file, path)), isWhole: isWhole))
        }
        throw SystemError("read", path: path, code: EBUSY)
    }

    /// Whether the file differs from `whole`, the same chart, only by being cut off or by having zeros in some places. A failing disk
    /// leaves such files; a program that saves over a chart writes contents of its own. `false` for an empty file, which a program may
    /// be about to write.
    package func isRemainder(of whole: TemporaryFile) -> Bool {
        do throws(SystemError) {
            let file = try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let length = try Self.status(file, path)
            guard length.st_mode & S_IFMT == S_IFREG, length.st_size > 0 else { return false }
            var here = [UInt8](repeating: 0, count: 1 << 16)
            var there = here
            var place = 0
            while place < length.st_size {
                let count = pread(file.number, &here, here.count, place)
                guard count > 0, pread(whole.descriptor, &there, count, place) == count else { return false }
                guard zip(here.prefix(count), there).allSatisfy({ $0 == $1 || $0 == 0 }) else { return false }
                place += count
            }
            return true
        } catch {
            return false
        }
    }

    /// The reading of a file that was hashed while it was written and has just been given its name; `nil` if it was touched since.
    package static func reading(of file: TemporaryFile, size: Int, since before: stat) -> Reading? {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_size == size, status.st_mtim.tv_sec == before.st_mtim.tv_sec,
            status.st_mtim.tv_nsec == before.st_mtim.tv_nsec
        else { return nil }
        return Reading(stamp: stamp(status), isWhole: true)
    }

    /// The charts' files are never written to, not even by this program. The mode stops neither root nor programs that replace the
    /// file with a new one.
    package static let protectedMode: mode_t = 0o400
    private static let writing: mode_t = 0o222
    private static let mostReadings = 3

    private func isOfRightSize(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && size.map { status.st_size == $0 } ?? true
    }

    /// Identifies the file and its last change. The device number is left out, because it may change whenever the machine starts.
    private static func stamp(_ status: stat) -> String {
        "\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
    }

    private static func status(_ file: borrowing Descriptor, _ path: String) throws(SystemError) -> stat {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("access", path: path) }
        return status
    }

    /// The digest of the file at `path`, whatever it contains.
    package static func digest(ofFileAt path: String) throws(SystemError) -> Digest {
        try digest(try Descriptor.openFile(path), path)
    }

    /// The digest of everything in an open file.
    package static func digest(_ file: borrowing Descriptor, _ path: String) throws(SystemError) -> Digest {
        guard lseek(file.number, 0, SEEK_SET) == 0 else { throw SystemError("read", path: path) }
        var sum = SHA256()
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(file.number, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemError("read", path: path)
            }
            if count == 0 { return sum.finish() }
            chunk.withUnsafeBytes { sum.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}

/// The names of the charts' files, which all lie in one folder.
package enum ChartFileName {
    /// Returns whether `path` is a chart's path in `chartsFolder`.
    package static func isChartPath(_ path: String, in chartsFolder: String) -> Bool {
        path.hasPrefix(chartsFolder + "/") && chartHash(ofFile: String(path.dropFirst(chartsFolder.count + 1))) != nil
    }

    /// The chart that a file in the charts' folder is named after; `nil` if the name is not that of a chart's file.
    package static func chartHash(ofFile name: String) -> ChartHash? {
        guard name.hasSuffix(".pdf"), let digest = Digest(hex: String(name.dropLast(4))) else { return nil }
        // The name must be spelled exactly as this program spells it: any other spelling is another file.
        return digest.hex + ".pdf" == name ? ChartHash(digest) : nil
    }

    /// The chart that a link's target names, whichever library's folder the target is in.
    static func chart(ofLinkTo target: String) -> ChartHash? {
        let parts = target.split(separator: "/")
        guard parts.count > 1, parts[parts.count - 2] == "charts" else { return nil }
        return chartHash(ofFile: String(parts[parts.count - 1]))
    }

    /// The charts whose files are in `folder`, judging by the files' names.
    package static func charts(in folder: String) throws(SystemError) -> [ChartHash] {
        try Folder.namesIfThere(in: folder).compactMap(chartHash(ofFile:))
    }
}
