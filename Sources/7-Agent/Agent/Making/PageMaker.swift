import Catalogue
import Freshness
import Glibc
import ImageKeeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering

/// Makes the wanted images page by page, and remembers those that could not be made.
@LoopActor
final class PageMaker {
    private let core: AgentCore
    private(set) lazy var queue = RenderQueue(width: core.renderer.width) { [weak self] work in await self?.make(work) }
    /// Images that could not be made so far.
    private(set) var failures = ImageFailures()
    /// Charts whose pages are not drawn for a while after each failure, longer every time: doubtful charts, and charts that were held up.
    private var rests = Retries<ChartHash, String>()
    private var lastAnnotated = LastAnnotated()
    private var made: @LoopActor (ImageName) -> Void = { _ in }
    private(set) var count = 0

    init(_ core: AgentCore) { self.core = core }

    /// Sets the function that is called with each image made.
    func onMade(_ body: @escaping @LoopActor (ImageName) -> Void) { made = body }

    /// The charts whose pages are not drawn at present, because several pages crashed the renderer or because they were held up,
    /// and until when.
    var resting: [ChartHash: Moment] { rests.entries.mapValues(\.until).filter { $0.value > core.time.now } }

    /// When the next of the charts in `resting` may be tried.
    var nextRested: Moment? { rests.next(after: core.time.now) }

    /// Lets the charts in `resting` be tried now, as a person requested.
    func forgive() { rests = Retries() }

    /// Queues the missing images in place of those that were waiting.
    func queue(_ missing: [WantedImage]) {
        let due = missing.filter(failures.mayTry)
        let risky = failures.risky
        queue.replaceWaiting(
            with: due.filter { !risky.contains($0.name.folder) } + due.filter { risky.contains($0.name.folder) }.map(\.risky),
            apart: failures.pages)
    }

    /// Drops annotated images that new ones must not be based on: of pages that are no longer wanted, or drawn by another renderer.
    func forgetAnnotated(isOfOtherRenderer: Bool) {
        if isOfOtherRenderer { lastAnnotated = LastAnnotated() }
        lastAnnotated.keep { core.wanted.plainImages[$0] != nil }
    }

    /// Makes the images of one page, and publishes each under its own name.
    private func make(_ work: PageWork) async {
        var due = work.images
        var pageMarks: PageMarks?
        if let marks = work.marks {
            do {
                pageMarks = try await core.keeper.drawnMarks.marks(marks, on: work.page, of: work.chart)
                // The marks have changed since the image was queued. The image's name stands for the former marks, so it must not
                // show others.
                if pageMarks == nil, !Task.isCancelled { return core.look.soon() }
            } catch {
                note(error, about: due.filter { $0.inputs.variant == .annotated }, of: work)
                due.removeAll { $0.inputs.variant == .annotated }
            }
        }
        // Work that was cancelled before it began is still to be done.
        guard !Task.isCancelled else { return }
        // Check again: since the work was queued, failures may have been noted, and images made for a screen. The images of a chart
        // that must wait are queued again later.
        let mayTry = rests.mayTry(work.chart, at: core.time.now)
        let images = mayTry ? due.filter { failures.mayTry($0) && !core.cache.contains($0.name) } : []
        if !images.isEmpty { _ = await make(images, of: work, marks: pageMarks, in: .background) }
        guard !Task.isCancelled else { return }
        core.listeners.reportProgress()
        // The page that was just made still counts as running, so a count of 1 means that no other page is left.
        if queue.pageCount == 1 { endStretch() }
    }

    /// Called when no rendering is left: saves the keeper's records, protects the images' folders from other programs, and
    /// reconciles if more images may fit.
    func endStretch() {
        core.keeper.flush()
        if let all = core.wanted.inCache { core.upkeep.hold(all, in: core.cache) }
        if core.wanted.mayFitMore { core.look.soon() }
    }

    /// Makes images of one page and publishes them. If that fails, notes the reason and returns the error.
    func make(_ images: [WantedImage], of work: PageWork, marks pageMarks: PageMarks?, in lane: RenderLane) async -> (any Error)? {
        let rooms = core.keeper.roomsMade
        do {
            do {
                try await draw(images, of: work, marks: pageMarks, in: lane)
            } catch  where Self.isDiskFull(error) {
                let hasRoom = try await makeRoom(for: images, since: rooms)
                lookWhenPassed()
                guard hasRoom else { throw error }
                // Try only once more: another program may fill the disk faster than space is freed.
                try await draw(images.filter { !core.cache.contains($0.name) }, of: work, marks: pageMarks, in: lane)
            }
        } catch {
            note(error, about: images, of: work)
            return error
        }
        return nil
    }

    /// Makes images of one page and publishes them.
    private func draw(_ images: [WantedImage], of work: PageWork, marks pageMarks: PageMarks?, in lane: RenderLane) async throws {
        guard !images.isEmpty else { return }
        // Only background work on a doubtful chart gets a shorter time limit. A page for a screen may take as long as any other.
        let patience = lane == .background && failures.isDoubtful(work.chart) ? ImageFailures.patience : nil
        let path = core.library.charts.path(of: work.chart)
        try core.library.charts.check(work.chart)
        var files: [(image: WantedImage, file: TemporaryFile)] = []
        for image in images { files.append((image, try core.cache.begin(image.name))) }
        let outputs = files.map {
            PageJob.Output($0.image.inputs.variant, key: $0.image.inputs.key, descriptor: $0.file.descriptor)
        }
        let composed = try await compose(images, marks: pageMarks, into: outputs[0], in: lane)
        let outcome =
            if let composed {
                composed
            } else {
                try await core.renderer.render(
                    PageJob(
                        chart: path, page: work.page, settings: core.settings.render, outputs: outputs, marks: pageMarks,
                        fonts: images.lazy.compactMap(\.inputs.fonts).first, patience: patience), in: lane)
            }
        rests.forget(work.chart)
        if composed == nil { try core.library.images.note(lostContent: outcome.lostContent, on: work.page, of: work.chart) }
        for warning in outcome.warnings { core.log.warning("\(core.library.title(of: work.chart)), \(work.page): \(warning)") }
        for (image, file) in files {
            try publish(file, as: image)
            if image.inputs.variant == .annotated, let pageMarks { lastAnnotated.note((image.name, pageMarks), of: image.page) }
        }
        if core.keeper.isBeyondLimits { core.look.soon() }
    }

    private static func isDiskFull(_ error: any Error) -> Bool {
        switch error {
        case let failure as RenderFailure: failure.isDiskFull
        case PageCacheError.system(let error): error.isDiskFull
        case let error as SystemError: error.isDiskFull
        default: false
        }
    }

    /// Trims images that are worth less than `images`, of which at least one did not fit on the disk. Returns whether to try again.
    private func makeRoom(for images: [WantedImage], since rooms: Int) async throws -> Bool {
        guard let all = core.wanted.inCache, let renderer = core.wanted.renderer,
            let image = images.first(where: { !core.cache.contains($0.name) })
        else { return false }
        return try await core.keeper.makeRoom(for: image, count: images.count, since: rooms, wanted: all, by: renderer)
    }

    /// Makes an annotated image from the plain one, without the PDF, if `images` has no other image; `nil` if the image has to be drawn.
    private func compose(
        _ images: [WantedImage], marks: PageMarks?, into output: PageJob.Output, in lane: RenderLane
    ) async throws(RenderFailure) -> PageOutcome? {
        guard images.count == 1, let marks, images[0].inputs.variant == .annotated, core.wanted.isOfSameRenderer(images[0].inputs),
            let name = core.wanted.plainImages[images[0].page], let plain = open(name)
        else { return nil }
        let former = lastAnnotated[images[0].page]
        let file = former.flatMap { open($0.name) }
        let previous = file.flatMap { file in
            former.map { ComposeJob.Previous(descriptor: file.numbers[0], key: $0.name.key, marks: $0.marks) }
        }
        defer { withExtendedLifetime((plain, file)) {} }
        do throws(RenderFailure) {
            return try await core.renderer.compose(
                ComposeJob(
                    plain: plain.numbers[0], plainKey: name.key, previous: previous, marks: marks, paper: core.settings.render.paper,
                    output: output, fonts: images[0].inputs.fonts), in: lane)
        } catch {
            guard error == .damagedImage else { throw error }
            // The page can still be drawn from its chart. The plain image is removed only if this check finds the damage, too; then
            // the plain and the annotated image are both redrawn.
            if await core.cache.verify([name]).bad.contains(name) {
                let title = core.library.title(of: images[0].inputs.chart)
                core.log.warning("\(title), \(images[0].page.index): its plain image was damaged; both are being redrawn")
                core.look.soon()
            }
            return nil
        }
    }

    private func open(_ name: ImageName) -> OwnedDescriptors? {
        guard let file = core.cache.open(name) else { return nil }
        return OwnedDescriptors([file.release()])
    }

    private func publish(_ file: TemporaryFile, as image: WantedImage) throws(PageCacheError) {
        guard try core.cache.publish(file, as: image.name) else {
            // Another program may remove the folder at any time: reconcile again.
            return core.look.soon()
        }
        count += 1
        core.wanted.learnSize()
        core.keeper.noteMade(image)
        made(image.name)
        core.listeners.report(.published(image.name))
        guard let fault = failures.forget(image.name)?.fault else { return }
        do {
            try core.library.images.remove([fault])
        } catch {
            core.log.error("\(error)")
        }
    }

    private func note(_ error: any Error, about images: [WantedImage], of work: PageWork) {
        let meaning = FailureMeaning(error, of: images.map(\.inputs.variant), isDoubtfulChart: failures.isDoubtful(work.chart))
        if case .none = meaning.blame { return }
        core.log.warning("\(core.library.title(of: work.chart)), \(work.page) could not be rendered: \(error)")
        for image in images where !core.cache.contains(image.name) {
            switch meaning.blame {
            case .none: break
            case .passing:
                failures.notePassing("\(error)", of: image.name)
                lookWhenPassed()
            case .page(let more, let most):
                let tries = (failures[image.name]?.fault?.tries ?? 0) + more
                let fault = RenderFault(
                    chart: image.inputs.chart, image: image.name, tag: image.inputs.tag, reason: "\(error)", tries: tries,
                    isFinal: most.map { tries >= $0 } ?? false, at: core.now)
                do {
                    try core.library.images.setFault(fault)
                    failures.note(fault, isRecorded: true)
                } catch {
                    core.log.error("\(error)")
                    failures.note(fault, isRecorded: false)
                }
            }
        }
        if meaning.restsChart(isDoubtful: failures.isDoubtful(work.chart)) { rests.note("\(error)", of: work.chart, at: core.time.now) }
        for image in images where failures[image.name] != nil { core.listeners.report(.failed(image.name)) }
        if meaning.isDueAtOnce { core.look.soon() }
    }

    /// Reconciles after a while: no event reports that a full disk has space again, or that a missing program is back.
    private func lookWhenPassed() { core.upkeep.requestLook(for: .failedImage, at: core.time.now + CacheKeeper.fullLasts) }

    /// Reads from the library which images could not be made, in this run or earlier ones, and removes outdated records there.
    func recallFailures(of set: WantedSet, present: Set<ImageName>, knowsAllMarks: Bool) throws(LibraryError) {
        let faults = try core.library.images.faults().filter { $0.image != nil }
        let wanted = Set(set.images.map(\.name))
        let charts = Set(set.images.map(\.inputs.chart))
        failures.recall(faults, wanted: wanted.subtracting(present))
        let isOver = { (fault: RenderFault) in
            guard let image = fault.image else { return false }
            if present.contains(image) { return true }
            // Other records stay: a narrow scope does not include all marks on a chart, and a chart outside the coming plans may come back.
            return knowsAllMarks && charts.contains(fault.chart) && !wanted.contains(image)
        }
        try core.library.images.remove(faults.filter(isOver))
    }
}

/// The latest annotated images, with the marks that they show: most of each image can be reused for the next image of its page.
///
/// Limited to the pages being marked: otherwise the marks of a whole library would be in memory.
struct LastAnnotated {
    typealias Entry = (name: ImageName, marks: PageMarks)

    private var entries: [WantedImage.Page: (image: Entry, number: Int)] = [:]
    private var count = 0
    private var points = 0

    /// A few megabytes, and more pages than anybody marks at a time.
    private static let mostPages = 64
    private static let mostPoints = 100_000

    init() {}

    subscript(page: WantedImage.Page) -> Entry? { entries[page]?.image }

    /// Notes a page's last image.
    mutating func note(_ image: Entry, of page: WantedImage.Page) {
        remove(page)
        count += 1
        entries[page] = (image, count)
        points += Self.points(in: image)
        while entries.count > Self.mostPages || points > Self.mostPoints,
            let oldest = entries.min(by: { $0.value.number < $1.value.number })
        {
            remove(oldest.key)
        }
    }

    /// Drops the pages for which `isKept` is false.
    mutating func keep(only isKept: (WantedImage.Page) -> Bool) {
        for page in entries.keys where !isKept(page) { remove(page) }
    }

    private mutating func remove(_ page: WantedImage.Page) {
        if let former = entries.removeValue(forKey: page) { points -= Self.points(in: former.image) }
    }

    private static func points(in image: Entry) -> Int { image.marks.marks.reduce(0) { $0 + $1.points.count } }
}
