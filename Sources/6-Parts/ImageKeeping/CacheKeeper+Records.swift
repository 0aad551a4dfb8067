package import Freshness
public import Library
import Marks
public import Model
import PageCache
import Platform
import Synchronization

extension CacheKeeper {
    /// This many records are written to the library at a time: each write waits for the disk.
    private static let recordsAtATime = 256

    /// Loads from the library, once, what it remembers of images. Without that, sizes would have to be guessed again at every start, and
    /// images that are too large would be made again at every start.
    public func recall() throws(LibraryError) {
        guard !hasRecalled else { return }
        memory.recall(try library.images.records())
        hasRecalled = true
    }

    /// Notes that an image was made, and why it was not there.
    package func noteMade(_ image: WantedImage) {
        let (name, renderer) = (image.name, image.inputs.rendererName)
        do {
            let reason = MissReason(of: name, renderer: renderer, record: try former(of: name))
            memory.tally.misses[reason, default: 0] += 1
        } catch {
            log.warning("\(error)")
        }
        note(
            ImageRecord(
                name: name, renderer: renderer, event: .made, size: cache.knownSize(of: name) ?? cache.size(of: name) ?? ByteCount(0),
                at: time.timestamp, format: ImageFormat(image.inputs)))
    }

    /// Returns what is remembered of the page's previous image, whether or not it is saved in the library yet.
    private func former(of name: ImageName) throws(LibraryError) -> ImageRecord? {
        var former = try library.images.record(besides: name)
        for record in memory.pending where record.name.slot == name.slot { former = former?.followed(by: record) ?? record }
        return former
    }

    func note(_ name: ImageName, _ event: ImageEvent, _ size: ByteCount) {
        onImageEvent?(name, event)
        // What made it notes more about it.
        guard event != .made else { return }
        note(ImageRecord(name: name, renderer: "", event: event, size: size, at: time.timestamp))
    }

    private func note(_ record: ImageRecord) {
        memory.note(record)
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    /// Saves in the library what it does not know yet. If that fails, the records are lost, which costs no more than knowing a reason.
    public func flush() {
        var (records, tally) = memory.takePending()
        tally += shown.take()
        drawnMarks.rest()
        do {
            try drawnMarks.save()
            try library.images.record(records)
            try library.images.add(tally)
        } catch {
            log.warning("what happened to some page images could not be recorded: \(error)")
        }
    }
}

/// What is remembered of images, even of those that are gone, as far as it is needed in memory or is not in the library yet.
struct ImageMemory {
    /// How large each variant of a page was when its image was last there.
    private var sizes: [ImageSlot: ByteCount] = [:]
    /// Records that are not in the library yet, in order.
    private(set) var pending: [ImageRecord] = []
    var tally = CacheTally()

    /// Loads what the library remembers. What happened since then takes precedence.
    mutating func recall(_ records: [ImageRecord]) {
        let known = Dictionary(records.map { ($0.name.slot, $0.size) }) { _, last in last }
        sizes.merge(known.filter { $0.value.bytes > 0 }) { newer, _ in newer }
    }

    func size(of name: ImageName) -> ByteCount? { sizes[name.slot] }

    mutating func note(_ record: ImageRecord) {
        if record.event == .made, record.size.bytes > 0 { sizes[record.name.slot] = record.size }
        pending.append(record)
    }

    /// Hands over what is to be saved in the library.
    mutating func takePending() -> (records: [ImageRecord], tally: CacheTally) {
        defer {
            pending = []
            tally = CacheTally()
        }
        return (pending, tally)
    }
}

/// Counts the images that people are shown: those that were there, and those that were drawn while a browser waited.
///
/// May be used from any thread: browsers are answered beside the loop.
public final class ShownImages: Sendable {
    private struct Counts {
        var hits = 0
        var waits = 0
        /// An image that was waited for and counted, and will be fetched next; that must not count again.
        var isFetchedNext: ImageName?
    }

    private let counts = Mutex(Counts())

    /// Notes that an image that was there was sent to a browser.
    public func noteServed(_ name: ImageName) {
        counts.withLock { counts in
            if counts.isFetchedNext == name {
                counts.isFetchedNext = nil
            } else {
                counts.hits += 1
            }
        }
    }

    /// Notes that a page was opened; its image is fetched by name next.
    package func noteSelected(_ name: ImageName, wasDrawn: Bool) {
        guard wasDrawn else { return }
        counts.withLock { counts in
            counts.waits += 1
            counts.isFetchedNext = name
        }
    }

    /// Notes that an image was sent to a browser that asked for it by its name.
    package func noteSent(_ name: ImageName, wasDrawn: Bool) {
        guard wasDrawn else { return noteServed(name) }
        counts.withLock { $0.waits += 1 }
    }

    /// Hands over what was counted since the last time.
    func take() -> CacheTally {
        counts.withLock { counts in
            var tally = CacheTally()
            (tally.hits, tally.waits) = (counts.hits, counts.waits)
            (counts.hits, counts.waits) = (0, 0)
            return tally
        }
    }
}
