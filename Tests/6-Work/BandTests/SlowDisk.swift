import BandLayout
import Model
import Platform
import TestSupport

/// A place that reports files as written, although they arrive later and in another order.
///
/// The states of one file arrive in order; but a newer head may arrive before the objects that it names, and the removal of an
/// object may arrive after the head that no longer names the object.
@LoopActor
final class SlowDisk: BandCarrier {
    private let inner: any BandCarrier
    nonisolated let place: String
    nonisolated let canList: Bool
    /// The disk's late writes, which go on while the computer runs, whichever process made them.
    @LoopActor
    final class Queue {
        var isSlow = false
        /// Whether the device reads its own late writes, as if from a cache. If not, the device reads what all others read.
        var showsOwn = false
        fileprivate var late: [(path: String, bytes: [UInt8]?)] = []
        /// Called with each file that has arrived.
        var arrived: @LoopActor (String, [UInt8]?) -> Void = { _, _ in }
    }
    let queue: Queue

    init(_ inner: any BandCarrier, _ queue: Queue) {
        (self.inner, place, canList, self.queue) = (inner, inner.place, inner.canList, queue)
    }

    // MARK: - Writing

    func put(_ bytes: [UInt8], as path: String) async throws(Trouble) { try await write(path, bytes) }

    func remove(_ path: String) async throws(Trouble) { try await write(path, nil) }

    private func write(_ path: String, _ bytes: [UInt8]?) async throws(Trouble) {
        guard queue.isSlow || queue.late.contains(where: { $0.path == path }) else { return try await settle(path, bytes) }
        queue.late.append((path, bytes))
    }

    private func settle(_ path: String, _ bytes: [UInt8]?) async throws(Trouble) {
        if let bytes { try await inner.put(bytes, as: path) } else { try await inner.remove(path) }
        queue.arrived(path, bytes)
    }

    /// Lets some of the late files arrive. They wait while the place itself is away.
    func catchUp(_ chance: SeededGenerator) async throws(Trouble) {
        var random = chance
        guard !queue.late.isEmpty else { return }
        for _ in 0..<Int.random(in: 0...queue.late.count, using: &random) {
            try await settle(at: Int.random(in: queue.late.indices, using: &random))
        }
    }

    /// Lets all late files arrive. Returns whether there were any.
    func finish() async throws(Trouble) -> Bool {
        queue.isSlow = false
        let hadAny = !queue.late.isEmpty
        while !queue.late.isEmpty { try await settle(at: 0) }
        return hadAny
    }

    private func settle(at place: Int) async throws(Trouble) {
        guard FileTree.isThere(self.place + "/" + BandPath.marker) else { return }
        let path = queue.late[place].path
        guard let first = queue.late.firstIndex(where: { $0.path == path }) else { return }
        let change = queue.late.remove(at: first)
        try await settle(change.path, change.bytes)
    }

    // MARK: - Reading

    func get(_ path: String, limit: Int) async throws(Trouble) -> [UInt8]? {
        guard queue.showsOwn, let last = queue.late.last(where: { $0.path == path }) else { return try await inner.get(path, limit: limit) }
        return last.bytes
    }

    func heads(known: [BandDevice]) async throws(Trouble) -> BandListing { try await inner.heads(known: known) }

    func objects(of device: BandDevice) async throws(Trouble) -> [Digest: Int]? { try await inner.objects(of: device) }

    func removeCopies(of device: BandDevice) async throws(Trouble) { try await inner.removeCopies(of: device) }

    func doubt() { inner.doubt() }
}
