package import Freshness
public import Library
import Marks
import Model
import PageCache
import Platform

extension CacheKeeper {
    /// How many records are collected for one write to the library: each write waits for the disk.
    private static let recordsAtATime = 256

    /// Loads the library's records of images, once. Without the records, every start would guess sizes again, and draw images
    /// again that are too large to keep.
    public func recall() throws(LibraryError) {
        guard !hasRecalled else { return }
        memory.recall(try library.images.records())
        hasRecalled = true
    }

    /// Records that an image was made.
    package func noteMade(_ image: WantedImage) {
        let name = image.name
        note(
            ImageRecord(
                name: name, renderer: image.inputs.rendererName, event: .made,
                size: cache.knownSize(of: name) ?? cache.size(of: name) ?? ByteCount(0),
                at: time.timestamp, format: ImageFormat(image.inputs)))
    }

    func note(_ name: ImageName, _ event: ImageEvent, _ size: ByteCount) {
        onImageEvent?(name, event)
        // An image that was made is recorded by `noteMade`, in more detail.
        guard event != .made else { return }
        note(ImageRecord(name: name, renderer: "", event: event, size: size, at: time.timestamp))
    }

    private func note(_ record: ImageRecord) {
        memory.note(record)
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    /// Saves new records and mark digests in the library, and frees the marks in memory. If saving fails, the new records are lost; people
    /// then miss only the reasons for these events.
    public func flush() {
        let records = memory.takePending()
        drawnMarks.rest()
        do {
            try drawnMarks.save()
            try library.images.record(records)
        } catch {
            log.warning("what happened to some page images could not be recorded: \(error)")
        }
    }
}

/// The last known sizes of images, even of removed ones, and the records that are not saved in the library yet.
struct ImageMemory {
    /// The last known size of the image of each variant of a page.
    private var sizes: [ImageSlot: ByteCount] = [:]
    /// Records that are not saved in the library yet, in order.
    private(set) var pending: [ImageRecord] = []

    /// Loads the library's records; a later record overrides an earlier one.
    mutating func recall(_ records: [ImageRecord]) {
        let known = Dictionary(records.map { ($0.name.slot, $0.size) }) { _, last in last }
        sizes.merge(known.filter { $0.value.bytes > 0 }) { newer, _ in newer }
    }

    func size(of name: ImageName) -> ByteCount? { sizes[name.slot] }

    mutating func note(_ record: ImageRecord) {
        if record.event == .made, record.size.bytes > 0 { sizes[record.name.slot] = record.size }
        pending.append(record)
    }

    /// Returns the records to be saved in the library, and empties the list.
    mutating func takePending() -> [ImageRecord] {
        defer { pending = [] }
        return pending
    }
}
