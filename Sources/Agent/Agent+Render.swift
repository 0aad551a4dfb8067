import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering

/// An image that could not be made.
struct ImageFailure: Hashable, Sendable {
    let reason: String
    /// How often it was tried.
    let tries: Int
    /// Whether asking again would give the same answer: it lies in the page, or it took the renderer down more than once.
    let isFinal: Bool
}

extension Agent {
    /// Has the images of one page made, and publishes each under its own name.
    func render(_ work: PageWork) async {
        let pageMarks = work.marks.flatMap { marks[$0] }
        // The marks changed between queueing and starting: an image under the old name without them would be a lie.
        guard work.marks == nil || pageMarks != nil else { return reconcile() }
        do {
            let path = parts.library.path(of: work.chart)
            try charts.check(work.chart, at: path)
            var files: [(image: WantedImage, file: TemporaryFile)] = []
            for image in work.images { files.append((image, try parts.cache.begin(image.name))) }
            let outcome = try await parts.renderer.render(
                PageJob(
                    chart: path, page: work.page, settings: settings.render,
                    outputs: files.map {
                        PageJob.Output($0.image.inputs.variant, key: $0.image.inputs.key, descriptor: $0.file.descriptor)
                    },
                    marks: pageMarks))
            for warning in outcome.warnings {
                parts.log.warning("chart \(work.chart.digest.shortHex), \(work.page): \(warning)")
            }
            for (image, file) in files { try publish(file, as: image.name) }
        } catch {
            note(error, about: work)
        }
        tellProgress()
    }

    private func publish(_ file: TemporaryFile, as name: ImageName) throws(PageCacheError) {
        guard try parts.cache.publish(file, as: name) else {
            // Its folder was removed under it, by whoever may do so: a hint like any other.
            return reconcile()
        }
        failures[name] = nil
        tally.rendered += 1
    }

    private func note(_ error: any Error, about work: PageWork) {
        let failure = error as? RenderFailure
        // Broken off by us: it is still due, and nothing is wrong with it.
        if failure == .stopped || failure == .cancelled { return }
        parts.log.warning("chart \(work.chart.digest.shortHex), \(work.page) could not be rendered: \(error)")
        for image in work.images where !parts.cache.contains(image.name) {
            let tries = (failures[image.name]?.tries ?? 0) + 1
            let isFinal = failure?.isLasting == true || failure?.tookTheRendererDown == true && tries >= Self.mostMisfortunes
            failures[image.name] = ImageFailure(reason: "\(error)", tries: tries, isFinal: isFinal)
        }
        // What may have been the machine's doing is tried once more; a full disk waits for the next hint.
        if failure?.tookTheRendererDown == true || error is ChartCondition.Changed { reconcile() }
    }
}
