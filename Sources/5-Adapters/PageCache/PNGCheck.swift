import Glibc
import Model
import PagePNG

/// The cheap check of an image: it begins and ends like a PNG. A file that was cut off does not.
enum PNGCheck {
    /// The signature, then the start of the header chunk, with its length of 13 bytes.
    private static let start: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    /// The closing chunk: no data, its name, its checksum.
    private static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0xAE, 0x42, 0x60, 0x82]
    /// The signature, the header chunk, a data chunk with at least one byte, the closing chunk.
    private static let least = 8 + 25 + 13 + 12

    /// An open file that passed the check.
    struct Sound {
        let status: stat
        /// Where the image has ink, if it says so.
        let ink: PageInk?
    }

    /// What an open file is, if it is a regular one that begins and ends like a PNG.
    static func sound(_ descriptor: Int32) -> Sound? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.isFile, status.st_size >= least,
            let head = bytes(of: descriptor, at: 0, count: PageInk.headLength), head.starts(with: start),
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
