import Agent
import CommandLine
import Platform
import Sync

/// The progress of a sync: first the charts' bytes, then pages.
@LoopActor
final class SyncProgress {
    private let output: Output
    private let clock: any TimeKeeper
    private var downloads: ProgressBar?
    private var pages: ProgressBar?

    init(output: Output, clock: any TimeKeeper) {
        self.output = output
        self.clock = clock
    }

    func show(_ progress: Progress) {
        let charts = progress.downloads
        if charts.done < charts.charts {
            let bar =
                downloads ?? ProgressBar("Downloading", unit: charts.announcedBytes > 0 ? .bytes : "charts", output: output, clock: clock)
            downloads = bar
            // The size of charts that the service makes on demand is not known beforehand.
            let total = max(charts.announcedBytes, charts.bytes)
            charts.announcedBytes > 0 ? bar.update(done: charts.bytes, total: total) : bar.update(done: charts.done, total: charts.charts)
        } else if progress.missingPages > 0 || pages != nil {
            let bar = pages ?? ProgressBar("Rendering", unit: "pages", output: output, clock: clock)
            pages = bar
            bar.update(done: progress.pages - progress.missingPages, total: progress.pages)
        }
    }

    func finish() {
        output.endLiveLine()
    }
}
