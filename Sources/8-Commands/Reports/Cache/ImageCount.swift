import CommandLine
package import Model

/// A number of images, and the disk space that they take up.
package struct ImageCount: Hashable {
    package private(set) var images = 0
    package private(set) var size = ByteCount(0)

    package init() {}

    package init(_ entries: some Sequence<CacheEntry>) {
        for entry in entries { add(entry.size) }
    }

    package mutating func add(_ size: ByteCount) {
        images += 1
        self.size = self.size + size
    }

    /// For people.
    package var words: String { "\(images.counted("image")), \(size)" }

    /// For programs.
    package var members: [(name: String, value: JSONText)] { [("images", .integer(images)), ("bytes", .integer(size.bytes))] }
    package var json: JSONText { .object(members) }
}
