import BandLayout
import Model
import Platform
import TestSupport

/// A place that reports files as written, and has them only some time later, in another order.
///
/// The states of one file come in their order; a newer head may be there before the objects that it names, and an object may be removed
/// only after the head that no longer names it.
@LoopActor
final class SlowDisk: BandCarrier {
    private let inner: any BandCarrier
    nonisolated let place: String
    nonisolated let canList: Bool
    /// The disk's late writes: they go on as long as there is a computer, whoever writes.
    @LoopActor
    final class Queue {
        var isSlow = false
        /// Whether the device reads its own writes, as with a cache. Otherwise it reads what others do.
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

    /// Some of the late files arrive. They wait while the place itself is away.
    func catchUp(_ chance: SeededGenerator) async throws(Trouble) {
        var random = chance
        guard !queue.late.isEmpty else { return }
        for _ in 0..<Int.random(in: 0...queue.late.count, using: &random) {
            try await settle(at: Int.random(in: queue.late.indices, using: &random))
        }
    }

    /// All late files arrive. Returns whether there were any.
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
