import Freshness
public import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// The image of this name: from memory, from the disk, or drawn now if it is wanted or was named by an outlook. A selection goes before it.
    public func image(named name: ImageName) async throws(ShowFailure) -> ShownPage {
        let shown: ShownPage
        if let kept = await kept(name) {
            shown = kept
        } else {
            do {
                shown = try await showing.others.run { [self] in try await drawWanted(name) }
            } catch {
                throw failure(error)
            }
        }
        keeper.shown.noteSent(shown)
        return shown
    }

    private func drawWanted(_ name: ImageName) async throws -> ShownPage {
        if isStopping { throw ShowFailure.stopped }
        if let task = queue.task(making: name) { await task.value }
        // Somebody may have asked for it before.
        if let shown = await made(name) { return shown }
        guard let image = wantedByName?[name] ?? viewing.offered(name) else {
            throw ShowFailure.notWanted
        }
        if let reason = reasonNotToDraw(image) { throw ShowFailure.cannotBeDrawn(reason) }
        let marks =
            if let digest = image.inputs.marks {
                try await keeper.drawnMarks.marks(digest, on: image.inputs.page, of: image.inputs.chart)
            } else { nil as PageMarks? }
        guard image.inputs.marks == nil || marks != nil else { throw ShowFailure.notWanted }
        return try await draw(PageView(image: image, marks: marks, next: []))
    }

    /// A page larger than it is cached, for a glass to be held over it. It is never kept. `folder` says of which bytes it is a page:
    /// who looks at a former chart is not shown another through the glass.
    ///
    /// Of what one viewer asks for, only the newest two pages are drawn, each in its newest size: they may be side by side. A selection goes before it.
    public func live(
        chart: AttachmentID, in folder: ImageFolder, page: PageIndex, isMarked: Bool, longSide: Int, for viewer: String = ""
    ) async throws(ShowFailure) -> ShownPage {
        let request = PageRequest(chart: chart, page: page, isMarked: isMarked)
        let task = spawnThrowing { [self] in
            try await showing.others.run { [self] in
                if isStopping { throw ShowFailure.stopped }
                let view = try await view(of: request, longSide: longSide, in: folder)
                var settings = settings.render
                settings.fullSize = longSide
                return ShownPage(name: view.image.name, bytes: try await drawn(view, settings: settings), source: .rendered)
            }
        }
        let number = showing.begin(request, longSide: longSide, for: viewer) { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        showing.end(number)
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
