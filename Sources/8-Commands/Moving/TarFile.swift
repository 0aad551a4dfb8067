import Glibc
import Model
import Platform

/// The archive's format, a subset of tar: each file's header, then its bytes. Every machine can unpack it. Only plain files are
/// written and read.
enum TarFile {
    /// A file in an archive, with the position of its bytes.
    struct Entry {
        let name: [UInt8]
        let offset: Int
        let size: Int
        /// In seconds since 1970.
        let modified: Int
    }

    static let block = 512
    /// The largest number that a header can store.
    static let greatestSize = 1 << 33 - 1
    /// More entries than any musician has. The limit bounds the memory for their names.
    private static let mostEntries = 200_000
    private static let longestName = 4096
    private static let nameRoom = 100

    // MARK: Writing

    /// The block before a file's bytes. A long name is stored in an extra record before it.
    static func header(_ name: [UInt8], size: Int, modified: Int) -> [UInt8] {
        guard name.count > nameRoom else { return block(name, size: size, modified: modified, type: UInt8(ascii: "0")) }
        // The record's length includes the length's own digits.
        let rest = Array(" path=".utf8) + name + [10]
        var length = rest.count
        while length != rest.count + "\(length)".utf8.count { length = rest.count + "\(length)".utf8.count }
        let record = Array("\(length)".utf8) + rest
        return block(Array("name".utf8), size: record.count, modified: modified, type: UInt8(ascii: "x")) + record + padding(record.count)
            + block(Array(name.prefix(nameRoom)), size: size, modified: modified, type: UInt8(ascii: "0"))
    }

    static func padding(_ size: Int) -> [UInt8] { [UInt8](repeating: 0, count: (block - size % block) % block) }

    static let end = [UInt8](repeating: 0, count: 2 * block)

    private static func block(_ name: [UInt8], size: Int, modified: Int, type: UInt8) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: block)
        func put(_ text: [UInt8], at place: Int) { bytes.replaceSubrange(place..<place + text.count, with: text) }
        func octal(_ number: Int, _ digits: Int) -> [UInt8] {
            let text = Array(String(number, radix: 8).utf8)
            return [UInt8](repeating: UInt8(ascii: "0"), count: digits - text.count) + text
        }
        put(name, at: 0)
        put(octal(0o600, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(min(max(modified, 0), greatestSize), 11), at: 136)
        bytes[156] = type
        put(Array("ustar\u{0}00".utf8), at: 257)
        put(octal(sum(bytes), 6) + [0, 32], at: 148)
        return bytes
    }

    /// A header's checksum, for which the checksum's own bytes count as spaces.
    private static func sum(_ header: [UInt8]) -> Int {
        header.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(header[$1])) }
    }

    // MARK: Reading

    /// The files in an archive. Throws if the archive is cut off or damaged, or contains too many files or anything but files.
    static func entries(of file: borrowing Descriptor, path: String) throws -> [Entry] {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw SystemError("read", path: path) }
        let cutOff = Trouble("\(path) is cut off: copy it again from where it was made")
        var entries: [Entry] = []
        var offset = 0
        var longName: [UInt8]?
        while true {
            guard let header = try bytes(of: file, at: offset, count: block, path: path) else { throw cutOff }
            if header.allSatisfy({ $0 == 0 }) { return entries }
            guard header[257..<262].elementsEqual("ustar".utf8), octal(header[148..<156]) == sum(header),
                let size = octal(header[124..<136]), let modified = octal(header[136..<148])
            else { throw Trouble("\(path) is no archive of a home, or is damaged at byte \(offset)") }
            offset += block
            guard size <= Int(status.st_size) - offset else { throw cutOff }
            switch header[156] {
            case UInt8(ascii: "x") where size <= 2 * longestName:
                longName = try bytes(of: file, at: offset, count: size, path: path).flatMap(name(inRecord:))
            case UInt8(ascii: "0") where entries.count < mostEntries:
                let name = longName ?? Array(header[..<nameRoom].prefix { $0 != 0 })
                entries.append(Entry(name: name, offset: offset, size: size, modified: modified))
                longName = nil
            default:
                throw Trouble("\(path) has something else in it than files, at byte \(offset - block); nothing was taken out of it")
            }
            offset += size + padding(size).count
        }
    }

    /// Calls `body` with an entry's bytes, in pieces.
    static func read(_ entry: Entry, of file: borrowing Descriptor, path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var place = entry.offset
        let end = entry.offset + entry.size
        while place < end {
            guard let piece = try bytes(of: file, at: place, count: min(1 << 18, end - place), path: path) else {
                throw Trouble("\(path) became shorter while it was read")
            }
            try piece.withUnsafeBytes { try body($0) }
            place += piece.count
        }
    }

    /// Exactly `count` bytes; nil if the file has fewer.
    private static func bytes(of file: borrowing Descriptor, at offset: Int, count: Int, path: String) throws(SystemError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let read = bytes.withUnsafeMutableBytes { pread(file.number, $0.baseAddress! + filled, count - filled, off_t(offset + filled)) }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw SystemError("read", path: path) }
            guard read > 0 else { return nil }
            filled += read
        }
        return bytes
    }

    private static func octal(_ field: ArraySlice<UInt8>) -> Int? {
        let digits = field.prefix { $0 != 0 && $0 != 32 }
        return digits.count <= 11 ? Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 } : nil
    }

    private static func name(inRecord record: [UInt8]) -> [UInt8]? {
        guard let start = record.firstIndex(of: 32), record.last == 10, record[(start + 1)...].starts(with: "path=".utf8) else {
            return nil
        }
        return Array(record[(start + 6)...].dropLast())
    }
}
