public import Model
public import Platform
import Synchronization

/// Keeps the bytes of the images on screen, and of those that come next, in memory, so that turning a page never waits for a disk.
///
/// Usable from any thread. A name identifies everything that an image was made from, so the bytes are never out of date.
public final class MemoryTier: Sendable {
    /// Reads an image's bytes from the cache's files, and throws if they are damaged; `nil` if there is no image.
    public typealias Read = @Sendable (ImageName) throws(PageCacheError) -> [UInt8]?
    private typealias Outcome = Result<[UInt8]?, PageCacheError>

    private struct State {
        var contents: MemoryTierContents
        /// The callers that wait for an image while another caller reads it.
        var loading: [ImageName: [CheckedContinuation<Outcome?, Never>]] = [:]
    }

    private enum Step {
        case held([UInt8])
        /// The caller has to read the image. The revision shows later whether the image is still wanted.
        case read(revision: Int)
        case wait
    }

    private let state: Mutex<State>
    private let side: SideThread
    private let read: Read

    /// Makes a tier that holds at most `limit`, and reads on `side`, which should have no other long work.
    public init(limit: ByteCount, side: SideThread = SideThread(), read: @escaping Read) {
        state = Mutex(State(contents: MemoryTierContents(limit: limit)))
        self.side = side
        self.read = read
    }

    /// How many bytes are held.
    public var size: ByteCount { state.withLock { $0.contents.size } }

    /// Every image that is held.
    public var names: Set<ImageName> { state.withLock { $0.contents.names } }

    /// The bytes of an image if they are held; never waits for a disk.
    public func held(_ name: ImageName) -> [UInt8]? { state.withLock { $0.contents.bytes(of: name) } }

    /// Returns the bytes of an image, from memory, from a read that is under way, or else from the file.
    ///
    /// The bytes then stay in memory, unless they would displace more important ones, or other images were set to be shown
    /// meanwhile. Misses and failures are not remembered.
    public func bytes(of name: ImageName) async throws(PageCacheError) -> [UInt8]? {
        while true {
            switch begin(name) {
            case .held(let bytes): return bytes
            case .read(let revision): return try await load(name, since: revision)
            case .wait:
                if let outcome = await join(name) { return try outcome.get() }
            }
        }
    }

    /// Sets the images that are on screen or come next, most important first. Drops all others, then reads the missing ones in this
    /// order, until the limit is reached or other images are shown. Returns the damaged ones.
    @discardableResult
    public func show(_ names: [ImageName]) async -> [ImageName] {
        let revision = state.withLock { state in
            state.contents.show(names)
            return state.contents.revision
        }
        var damaged: [ImageName] = []
        for name in names {
            var bytes: [UInt8]?
            do throws(PageCacheError) {
                bytes = try await self.bytes(of: name)
            } catch .damaged(let name) {
                damaged.append(name)
            } catch {
                // The next caller that asks for this image gets the error.
            }
            let isRead = bytes != nil
            let goesOn = state.withLock { state in
                // An image that was read but not kept shows that the limit is reached. All images after it are less important.
                state.contents.revision == revision && (!isRead || state.contents.names.contains(name))
            }
            guard goesOn else { break }
        }
        return damaged
    }

    /// Drops one image, because its file was bad, is gone, or was replaced.
    public func letGo(of name: ImageName) { state.withLock { $0.contents.letGo(of: name) } }

    /// Drops everything; for when memory is short.
    public func empty() { state.withLock { $0.contents.empty() } }

    private func begin(_ name: ImageName) -> Step {
        state.withLock { state in
            if let bytes = state.contents.bytes(of: name) { return .held(bytes) }
            guard state.loading[name] == nil else { return .wait }
            state.loading[name] = []
            return .read(revision: state.contents.revision)
        }
    }

    private func load(_ name: ImageName, since revision: Int) async throws(PageCacheError) -> [UInt8]? {
        let read = read
        let outcome = await side.run { Self.outcome { () throws(PageCacheError) in try read(name) } }
        let waiting = state.withLock { state in
            if case .success(let bytes?) = outcome { state.contents.keep(bytes, of: name, since: revision) }
            return state.loading.removeValue(forKey: name) ?? []
        }
        for continuation in waiting { continuation.resume(returning: outcome) }
        return try outcome.get()
    }

    /// Waits for an image that another caller is reading; `nil` if that caller has just finished.
    private func join(_ name: ImageName) async -> Outcome? {
        await withCheckedContinuation { continuation in
            let isJoined = state.withLock { state in
                guard state.loading[name] != nil else { return false }
                state.loading[name]?.append(continuation)
                return true
            }
            if !isJoined { continuation.resume(returning: nil) }
        }
    }

    private static func outcome(_ body: () throws(PageCacheError) -> [UInt8]?) -> Outcome {
        do throws(PageCacheError) {
            return .success(try body())
        } catch {
            return .failure(error)
        }
    }
}

/// The images in the memory tier, and the order in which they are dropped. There are never more bytes than the limit, and never
/// two copies of an image.
struct MemoryTierContents {
    /// The most bytes that are held.
    let limit: ByteCount
    /// How many bytes are held.
    private(set) var size = ByteCount(0)
    /// Increases whenever other images are wanted, so that a load that began earlier can check whether its image is still wanted.
    private(set) var revision = 0

    private struct Held {
        let bytes: [UInt8]
        /// The number of the last request for the image, counting all requests.
        var askedFor: Int
    }

    private var held: [ImageName: Held] = [:]
    /// The images that are on screen or come next, each with its place in the order of importance.
    private var shown: [ImageName: Int] = [:]
    private var asked = 0

    init(limit: ByteCount) { self.limit = limit }

    /// The names of all images that are held.
    var names: Set<ImageName> { Set(held.keys) }

    /// Returns the bytes of an image if they are held, and counts this as a request.
    mutating func bytes(of name: ImageName) -> [UInt8]? {
        asked += 1
        held[name]?.askedFor = asked
        return held[name]?.bytes
    }

    /// Sets which images are on screen or come next, most important first, and drops all others.
    mutating func show(_ names: [ImageName]) {
        revision += 1
        shown = Dictionary(zip(names, 0...), uniquingKeysWith: min)
        for name in held.keys where shown[name] == nil { letGo(of: name) }
    }

    /// Drops all images, and wants none from now on.
    mutating func empty() {
        revision += 1
        shown = [:]
        held = [:]
        size = ByteCount(0)
    }

    /// Holds an image that began to load at `revision`, if the image is still wanted and would displace nothing more important.
    /// Returns whether it is held.
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

    /// Returns whether `left` is dropped before `right`. Images that are not shown are dropped first, starting with the one not
    /// requested for the longest; then those that are shown, starting with the least important.
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
