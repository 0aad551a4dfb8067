package import Glibc
public import Model
public import Platform

/// A chart's file, to be checked against the hash in its name: read through once, and again whenever it was written to.
///
/// Any program can follow the links that people open to a chart's file, and write to it.
public struct ChartFile: Sendable {
    public enum State: Hashable, Sendable {
        /// It holds the bytes that were downloaded.
        case intact
        case gone
        /// It contains something else, which the user may want.
        case changed
    }

    /// The result of reading a file through.
    public struct Reading: Hashable, Sendable {
        /// Identifies the file and when it was last touched; a file with another stamp has to be read again.
        package let stamp: String
        package let isWhole: Bool

        package init(stamp: String, isWhole: Bool) { (self.stamp, self.isWhole) = (stamp, isWhole) }
    }

    public let chart: ChartHash
    public let path: String
    /// How long it should be; `nil` if that is not known any more.
    package let size: Int?
    package let lastReading: Reading?

    package init(chart: ChartHash, path: String, size: Int?, lastReading: Reading?) {
        (self.chart, self.path, self.size, self.lastReading) = (chart, path, size, lastReading)
    }

    /// Examines the file, and reads it if it was written to since it was last read, or in any case if `isThorough`.
    public func state(isThorough: Bool) throws(SystemError) -> State {
        try readState(isThorough: isThorough, protects: false).state
    }

    /// As above, and returns the reading as well, unless the length alone shows that the file has changed.
    public func examine(isThorough: Bool) throws(SystemError) -> (state: State, reading: Reading?) {
        try readState(isThorough: isThorough, protects: false)
    }

    /// Examines the file for a reading to be stored. A file that is intact but writable is protected from then on.
    package func read() throws(SystemError) -> (state: State, reading: Reading?) { try readState(isThorough: false, protects: true) }

    /// True if it was touched since it was last read through, but is as long as it should be.
    package var isToBeRead: Bool { presentStamp.map { $0 != lastReading?.stamp } ?? false }

    /// True if it is there, and not known to have changed.
    package var mayBeWhole: Bool { presentStamp.map { lastReading?.isWhole ?? true || $0 != lastReading?.stamp } ?? false }

    /// The stamp of the file if it is there and as long as it should be.
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
                case ENOENT, ENOTDIR: return (.gone, nil)
                // It was replaced by a link.
                case ELOOP: return (.changed, nil)
                default: throw error
                }
            }
            let before = try Self.status(file, path)
            guard isOfRightSize(before) else { return (.changed, nil) }
            // A damaged file stays damaged until it is fetched again: a failing disk may return other bytes the next time.
            if let lastReading, !isThorough || !lastReading.isWhole, lastReading.stamp == Self.stamp(before) {
                return (lastReading.isWhole ? .intact : .changed, lastReading)
            }
            let isWhole = try Self.digest(file, path) == chart.digest
            // It is still being written to.
            guard Self.stamp(try Self.status(file, path)) == Self.stamp(before) else { continue }
            // If it cannot be protected, it is used all the same.
            if protects, isWhole, before.st_mode & Self.writing != 0 { fchmod(file.number, before.st_mode & 0o7777 & ~Self.writing) }
            return (isWhole ? .intact : .changed, Reading(stamp: Self.stamp(try Self.status(file, path)), isWhole: isWhole))
        }
        throw SystemError("read", path: path, code: EBUSY)
    }

    /// The reading of a file that was hashed while it was written, and was just given its name; `nil` if it was touched since.
    package static func reading(of file: TemporaryFile, size: Int, since before: stat) -> Reading? {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, status.st_size == size, status.st_mtim.tv_sec == before.st_mtim.tv_sec,
            status.st_mtim.tv_nsec == before.st_mtim.tv_nsec
        else { return nil }
        return Reading(stamp: stamp(status), isWhole: true)
    }

    /// Charts that are here are never written to, not even by us. That stops neither the administrator nor programs that put a new file in
    /// place of the old one.
    package static let protectedMode: mode_t = 0o400
    private static let writing: mode_t = 0o222
    private static let mostReadings = 3

    private func isOfRightSize(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && size.map { status.st_size == $0 } ?? true
    }

    /// The disk's number is left out: it may change whenever the machine starts.
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

/// The names of the charts' files, in the one folder that has them.
package enum ChartFileName {
    /// Returns whether a path is that of a chart in `chartsFolder`.
    package static func isChartPath(_ path: String, in chartsFolder: String) -> Bool {
        path.hasPrefix(chartsFolder + "/") && chartHash(ofFile: String(path.dropFirst(chartsFolder.count + 1))) != nil
    }

    /// The chart in a file of the charts' folder, judging by its name.
    package static func chartHash(ofFile name: String) -> ChartHash? {
        guard name.hasSuffix(".pdf"), let digest = Digest(hex: String(name.dropLast(4))) else { return nil }
        // Only in our own spelling: any other spelling is another file.
        return digest.hex + ".pdf" == name ? ChartHash(digest) : nil
    }

    /// The chart that a link leads to, in any library's folder.
    static func chart(ofLinkTo target: String) -> ChartHash? {
        let parts = target.split(separator: "/")
        guard parts.count > 1, parts[parts.count - 2] == "charts" else { return nil }
        return chartHash(ofFile: String(parts[parts.count - 1]))
    }

    /// The charts whose files are in a folder, judging by their names.
    package static func charts(in folder: String) throws(SystemError) -> [ChartHash] {
        try Folder.namesIfThere(in: folder).compactMap(chartHash(ofFile:))
    }
}
