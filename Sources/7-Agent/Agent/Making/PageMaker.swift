import Catalogue
import Freshness
import Glibc
import Keeping
import Library
import Marks
import Model
import PageCache
import Platform
import Rendering

/// Has the images made that are due, page by page, and remembers which could not be made.
@LoopActor
final class PageMaker {
    private let parts: Agent.Parts
    private let settings: RenderSettings
    private let keeper: CacheKeeper
    private let wanted: Wanted
    private let upkeep: Upkeep
    private let look: LookAnew
    private let listeners: Listeners
    /// Called with each image that was made.
    private let made: @LoopActor (ImageName) -> Void

    private(set) lazy var queue = RenderQueue(width: parts.renderer.width) { [weak self] work in await self?.make(work) }
    /// Images that could not be made, until they are.
    private(set) var failures = ImageFailures()
    private var doubts = DoubtfulCharts()
    private var lastAnnotated = LastAnnotated()
    /// Images made since the start.
    private(set) var count = 0

    init(
        _ parts: Agent.Parts, _ settings: RenderSettings, keeper: CacheKeeper, wanted: Wanted, upkeep: Upkeep, look: LookAnew,
        listeners: Listeners, made: @escaping @LoopActor (ImageName) -> Void
    ) {
        self.parts = parts
        self.settings = settings
        self.keeper = keeper
        self.wanted = wanted
        self.upkeep = upkeep
        self.look = look
        self.listeners = listeners
        self.made = made
    }

    /// The charts that rest because several of their pages took the renderer down, and until when.
    var resting: [ChartHash: Moment] { doubts.resting(at: parts.time.now) }

    /// When the next of those charts is due.
    var nextRested: Moment? { doubts.next(after: parts.time.now) }

    /// Lets all of them be tried: a person asked for it.
    func forgive() { doubts.forgive() }

    /// Queues what is missing, replacing what was waiting.
    func queue(_ missing: [WantedImage]) {
        queue.replaceWaiting(with: missing.filter(failures.mayTry), apart: failures.pages)
    }

    /// Drops annotated images that are no longer a basis for new ones: those of pages that are not wanted, or drawn by another renderer.
    func forgetAnnotated(isOfOtherRenderer: Bool) {
        if isOfOtherRenderer { lastAnnotated = LastAnnotated() }
        lastAnnotated.keep { wanted.plainImages[$0] != nil }
    }

    /// Has the images of one page made, and publishes each under its own name.
    private func make(_ work: PageWork) async {
        var due = work.images
        var pageMarks: PageMarks?
        if let marks = work.marks {
            do {
                pageMarks = try await keeper.drawnMarks.marks(marks, on: work.page, of: work.chart)
                // The marks changed between queueing and starting: an image under the old name without those marks would be a lie.
                if pageMarks == nil, !Task.isCancelled { return look.soon() }
            } catch {
                note(error, about: due.filter { $0.inputs.variant == .annotated }, of: work)
                due.removeAll { $0.inputs.variant == .annotated }
            }
        }
        // If it was broken off before it began, it is still due.
        guard !Task.isCancelled else { return }
        // This also considers what was found out since it was queued, and what was made for somebody who looked at it. A chart that rests
        // is due again after its rest.
        let mayTry = !doubts.isResting(work.chart, at: parts.time.now)
        let images = mayTry ? due.filter { failures.mayTry($0) && !parts.cache.contains($0.name) } : []
        if !images.isEmpty { _ = await make(images, of: work, marks: pageMarks, in: .background) }
        guard !Task.isCancelled else { return }
        listeners.tellProgress()
        // The page that has just been made still counts.
        if queue.pageCount == 1 { endStretch() }
    }

    /// Finishes a stretch of rendering: nothing is waiting any more.
    func endStretch() {
        keeper.flush()
        if let all = wanted.inCache { upkeep.hold(all, in: parts.cache) }
        if wanted.mayFitMore { look.soon() }
    }

    /// Has images of one page made and publishes them. If that fails, notes why and answers the error.
    func make(_ images: [WantedImage], of work: PageWork, marks pageMarks: PageMarks?, in lane: RenderLane) async -> (any Error)? {
        let rooms = keeper.roomsMade
        do {
            do {
                try await draw(images, of: work, marks: pageMarks, in: lane)
            } catch  where Self.isDiskFull(error) {
                let hasRoom = try await makeRoom(for: images, since: rooms)
                // No event tells when a full disk has room again.
                upkeep.tryAgain(.failedImage, after: CacheKeeper.fullLasts, parts.time) { [look] in look.soon() }
                guard hasRoom else { throw error }
                // Only once: whoever fills the disk may be faster than we are.
                try await draw(images.filter { !parts.cache.contains($0.name) }, of: work, marks: pageMarks, in: lane)
            }
        } catch {
            note(error, about: images, of: work)
            return error
        }
        return nil
    }

    /// Has images of one page made and publishes them.
    private func draw(_ images: [WantedImage], of work: PageWork, marks pageMarks: PageMarks?, in lane: RenderLane) async throws {
        guard !images.isEmpty else { return }
        // Whoever looks at a page may wait as long as they like.
        let patience = lane == .background && failures.isDoubtful(work.chart) ? DoubtfulCharts.patience : nil
        let path = parts.library.charts.path(of: work.chart)
        try parts.library.charts.check(work.chart)
        var files: [(image: WantedImage, file: TemporaryFile)] = []
        for image in images { files.append((image, try parts.cache.begin(image.name))) }
        let outputs = files.map {
            PageJob.Output($0.image.inputs.variant, key: $0.image.inputs.key, descriptor: $0.file.descriptor)
        }
        let composed = try await compose(images, marks: pageMarks, into: outputs[0], in: lane)
        let outcome =
            if let composed {
                composed
            } else {
                try await parts.renderer.render(
                    PageJob(
                        chart: path, page: work.page, settings: settings, outputs: outputs, marks: pageMarks,
                        fonts: images.lazy.compactMap(\.inputs.fonts).first, patience: patience), in: lane)
            }
        doubts.noteSuccess(of: work.chart)
        if composed == nil { try parts.library.images.note(lostContent: outcome.lostContent, on: work.page, of: work.chart) }
        for warning in outcome.warnings {
            parts.log.warning("\(parts.library.title(of: work.chart)), \(work.page): \(warning)")
        }
        for (image, file) in files {
            try publish(file, as: image, with: images)
            if image.inputs.variant == .annotated, let pageMarks {
                lastAnnotated.note((image.name, pageMarks), of: image.page)
            }
        }
        if keeper.isBeyondLimits { look.soon() }
    }

    private static func isDiskFull(_ error: any Error) -> Bool {
        switch error {
        case let failure as RenderFailure: failure.isDiskFull
        case PageCacheError.system(let error): error.isDiskFull
        case let error as SystemError: error.isDiskFull
        default: false
        }
    }

    /// Trims what is worth less than these images, at least one of which found no room on the disk.
    private func makeRoom(for images: [WantedImage], since rooms: Int) async throws -> Bool {
        guard let all = wanted.inCache, let renderer = wanted.renderer, let image = images.first(where: { !parts.cache.contains($0.name) })
        else {
            return false
        }
        return try await keeper.makeRoom(for: image, count: images.count, since: rooms, wanted: all, by: renderer)
    }

    /// Makes an annotated image without the PDF, if that is all that is missing of its page; `nil` if it has to be drawn.
    private func compose(
        _ images: [WantedImage], marks: PageMarks?, into output: PageJob.Output, in lane: RenderLane
    ) async throws(RenderFailure) -> PageOutcome? {
        guard images.count == 1, let marks, images[0].inputs.variant == .annotated, wanted.isOfSameRenderer(images[0].inputs),
            let name = wanted.plainImages[images[0].page], let plain = open(name)
        else { return nil }
        let former = lastAnnotated[images[0].page]
        let file = former.flatMap { open($0.name) }
        let previous = file.flatMap { file in
            former.map { ComposeJob.Previous(descriptor: file.numbers[0], key: $0.name.key, marks: $0.marks) }
        }
        defer { withExtendedLifetime((plain, file)) {} }
        do throws(RenderFailure) {
            return try await parts.renderer.compose(
                ComposeJob(
                    plain: plain.numbers[0], plainKey: name.key, previous: previous, marks: marks, paper: settings.paper,
                    output: output, fonts: images[0].inputs.fonts), in: lane)
        } catch {
            guard error == .damagedImage else { throw error }
            // The page can be drawn from its chart all the same. The plain image goes only if it is damaged in our eyes, too, and is then
            // drawn again along with this one.
            if await parts.cache.verify([name]).bad.contains(name) {
                let title = parts.library.title(of: images[0].inputs.chart)
                parts.log.warning("\(title), \(images[0].page.index): its plain image was damaged; both are being redrawn")
                look.soon()
            }
            return nil
        }
    }

    private func open(_ name: ImageName) -> OwnedDescriptors? {
        guard let file = parts.cache.open(name) else { return nil }
        return OwnedDescriptors([file.release()])
    }

    private func publish(_ file: TemporaryFile, as image: WantedImage, with images: [WantedImage]) throws(PageCacheError) {
        guard try parts.cache.publish(file, as: image.name) else {
            // Its folder was removed meanwhile by somebody, who has every right to: a hint like any other.
            return look.soon()
        }
        count += 1
        wanted.learnSize()
        keeper.noteMade(image)
        made(image.name)
        listeners.tell(.published(image.name))
        guard let fault = failures.forget(image.name)?.fault else { return }
        do {
            try parts.library.images.remove([fault])
        } catch {
            parts.log.error("\(error)")
        }
    }

    private func note(_ error: any Error, about images: [WantedImage], of work: PageWork) {
        let failure = error as? RenderFailure
        // We broke it off ourselves: it is still due, and nothing is wrong with it.
        if failure == .stopped || failure == .cancelled { return }
        // Under its new name, which depends on the fonts, it is due now.
        if failure == .fontsChanged { look.soon() }
        parts.log.warning("\(parts.library.title(of: work.chart)), \(work.page) could not be rendered: \(error)")
        let variants = images.map(\.inputs.variant)
        // Was it the page, or the marks on it? Making the images separately will tell.
        let isAmbiguous = variants.contains(.annotated) && variants.count > 1
        // Each further page of a doubtful chart is tried once.
        let most = failures.isDoubtful(work.chart) ? 1 : RenderFailure.mostMisfortunes
        for image in images where !parts.cache.contains(image.name) {
            guard let failure, failure.isLasting || failure.tookTheRendererDown else {
                // The disk or the renderer's program failed: that says nothing about the page.
                failures.notePassing("\(error)", of: image.name)
                // No event tells when that has passed.
                upkeep.tryAgain(.failedImage, after: CacheKeeper.fullLasts, parts.time) { [look] in look.soon() }
                continue
            }
            // What may be the fault of the marks is not held against the page beneath them.
            let former = failures[image.name]?.fault?.tries ?? 0
            let tries = failure.isLasting ? former + (isAmbiguous ? 0 : 1) : former + 1 + RenderFailure.mostMisfortunes - most
            let fault = RenderFault(
                chart: image.inputs.chart, image: image.name, tag: image.inputs.tag, reason: "\(failure)", tries: tries,
                isFinal: !isAmbiguous && (failure.isLasting || tries >= RenderFailure.mostMisfortunes), at: parts.now)
            do {
                try parts.library.images.setFault(fault)
                failures.note(fault, isRecorded: true)
            } catch {
                parts.log.error("\(error)")
                failures.note(fault, isRecorded: false)
            }
        }
        var wasHeldUp = false
        if case .heldUp = failure { wasHeldUp = true }
        if wasHeldUp || failure?.tookTheRendererDown == true && failures.isDoubtful(work.chart) {
            doubts.noteFailure(of: work.chart, at: parts.time.now)
        }
        for image in images where failures[image.name] != nil { listeners.tell(.failed(image.name)) }
        // What may have been the machine's fault is tried once more; a full disk waits for the next hint.
        let isOfChangedChart = (error as? LibraryError)?.isOfChangedChart == true
        if wasHeldUp || failure?.tookTheRendererDown == true || failure?.isLasting == true && isAmbiguous || isOfChangedChart {
            look.soon()
        }
    }

    /// Recalls from the library which images could not be made, in this run or before, and removes there what is no longer of use.
    func recallFailures(of set: WantedSet, present: Set<ImageName>, knowsAllMarks: Bool) throws(LibraryError) {
        let faults = try parts.library.images.faults().filter { $0.image != nil }
        let wanted = Set(set.images.map(\.name))
        let charts = Set(set.images.map(\.inputs.chart))
        failures = failures.recalled(faults, wanted: wanted.subtracting(present))
        let isOver = { (fault: RenderFault) in
            guard let image = fault.image else { return false }
            if present.contains(image) { return true }
            // A narrow scope does not see every mark on a chart, and a chart that is in no coming plan may come back.
            return knowsAllMarks && charts.contains(fault.chart) && !wanted.contains(image)
        }
        try parts.library.images.remove(faults.filter(isOver))
    }
}
