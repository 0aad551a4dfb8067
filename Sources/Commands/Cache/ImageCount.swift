import CommandLine
import Model

/// So many images, and the disk space that they take.
struct ImageCount: Hashable {
    private(set) var images = 0
    private(set) var size = ByteCount(0)

    init() {}

    init(_ entries: some Sequence<CacheEntry>) {
        for entry in entries { add(entry.size) }
    }

    mutating func add(_ size: ByteCount) {
        images += 1
        self.size = self.size + size
    }

    /// For people.
    var words: String { "\(images.counted("image")), \(size)" }

    /// For programs.
    var members: [(name: String, value: JSONText)] { [("images", .integer(images)), ("bytes", .integer(size.bytes))] }
    var json: JSONText { .object(members) }
}
