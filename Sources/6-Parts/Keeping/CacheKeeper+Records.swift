package import Freshness
public import Library
import Marks
import Model
import PageCache
import Platform

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

    /// Notes that an image was made, why it was not there, and what it was made from; `others` were made along with it.
    package func noteMade(_ image: WantedImage, with others: [WantedImage]) {
        let renderer = image.inputs.rendererName
        var origin: ImageOrigin?
        do {
            let former = try former(of: image.name)
            let reason = MissReason(of: image.name, renderer: renderer, record: former)
            memory.tally.misses[reason, default: 0] += 1
            origin = try self.origin(of: image, former, with: others)
        } catch {
            log.warning("\(error)")
        }
        memory.note(
            ImageRecord(
                name: image.name, renderer: renderer, fate: .made,
                size: cache.knownSize(of: image.name) ?? cache.size(of: image.name) ?? ByteCount(0),
                at: time.timestamp, origin: origin))
        if memory.pending.count >= Self.recordsAtATime { flush() }
    }

    /// What is remembered of the page's previous image, whether or not it is saved in the library yet.
    private func former(of name: ImageName) throws(LibraryError) -> ImageRecord? {
        var former = try library.images.record(besides: name)
        for record in memory.pending where record.name.slot == name.slot { former = former?.followed(by: record) ?? record }
        return former
    }

    private func origin(
        of image: WantedImage, _ former: ImageRecord?, with others: [WantedImage]
    ) throws(LibraryError) -> ImageOrigin {
        let inputs = image.inputs
        let makings = ImageMakings(inputs, layers: try drawnMarks.parts(of: inputs))
        var circumstances = ImageCause.Circumstances()
        if former == nil {
            circumstances.plan = nearestPlan(showing: inputs.chart)
            circumstances.hasPlain = !others.contains { $0.inputs.variant == .plain }
            circumstances.isReplacement = try library.images.replacesChartWithImages(inputs.chart)
        }
        return ImageOrigin(
            makings,
            causes: ImageCause.causes(of: image.name, makings, renderer: inputs.rendererName, former: former, circumstances))
    }

    func note(_ name: ImageName, _ fate: ImageFate, _ size: ByteCount) {
        onFate?(name, fate)
        // Whoever had the image made notes more about it.
        guard fate != .made else { return }
        memory.note(ImageRecord(name: name, renderer: "", fate: fate, size: size, at: time.timestamp))
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
