import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// An image that is in memory or on the disk.
    func kept(_ name: ImageName) async -> ShownPage? {
        if let bytes = memory.held(name) { return ShownPage(name: name, bytes: bytes, source: .memory) }
        return await load(name, as: .disk)
    }

    /// An image that was just made.
    func made(_ name: ImageName) async -> ShownPage? { await load(name, as: .rendered) }

    private func load(_ name: ImageName, as source: ShownPage.Source) async -> ShownPage? {
        do throws(PageCacheError) {
            if let bytes = try await memory.bytes(of: name) { return ShownPage(name: name, bytes: bytes, source: source) }
        } catch .damaged {
            await mend(name)
            return nil
        } catch {
            parts.log.warning("\(error)")
        }
        // A miss of what was thought to be there is cleared up, and found to be missing by the next reconcile.
        if parts.cache.contains(name), parts.cache.look(name) == nil { reconcile() }
        return nil
    }

    /// Draws a page in the live lane, and publishes it where it has room.
    func draw(_ view: PageView) async throws -> ShownPage {
        let name = view.image.name
        if !withheld.contains(name) {
            switch await render(PageWork(only: view.image), [view.image], marks: view.marks, in: .live) {
            case nil:
                if queue.isIdle { endOfQueue() }
                // Whoever may remove it may have done so already.
                if let shown = await made(name) { return shown }
            case let error? where !Self.isDiskTrouble(error): throw error
            default: break
            }
        }
        return ShownPage(name: name, bytes: try await drawn(view, settings: settings.render), source: .rendered)
    }

    /// Draws a page that no file is made of.
    func drawn(_ view: PageView, settings: RenderSettings) async throws -> [UInt8] {
        let file = try MemoryFile.create()
        let path = parts.library.path(of: view.image.inputs.chart)
        try parts.library.check(view.image.inputs.chart)
        let output = PageJob.Output(view.image.inputs.variant, key: view.image.inputs.key, descriptor: file.number)
        let job = PageJob(
            chart: path, page: view.image.inputs.page, settings: settings, outputs: [output], marks: view.marks,
            fonts: view.image.inputs.fonts)
        _ = try await parts.renderer.render(job, in: .live)
        return try MemoryFile.read(file.number, limit: Self.mostImageBytes)
    }

    /// No image of ours is larger.
    private static var mostImageBytes: Int { 256 << 20 }

    /// Whether an image could be drawn, but not kept.
    private static func isDiskTrouble(_ error: any Error) -> Bool {
        if case RenderFailure.cannotWrite = error { return true }
        return error is PageCacheError
    }

    // MARK: - Who gives way

    /// Lets nothing begin in the background for this reason.
    func hold(_ reason: RenderQueue.Hold) {
        queue.hold(reason)
        odds.hold(reason)
        if reason == .selection { showing.others.hold(reason) }
    }

    func release(_ reason: RenderQueue.Hold) {
        showing.others.release(reason)
        odds.release(reason)
        queue.release(reason)
    }

    /// Cancels all that is drawn but for one image; it comes back by itself.
    func breakOff(except name: ImageName) {
        queue.breakOff(except: name)
        odds.breakOff()
        showing.others.breakOff()
    }
}
