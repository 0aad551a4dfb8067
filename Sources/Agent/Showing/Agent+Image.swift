import Freshness
public import Model
import PageCache
public import Platform
import Rendering

extension Agent {
    /// The image of this name: from memory, from the disk, or drawn now if it is wanted. A selection goes before it.
    public func image(named name: ImageName) async throws(ShowFailure) -> ShownPage {
        if let shown = await kept(name) { return shown }
        do {
            return try await showing.others.run { [self] in try await drawWanted(name) }
        } catch {
            throw failure(error)
        }
    }

    private func drawWanted(_ name: ImageName) async throws -> ShownPage {
        if isStopping { throw ShowFailure.stopped }
        if let task = queue.task(making: name) { await task.value }
        // Somebody may have asked for it before.
        if let shown = await made(name) { return shown }
        guard let image = wantedInCache?.images.first(where: { $0.name == name }) else { throw ShowFailure.notWanted }
        if let reason = reasonNotToDraw(image) { throw ShowFailure.cannotBeDrawn(reason) }
        let marks = image.inputs.marks.flatMap { self.marks[$0] }
        guard image.inputs.marks == nil || marks != nil else { throw ShowFailure.notWanted }
        return try await draw(PageView(image: image, marks: marks, next: []))
    }

    /// A page larger than it is cached, for a glass to be held over it. It is never kept.
    ///
    /// Of what one viewer asks for, only the newest is drawn. A selection goes before it.
    public func live(
        chart: AttachmentID, page: PageIndex, isMarked: Bool, longSide: Int, for viewer: String = ""
    ) async throws(ShowFailure) -> ShownPage {
        showing.liveCount += 1
        let number = showing.liveCount
        showing.live[viewer]?.cancel()
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked)
        let task = spawnThrowing { [self] in
            try await showing.others.run { [self] in
                if isStopping { throw ShowFailure.stopped }
                let view = try await view(of: request, longSide: longSide)
                var settings = settings.render
                settings.fullSize = longSide
                return ShownPage(name: view.image.name, bytes: try await drawn(view, settings: settings), source: .rendered)
            }
        }
        showing.live[viewer] = LiveImage(number: number, cancel: { task.cancel() })
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        if showing.live[viewer]?.number == number { showing.live[viewer] = nil }
        do {
            return try result.get()
        } catch {
            throw failure(error)
        }
    }

    func failure(_ error: any Error) -> ShowFailure {
        switch error {
        case let failure as ShowFailure: failure
        case RenderFailure.cancelled: .superseded
        case RenderFailure.stopped: .stopped
        default: .cannotBeDrawn("\(error)")
        }
    }
}
