public import Glibc

/// Files with their stamps, in the order of their paths' bytes. The files must be added in this order.
///
/// All paths share one piece of memory. Fifty thousand paths take a few megabytes, and are compared without making strings.
public struct FileStamps: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public let path: String
        public let stamp: FileStamp

        public init(path: String, stamp: FileStamp) { (self.path, self.stamp) = (path, stamp) }
    }

    private var text: [UInt8] = []
    /// The end of each path in `text`.
    private var ends: [Int] = []
    private var stamps: [FileStamp] = []

    public init() {}

    public init(_ files: some Sequence<Entry>) {
        for file in files {
            var path = file.path
            path.withUTF8 { append(UnsafeRawBufferPointer($0), file.stamp) }
        }
    }

    /// Reserves room for `count` files whose paths have this many bytes in total.
    public mutating func reserve(_ count: Int, bytes: Int) {
        text.reserveCapacity(bytes)
        ends.reserveCapacity(count)
        stamps.reserveCapacity(count)
    }

    /// Adds a file, whose path is given as bytes.
    public mutating func append(_ path: UnsafeRawBufferPointer, _ stamp: FileStamp) {
        text.append(contentsOf: path)
        ends.append(text.count)
        stamps.append(stamp)
    }

    public mutating func append(contentsOf later: FileStamps) {
        let start = text.count
        text.append(contentsOf: later.text)
        ends.append(contentsOf: later.ends.lazy.map { start + $0 })
        stamps.append(contentsOf: later.stamps)
    }

    /// The stamp of a file, without making a string of its path.
    public func stamp(_ index: Int) -> FileStamp { stamps[index] }

    /// Passes the bytes of a path to `body`.
    public func withPath<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start(index)..<ends[index]])) }
    }

    /// Compares the paths of two files: negative if the first path comes earlier, zero if they are equal, otherwise positive.
    public func order(_ index: Int, _ other: FileStamps, _ otherIndex: Int) -> Int {
        withPath(index) { one in other.withPath(otherIndex) { Self.order(one, $0) } }
    }

    /// The index of the first file whose path comes at or after `text` in the order of bytes; `endIndex` if there is none.
    public func firstIndex(notBefore text: String) -> Int {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { bytes in
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if withPath(middle, { Self.order($0, bytes) }) < 0 { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private func start(_ index: Int) -> Int { index == 0 ? 0 : ends[index - 1] }

    private static func order(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
        guard let left = one.baseAddress, let right = other.baseAddress else { return one.count - other.count }
        let sign = memcmp(left, right, Swift.min(one.count, other.count))
        return sign == 0 ? one.count - other.count : Int(sign)
    }
}

extension FileStamps: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { ends.count }

    public subscript(index: Int) -> Entry {
        Entry(path: withPath(index) { String(decoding: $0, as: UTF8.self) }, stamp: stamps[index])
    }
}

/// The properties of a file that show, without reading it, whether it has changed since its stamp was last taken.
public struct FileStamp: Hashable, Sendable {
    public var device: UInt64
    public var inode: UInt64
    public var size: Int
    /// When the contents were last written, in nanoseconds since 1970.
    public var modified: Int64
    /// When the file or its properties were last changed, in nanoseconds since 1970. Programs cannot set this time, so it reveals a
    /// file that was written and then given its former size and time of writing. 0 if it is ignored.
    public var changed: Int64

    public init(device: UInt64, inode: UInt64, size: Int, modified: Int64, changed: Int64 = 0) {
        (self.device, self.inode, self.size, self.modified, self.changed) = (device, inode, size, modified, changed)
    }

    /// The stamp of a file from its status. The times may have any value, so the arithmetic must not trap on overflow.
    public init(_ status: stat) {
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim))
    }

    /// The stamp of the contents alone, to compare a file whose name or permissions may have changed.
    public var ofContent: FileStamp { FileStamp(device: device, inode: inode, size: size, modified: modified) }

    private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
}

/// The kind of a file, judged by its first bytes. It explains why a file is not a chart.
public enum FileKind: String, Hashable, Sendable, CustomStringConvertible {
    case pdf, empty, webPage, json, image, archive, other

    /// The PDF header may begin this far into a file, since PDF readers have always searched this far.
    public static let headerLength = 1024

    /// Recognises the kind from the first `headerLength` bytes, or from the whole file if it is shorter.
    public init(header: [UInt8]) {
        let text = String(decoding: header, as: UTF8.self).lowercased()
        let start = text.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if Self.contains(header, Array("%PDF-".utf8)) {
            self = .pdf
        } else if header.isEmpty {
            self = .empty
        } else if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") || text.contains("<head") || text.contains("<body") {
            self = .webPage
        } else if start.hasPrefix("{") || start.hasPrefix("[") {
            self = .json
        } else if header.starts(with: [0x89, 0x50, 0x4E, 0x47]) || header.starts(with: [0xFF, 0xD8, 0xFF]) || start.hasPrefix("gif8") {
            self = .image
        } else if start.hasPrefix("pk\u{3}\u{4}") {
            self = .archive
        } else {
            self = .other
        }
    }

    public var description: String {
        switch self {
        case .pdf: "a PDF"
        case .empty: "an empty file"
        case .webPage: "a web page (perhaps a log-in page: check the token with '\(woodshed("doctor"))')"
        case .json: "a JSON answer"
        case .image: "a picture"
        case .archive: "a ZIP archive or an office document"
        case .other: "something else"
        }
    }

    private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        guard bytes.count >= word.count else { return false }
        return (0...(bytes.count - word.count)).contains { bytes[$0..<($0 + word.count)].elementsEqual(word) }
    }
}

extension String {
    /// Whether this text comes before the other text in the order of bytes, which the library and folder listings use.
    public func precedesByBytes(_ other: String) -> Bool {
        let sign = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { theirs -> Int in
                guard let one = own.baseAddress, let two = theirs.baseAddress else { return own.count - theirs.count }
                let common = memcmp(one, two, min(own.count, theirs.count))
                return common == 0 ? own.count - theirs.count : Int(common)
            }
        }
        guard case .some(.some(let sign)) = sign else { return utf8.lexicographicallyPrecedes(other.utf8) }
        return sign < 0
    }
}
