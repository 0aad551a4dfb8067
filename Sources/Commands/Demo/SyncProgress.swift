import Agent
import Platform

/// The progress of a sync: charts first, then images.
@LoopActor
final class SyncProgress {
    private let output: Output
    private let clock: any TimeKeeper
    private var downloads: ProgressBar?
    private var images: ProgressBar?

    init(output: Output, clock: any TimeKeeper) {
        self.output = output
        self.clock = clock
    }

    func show(_ progress: Progress) {
        if progress.downloads.done < progress.downloads.charts {
            let bar = downloads ?? ProgressBar("Downloading", unit: "charts", output: output, clock: clock)
            downloads = bar
            bar.update(done: progress.downloads.done, total: progress.downloads.charts)
        } else if progress.missing > 0 || images != nil {
            let bar = images ?? ProgressBar("Rendering", unit: "images", output: output, clock: clock)
            images = bar
            bar.update(done: progress.wanted - progress.missing, total: progress.wanted)
        }
    }

    func finish() {
        output.endLiveLine()
    }
}
