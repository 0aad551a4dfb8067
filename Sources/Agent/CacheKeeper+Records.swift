import Freshness
public import Library
import Model
import PageCache
import Platform

extension CacheKeeper {
    /// So many are told to the library at a time: each time is a write that waits for the disk.
    private static let recordsAtATime = 256

    /// Takes over from the library what is remembered of images, once. Without it sizes would be guessed again at every
    /// start, and what is too large be made again at every start.
    public func recall() throws(LibraryError) {
        guard !hasRecalled else { return }
        memory.recall(try library.imageRecords())
        hasRecalled = true
    }

    /// Notes that an image was made, and why it was not there.
    func noteMade(_ image: WantedImage) {
        let renderer = image.inputs.rendererName
        let pending = memory.pending.last { $0.name.slot == image.name.slot }
        do {
            let reason =
                try pending.map { MissReason(of: image.name, renderer: renderer, record: $0) }
                ?? library.missReason(of: image.name, renderer: renderer)
            memory.tally.misses[reason, default: 0] += 1
        } catch {
            log.warning("\(error)")
        }
        memory.note(
            ImageRecord(
                name: image.name, renderer: renderer, fate: .made,
                size: cache.knownSize(of: image.name) ?? cache.size(of: image.name) ?? ByteCount(0),
                at: Timestamp(sinceEpoch: time.wallTime)))
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    func note(_ name: ImageName, _ fate: ImageFate, _ size: ByteCount) {
        // Whoever had it made tells more about it.
        guard fate != .made else { return }
        memory.note(ImageRecord(name: name, renderer: "", fate: fate, size: size, at: Timestamp(sinceEpoch: time.wallTime)))
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    /// Tells the library what it does not know yet. What cannot be told is lost, and costs no more than a reason.
    public func flush() {
        let (records, tally) = memory.takePending()
        do {
            try library.record(records)
            try library.add(tally)
        } catch {
            log.warning("what became of some page images is not remembered: \(error)")
        }
    }
}
