import Freshness
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering

/// Provides an image that a screen waits for: from memory, from the disk, or drawn now.
@LoopActor
final class ImageSource {
    private let core: AgentCore
    private let maker: PageMaker
    private let mending = Mending()

    init(_ core: AgentCore, maker: PageMaker) { (self.core, self.maker) = (core, maker) }

    /// An image that is in memory or on the disk; `nil` if it is not there, or damaged.
    func kept(_ name: ImageName) async -> ShownPage? {
        if let bytes = core.memory.held(name) { return ShownPage(name: name, bytes: bytes, source: .memory) }
        return await load(name, as: .disk)
    }

    func made(_ name: ImageName) async -> ShownPage? { await load(name, as: .rendered) }

    private func load(_ name: ImageName, as source: ShownPage.Source) async -> ShownPage? {
        do throws(PageCacheError) {
            if let bytes = try await core.memory.bytes(of: name) { return ShownPage(name: name, bytes: bytes, source: source) }
        } catch .damaged {
            await mend(name)
            return nil
        } catch {
            core.log.warning("\(error)")
        }
        // The cache was wrong about this image. Its entry has been removed, and reconciling will find the image missing.
        if core.cache.contains(name), core.cache.intactPath(of: name) == nil { core.look.soon() }
        return nil
    }

    /// Draws a page in the live lane, and publishes the image if there is room. An image that cannot be stored is returned all the same.
    func draw(_ view: PageView) async throws -> ShownPage {
        let name = view.image.name
        try checkIsHere(view)
        if !core.wanted.withheld.contains(name) {
            let marks = try await marks(on: view.image)
            switch await maker.make([view.image], of: PageWork(only: view.image), marks: marks, in: .live) {
            case nil:
                if maker.queue.isIdle { maker.endStretch() }
                // Another program may already have removed the file from the cache.
                if let shown = await made(name) { return shown }
            case let error? where !Self.isDiskTrouble(error): throw error
            default: break
            }
        }
        return ShownPage(name: name, bytes: try await drawn(view, settings: core.settings.render), source: .rendered)
    }

    /// Draws a page without storing a file.
    func drawn(_ view: PageView, settings: RenderSettings) async throws -> [UInt8] {
        try checkIsHere(view)
        let file = try MemoryFile.create()
        let path = core.library.charts.path(of: view.image.inputs.chart)
        try core.library.charts.check(view.image.inputs.chart)
        let output = PageJob.Output(view.image.inputs.variant, key: view.image.inputs.key, descriptor: file.number)
        let job = PageJob(
            chart: path, page: view.image.inputs.page, settings: settings, outputs: [output], marks: try await marks(on: view.image),
            fonts: view.image.inputs.fonts)
        _ = try await core.renderer.render(job, in: .live)
        return try MemoryFile.read(file.number, limit: Self.mostImageBytes)
    }

    /// Throws if the chart's file is missing: existing images can be shown without it, but none can be drawn.
    private func checkIsHere(_ view: PageView) throws {
        guard try core.library.charts.hasBytes(of: view.image.inputs.chart) else { throw Trouble.notDownloaded }
    }

    /// The marks on an image; throws if the library now has other marks.
    private func marks(on image: WantedImage) async throws -> PageMarks? {
        guard let digest = image.inputs.marks else { return nil }
        guard let marks = try await core.keeper.drawnMarks.marks(digest, on: image.inputs.page, of: image.inputs.chart) else {
            throw Trouble.notWanted
        }
        return marks
    }

    private static var mostImageBytes: Int { 256 << 20 }

    /// Whether this error only kept an image from being stored, so that it can still be drawn into memory.
    private static func isDiskTrouble(_ error: any Error) -> Bool {
        if case RenderFailure.cannotWrite = error { return true }
        return error is PageCacheError
    }

    // MARK: - Damage

    /// Checks every byte of an image that a browser could not show, and has it made again if it is damaged. Returns whether it is.
    ///
    /// Checks one image at a time, and none again within a minute: if a disk damages everything written to it, checking would
    /// otherwise never stop.
    func checkDamage(of name: ImageName) async -> Bool {
        // Only existing images: made-up names must not fill the memory.
        guard !core.ending.hasBegun, core.cache.contains(name) || core.cache.intactPath(of: name) != nil else { return false }
        core.memory.letGo(of: name)
        return await mend(name)
    }

    /// Removes an image if it is damaged, and has it made again, unless it was checked a moment ago. Returns whether it was damaged.
    @discardableResult
    func mend(_ name: ImageName) async -> Bool {
        guard !core.ending.hasBegun else { return false }
        return await mending.check(name, core.time) { [self] in
            guard await core.cache.verify([name]).bad.contains(name) else { return false }
            core.log.warning("the image \(name) was damaged; it is drawn again when it is needed")
            core.look.soon()
            return true
        }
    }

    /// Keeps exactly these images in memory, most important first.
    func show(_ names: [ImageName]) async {
        for name in await core.memory.show(names) { await mend(name) }
    }

    /// Reads an image into memory before it is requested.
    func hold(_ name: ImageName) async {
        do throws(PageCacheError) {
            _ = try await core.memory.bytes(of: name)
        } catch .damaged {
            await mend(name)
        } catch {
            // The later request for the image will report this error.
        }
    }
}

/// Checks images that may be damaged: one at a time, and each image only once in a while.
@LoopActor
final class Mending {
    private var underWay: [ImageName: Task<Bool, Never>] = [:]
    /// When each image was last checked. Entries older than `rest` are dropped.
    private var checked: [ImageName: Moment] = [:]
    private let turns = Turns()

    /// How long after a check an image is not checked again.
    static let rest = Duration.seconds(60)

    nonisolated init() {}

    /// Runs `work`, which returns whether the image was damaged. Simultaneous callers get the same answer. Returns `false` for an
    /// image that was checked a moment ago.
    func check(_ name: ImageName, _ time: any TimeKeeper, _ work: @escaping @LoopActor () async -> Bool) async -> Bool {
        if let task = underWay[name] { return await task.value }
        checked = checked.filter { time.now < $0.value + Self.rest }
        guard checked[name] == nil else { return false }
        let task = spawn { [self] in
            await turns.run {
                let wasDamaged = await work()
                checked[name] = time.now
                underWay[name] = nil
                return wasDamaged
            }
        }
        underWay[name] = task
        return await task.value
    }
}
