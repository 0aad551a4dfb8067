import Glibc
import JSON
public import Model
import Platform

/// Reads a musician's own mark file from the disk, if the path leads to a regular file and is not a link.
public enum MarkFileReader {
    enum Format {
        case native, xournal

        /// Recognises the format by the name of a mark file. For any other name, the first character that is not blank decides.
        init(name: String, bytes: [UInt8]) {
            if MarkFileName.isNative(name) || MarkFileName.isOfPartAlone(name) {
                self = .native
            } else if MarkFileName.isOfXournal(name) {
                self = .xournal
            } else {
                let first = bytes.first { !($0 == 0x20 || (0x09...0x0d).contains($0) || [0xef, 0xbb, 0xbf].contains($0)) }
                self = first == UInt8(ascii: "{") ? .native : .xournal
            }
        }
    }

    /// Reads a file and its stamp.
    ///
    /// Large files take long, so do not call this on the loop.
    public static func read(
        path: String, limits: MarkFileLimits = MarkFileLimits()
    ) throws(MarkFileFault) -> (MarkFile, FileStamp) {
        let (file, _, stamp) = try readAsLayer(path: path, limits: limits)
        return (file, stamp)
    }

    /// Reads a file. If this program created it, the layer in it is returned, too. If the name is that of a second state of a
    /// layer, and another program created the file, the file is refused.
    public static func readAsLayer(
        path: String, limits: MarkFileLimits = MarkFileLimits()
    ) throws(MarkFileFault) -> (file: MarkFile, layer: LayerDocument?, stamp: FileStamp) {
        let (bytes, stamp) = try content(path, limits: limits, whileReading: {})
        let name = path.split(separator: "/").last.map { String($0) } ?? ""
        guard case .native = Format(name: name, bytes: bytes) else {
            return (try XournalReader.read(bytes, name: name, limits: limits), nil, stamp)
        }
        let text = try NativeLayerReader.text(bytes, limits)
        let file = try NativeLayerReader.file(text, limits)
        guard !LayerDocument.isOwn(text) else { return (file, try LayerDocument(text, readAs: file), stamp) }
        guard !MarkFileName.isOfPartAlone(name) else {
            throw MarkFileFault(.malformed, "is not read as a mark file: if it is one, give it a name that ends in .marks.json")
        }
        return (file, nil, stamp)
    }

    /// Reads the bytes, and throws if they change meanwhile. `whileReading` is called after the reading, before the last check.
    static func content(
        _ path: String, limits: MarkFileLimits, whileReading: () -> Void
    ) throws(MarkFileFault) -> ([UInt8], FileStamp) {
        // Check the path before opening it, because merely opening a device can have effects.
        var status = stat()
        guard lstat(path, &status) == 0 else { throw unreadable(errno) }
        try refuseOthers(status)
        // The path may have changed since the check. With these flags, opening it neither follows a link nor waits for a device.
        let number = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw unreadable(errno) }
        let file = Descriptor(owning: number)
        guard fstat(file.number, &status) == 0 else { throw unreadable(errno) }
        try refuseOthers(status)
        let stamp = FileStamp(status)
        guard stamp.size <= limits.fileBytes else {
            throw MarkFileFault(.tooLarge, "is larger than \(limits.fileBytes >> 20) MiB")
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try file.readAll(limit: limits.fileBytes)
        } catch {
            throw error.code == EFBIG ? MarkFileFault(.unfinished, "is still being written") : unreadable(error.code)
        }
        whileReading()
        guard fstat(file.number, &status) == 0, FileStamp(status) == stamp, bytes.count == stamp.size else {
            throw MarkFileFault(.unfinished, "is still being written")
        }
        return (bytes, stamp)
    }

    private static func refuseOthers(_ status: stat) throws(MarkFileFault) {
        let what: String
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: what = "is a link, and links are not followed here"
        case S_IFDIR: what = "is a folder"
        case S_IFIFO: what = "is a pipe"
        case S_IFSOCK: what = "is a socket"
        default: what = "is a device"
        }
        throw MarkFileFault(.unreadable, what)
    }

    private static func unreadable(_ code: Int32) -> MarkFileFault {
        switch code {
        case ENOENT, ENOTDIR: MarkFileFault(.missing, "is no longer there")
        case ELOOP: MarkFileFault(.unreadable, "is a link, and links are not followed here")
        default: MarkFileFault(.unreadable, "cannot be read: \(String(cString: strerror(code)))")
        }
    }
}
