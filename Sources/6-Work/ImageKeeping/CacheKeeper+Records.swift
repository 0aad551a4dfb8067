package import Freshness
public import Library
import Marks
import Model
import PageCache
import Platform

extension CacheKeeper {
    /// This many records are written to the library at a time: each write waits for the disk.
    private static let recordsAtATime = 256

    /// Loads the library's records of images, once. Without them, sizes would have to be guessed again at every start, and images that are
    /// too large would be made again at every start.
    public func recall() throws(LibraryError) {
        guard !hasRecalled else { return }
        memory.recall(try library.images.records())
        hasRecalled = true
    }

    /// Notes that an image was made.
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
        // The maker of the image notes more about it.
        guard event != .made else { return }
        note(ImageRecord(name: name, renderer: "", event: event, size: size, at: time.timestamp))
    }

    private func note(_ record: ImageRecord) {
        memory.note(record)
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    /// Saves new records in the library. If that fails, they are lost, which costs no more than a reason for people.
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

/// The records of images, even of those that are gone, as far as they are needed in memory or are not in the library yet.
struct ImageMemory {
    /// How large each variant of a page was when its image was last there.
    private var sizes: [ImageSlot: ByteCount] = [:]
    /// Records that are not in the library yet, in order.
    private(set) var pending: [ImageRecord] = []

    /// Loads the library's records. Later ones take precedence.
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
    mutating func takePending() -> [ImageRecord] {
        defer { pending = [] }
        return pending
    }
}
