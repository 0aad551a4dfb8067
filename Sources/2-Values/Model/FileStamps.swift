import Glibc

/// Files with their stamps, in the order in which they were added, which is that of their paths' bytes.
///
/// All paths are in one piece of memory: fifty thousand of them take a few megabytes, and are compared without making strings.
public struct FileStamps: Hashable, Sendable {
    /// One of the files.
    public struct Entry: Hashable, Sendable {
        public let path: String
        public let stamp: FileStamp

        /// Describes a file.
        public init(path: String, stamp: FileStamp) {
            self.path = path
            self.stamp = stamp
        }
    }

    private var text: [UInt8] = []
    /// Where each path ends in the text.
    private var ends: [Int] = []
    private var stamps: [FileStamp] = []

    /// Makes a list without files.
    public init() {}

    /// Makes a list of files that are in order already.
    public init(_ files: some Sequence<Entry>) {
        for file in files {
            var path = file.path
            path.withUTF8 { append(UnsafeRawBufferPointer($0), file.stamp) }
        }
    }

    /// Reserves room for this many files, whose paths have this many bytes in all.
    public mutating func reserve(_ count: Int, bytes: Int) {
        text.reserveCapacity(bytes)
        ends.reserveCapacity(count)
        stamps.reserveCapacity(count)
    }

    /// Adds a file, given the bytes of its path.
    public mutating func append(_ path: UnsafeRawBufferPointer, _ stamp: FileStamp) {
        text.append(contentsOf: path)
        ends.append(text.count)
        stamps.append(stamp)
    }

    /// Adds files that come after these.
    public mutating func append(contentsOf later: FileStamps) {
        let start = text.count
        text.append(contentsOf: later.text)
        ends.append(contentsOf: later.ends.lazy.map { start + $0 })
        stamps.append(contentsOf: later.stamps)
    }

    /// The stamp of a file, without its path.
    public func stamp(_ index: Int) -> FileStamp { stamps[index] }

    /// Passes the bytes of a path to `body`.
    public func withPath<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start(index)..<ends[index]])) }
    }

    /// Compares the paths of two files: negative if the first comes before the second, zero if they are equal, otherwise positive.
    public func order(_ index: Int, _ other: FileStamps, _ otherIndex: Int) -> Int {
        withPath(index) { one in other.withPath(otherIndex) { Self.order(one, $0) } }
    }

    /// The first file whose path does not come before the bytes of `text`, or the end if there is none.
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
