import Freshness
import Library
import Model
import PageCache
import Platform
import Rendering

extension Agent {
    /// Has the images of one page made, and publishes each under its own name.
    func render(_ work: PageWork) async {
        let pageMarks = work.marks.flatMap { marks[$0] }
        // The marks changed between queueing and starting: an image under the old name without them would be a lie.
        guard work.marks == nil || pageMarks != nil else { return reconcile() }
        do {
            var files: [(image: WantedImage, file: TemporaryFile)] = []
            for image in work.images { files.append((image, try parts.cache.begin(image.name))) }
            let outcome = try await parts.renderer.render(
                PageJob(
                    chart: parts.library.path(of: work.chart), page: work.page, settings: settings.render,
                    outputs: files.map {
                        PageJob.Output($0.image.inputs.variant, key: $0.image.inputs.key, descriptor: $0.file.descriptor)
                    },
                    marks: pageMarks))
            for warning in outcome.warnings {
                parts.log.warning("chart \(work.chart.digest.shortHex), \(work.page): \(warning)")
            }
            for (image, file) in files {
                if try parts.cache.publish(file, as: image.name) {
                    tally.rendered += 1
                } else {
                    // Its folder was removed under it, by whoever may do so: a hint like any other.
                    reconcile()
                }
            }
        } catch {
            note(error, about: work)
        }
        missing -= work.images.count
        missingPages = max(missingPages - 1, 0)
        tellProgress()
    }

    private func note(_ error: any Error, about work: PageWork) {
        let failure = error as? RenderFailure
        // Broken off by us: it is still due, and nothing is wrong with it.
        if failure == .stopped || failure == .cancelled { return }
        parts.log.warning("chart \(work.chart.digest.shortHex), \(work.page) could not be rendered: \(error)")
        tally.failed += work.images.count
        // What may pass (a full disk, a missing program) is tried again at the next hint; what lies in the page is not.
        guard failure?.isLasting == true else { return }
        for image in work.images { failed[image.name] = "\(error)" }
    }
}
