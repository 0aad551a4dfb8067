import Agent
import CommandLine
import Model
import Platform
import Sync

/// Shows the progress of a sync: first reading plans, if there are many, then downloading charts, counting their pages, and
/// rendering.
@LoopActor
final class SyncProgress {
    private let form: (any PrintedForm)?
    private let output: Output
    private let clock: any TimeKeeper
    /// The bars, by their labels.
    private var bars: [String: ProgressBar] = [:]
    /// The largest number of charts so far whose pages were still to be counted, and whether the present wait has been announced.
    private var uncounted = 0
    private var hasPrintedWait = false

    /// Reports the progress to programs that read results of this `form`, or shows it to people if `form` is `nil`.
    init(for form: (any PrintedForm)? = nil, output: Output, clock: any TimeKeeper) {
        (self.form, self.output, self.clock) = (form, output, clock)
    }

    func show(_ progress: Progress) {
        print(progress.wait)
        let charts = progress.downloads
        if progress.plansRead < progress.plans {
            // Charts of the next plan already arrive while plans are read. They get no bar of their own, since their total is not known yet.
            bar("Reading", unit: "plans", settling: Self.limitSpan).update(done: progress.plansRead, total: progress.plans)
        } else if charts.done < charts.charts {
            // The size of charts that the service makes on demand is not known beforehand. If no size is known, count charts
            // instead of bytes.
            let bar = bar("Downloading", unit: charts.announcedBytes > 0 ? .bytes : "charts")
            let total = max(charts.announcedBytes, charts.bytes)
            charts.announcedBytes > 0 ? bar.update(done: charts.bytes, total: total) : bar.update(done: charts.done, total: charts.charts)
        } else if progress.uncounted > 0 {
            // A bar for pages must wait, since their number is still growing.
            uncounted = max(uncounted, progress.uncounted)
            bar("Counting pages", unit: "charts").update(done: uncounted - progress.uncounted, total: uncounted)
        } else if progress.missingPages > 0 || bars["Rendering"] != nil {
            bar("Rendering", unit: "pages").update(done: progress.pages - progress.missingPages, total: progress.pages)
        }
    }

    private func bar(_ name: String, unit: ProgressBar.Unit, settling: Duration = .seconds(3)) -> ProgressBar {
        let bar = bars[name] ?? ProgressBar(name, unit: unit, for: form, settling: settling, output: output, clock: clock)
        bars[name] = bar
        return bar
    }

    /// Announces each wait of at least 3 s once, since it might look like a standstill.
    private func print(_ wait: ServiceWait?) {
        guard let wait else { return hasPrintedWait = false }
        guard !hasPrintedWait, wait.seconds >= Self.longWait else { return }
        hasPrintedWait = true
        output.message(wait.words.prefix(1).uppercased() + wait.words.dropFirst() + "…")
    }

    private static let longWait = 3
    /// The service counts requests in spans of this length: the first come at once, and the next have to wait.
    private static let limitSpan: Duration = .seconds(20)

    func finish() { output.endLiveLine() }
}
