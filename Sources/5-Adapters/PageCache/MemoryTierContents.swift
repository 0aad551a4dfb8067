import Model

/// What the memory tier holds, and what it drops when there is no room: never more bytes than the limit, one copy per name.
struct MemoryTierContents {
    /// The most bytes that are held.
    let limit: ByteCount
    /// How many bytes are held.
    private(set) var size = ByteCount(0)
    /// Goes up whenever what is wanted changes; whoever began to load before that checks again whether the image is still wanted.
    private(set) var revision = 0

    private struct Held {
        let bytes: [UInt8]
        /// When it was last asked for, as a running count of all requests.
        var askedFor: Int
    }

    private var held: [ImageName: Held] = [:]
    /// The images that are on screen or come next, each with its place in the order of importance.
    private var shown: [ImageName: Int] = [:]
    private var asked = 0

    init(limit: ByteCount) {
        self.limit = limit
    }

    /// Everything that is held.
    var names: Set<ImageName> { Set(held.keys) }

    /// The bytes of an image that is held; it counts as asked for now.
    mutating func take(_ name: ImageName) -> [UInt8]? {
        asked += 1
        held[name]?.askedFor = asked
        return held[name]?.bytes
    }

    /// Says what is on screen and comes next, most important first, and drops everything else.
    mutating func show(_ names: [ImageName]) {
        revision += 1
        shown = Dictionary(zip(names, 0...), uniquingKeysWith: min)
        for name in held.keys where shown[name] == nil { letGo(of: name) }
    }

    /// Drops everything, and wants nothing any more.
    mutating func empty() {
        revision += 1
        shown = [:]
        held = [:]
        size = ByteCount(0)
    }

    /// Holds an image that began to load at `revision`, if it is still wanted and nothing more important would have to go; answers
    /// whether it is held.
    @discardableResult
    mutating func keep(_ bytes: [UInt8], of name: ImageName, since revision: Int) -> Bool {
        if held[name] != nil { return true }
        guard shown[name] != nil || revision == self.revision, bytes.count <= limit.bytes else { return false }
        let goers = held.keys.filter { isLess($0, than: name) }.sorted { isLess($0, than: $1) }
        var room = limit.bytes - size.bytes
        var going: [ImageName] = []
        for goer in goers where room < bytes.count {
            room += held[goer]?.bytes.count ?? 0
            going.append(goer)
        }
        guard room >= bytes.count else { return false }
        for goer in going { letGo(of: goer) }
        asked += 1
        held[name] = Held(bytes: bytes, askedFor: asked)
        size = size + ByteCount(bytes.count)
        return true
    }

    /// Whether an image is dropped before another one: images that were only asked for go before those that are shown, starting with the
    /// one not asked for the longest; of those that are shown, the least important goes first.
    private func isLess(_ left: ImageName, than right: ImageName) -> Bool {
        switch (shown[left], shown[right]) {
        case (let left?, let right?): left > right
        case (nil, _?): true
        case (_?, nil): false
        case (nil, nil): (held[left]?.askedFor ?? .max) < (held[right]?.askedFor ?? .max)
        }
    }

    /// Drops one image, which may be held again later.
    mutating func letGo(of name: ImageName) {
        guard let gone = held.removeValue(forKey: name) else { return }
        size = ByteCount(size.bytes - gone.bytes.count)
    }
}
