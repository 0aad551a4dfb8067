import Freshness
import Keeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering

/// Gets an image that somebody is waiting for: from memory, from the disk, or drawn now.
@LoopActor
final class ImageSource {
    private let parts: Agent.Parts
    private let settings: RenderSettings
    private let memory: MemoryTier
    private let maker: PageMaker
    private let wanted: Wanted
    private let drawnMarks: DrawnMarks
    private let look: LookAnew
    private let ending: AgentEnding
    private let mending = Mending()

    init(
        _ parts: Agent.Parts, _ settings: RenderSettings, memory: MemoryTier, maker: PageMaker, wanted: Wanted, drawnMarks: DrawnMarks,
        look: LookAnew, ending: AgentEnding
    ) {
        self.parts = parts
        self.settings = settings
        self.memory = memory
        self.maker = maker
        self.wanted = wanted
        self.drawnMarks = drawnMarks
        self.look = look
        self.ending = ending
    }

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
        // If the cache was wrong to think that it has the image, its entry is removed, and the next look finds the image missing.
        if parts.cache.contains(name), parts.cache.look(name) == nil { look.soon() }
        return nil
    }

    /// Draws a page in the live lane, and publishes it if there is room.
    func draw(_ view: PageView) async throws -> ShownPage {
        let name = view.image.name
        if !wanted.withheld.contains(name) {
            let marks = try await marks(on: view.image)
            switch await maker.make([view.image], of: PageWork(only: view.image), marks: marks, in: .live) {
            case nil:
                if maker.queue.isIdle { maker.endStretch() }
                // Anybody may remove files from the cache, and may have done so already.
                if let shown = await made(name) { return shown }
            case let error? where !Self.isDiskTrouble(error): throw error
            default: break
            }
        }
        return ShownPage(name: name, bytes: try await drawn(view, settings: settings), source: .rendered)
    }

    /// Draws a page without making a file of it.
    func drawn(_ view: PageView, settings: RenderSettings) async throws -> [UInt8] {
        let file = try MemoryFile.create()
        let path = parts.library.charts.path(of: view.image.inputs.chart)
        try parts.library.charts.check(view.image.inputs.chart)
        let output = PageJob.Output(view.image.inputs.variant, key: view.image.inputs.key, descriptor: file.number)
        let job = PageJob(
            chart: path, page: view.image.inputs.page, settings: settings, outputs: [output], marks: try await marks(on: view.image),
            fonts: view.image.inputs.fonts)
        _ = try await parts.renderer.render(job, in: .live)
        return try MemoryFile.read(file.number, limit: Self.mostImageBytes)
    }

    /// What is drawn on an image; throws if the library has other marks by now.
    private func marks(on image: WantedImage) async throws -> PageMarks? {
        guard let digest = image.inputs.marks else { return nil }
        guard let marks = try await drawnMarks.marks(digest, on: image.inputs.page, of: image.inputs.chart) else {
            throw ShowFailure.notWanted
        }
        return marks
    }

    /// No image of ours is larger.
    private static var mostImageBytes: Int { 256 << 20 }

    /// Whether an image could be drawn, but not kept.
    private static func isDiskTrouble(_ error: any Error) -> Bool {
        if case RenderFailure.cannotWrite = error { return true }
        return error is PageCacheError
    }

    // MARK: - Damage

    /// Checks every byte of an image that somebody could not show, and has it made again if it is damaged. Answers whether it was.
    ///
    /// One image at a time. An image that was checked within the last minute is not checked again, whoever asks: with a disk that damages
    /// whatever is written to it, we would do nothing else.
    func checkDamage(of name: ImageName) async -> Bool {
        // Only images that are there, so that nobody can make us remember invented names.
        guard !ending.hasBegun, parts.cache.contains(name) || parts.cache.look(name) != nil else { return false }
        memory.letGo(of: name)
        return await mend(name)
    }

    /// Has an image that turned out to be damaged removed and made again, unless that was tried a moment ago. Answers whether it was
    /// damaged.
    @discardableResult
    func mend(_ name: ImageName) async -> Bool {
        guard !ending.hasBegun else { return false }
        return await mending.check(name, parts.time) { [self] in
            guard await parts.cache.verify([name]).bad.contains(name) else { return false }
            parts.log.warning("the image \(name) was damaged; it is redrawn when it is needed")
            look.soon()
            return true
        }
    }

    /// Has these images in memory, the most important first, and no others.
    func show(_ names: [ImageName]) async {
        for name in await memory.show(names) { await mend(name) }
    }

    /// Has an image in memory before it is asked for.
    func hold(_ name: ImageName) async {
        do throws(PageCacheError) {
            _ = try await memory.bytes(of: name)
        } catch .damaged {
            await mend(name)
        } catch {
            // Whoever asks for the image is told of this.
        }
    }
}
