import CommandLine
import CommandTestSupport
import Model
import Platform
@testable import Commands
import TestSupport
import Testing

@testable import Agent
@testable import Sync

@Suite(.onLoop)
struct SyncProgressTests {
    private static func progress(plansRead: Int = 1000, downloads: Int = 0, uncounted: Int = 0, wait: ServiceWait? = nil) -> Progress {
        Progress(
            plans: 1000, plansRead: plansRead, downloads: DownloadProgress(charts: 4, done: downloads), wanted: 9, missing: 9, pages: 3,
            missingPages: 2, uncounted: uncounted,
            wait: wait)
    }

    @Test @LoopActor func aLongWaitIsAnnouncedOnce() {
        let captured = CapturedOutput()
        let bars = SyncProgress(output: captured.output, clock: HandClock())
        for seconds in [1, 17, 16, 9] { bars.show(Self.progress(wait: ServiceWait(.seconds(seconds), isAsked: false))) }
        bars.show(Self.progress())
        bars.show(Self.progress(wait: ServiceWait(.seconds(5), isAsked: true)))
        #expect(
            captured.messages == """
                Waiting 17 s, to stay within half of the service's rate limit…
                Waiting 5 s, as the service asks…

                """)
    }

    /// Meanwhile the next plan's charts arrive: a bar for these would begin anew with the charts of the others.
    @Test @LoopActor func plansAreCountedWhileTheyAreRead() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: true, showsMessages: true))
        let bars = SyncProgress(output: captured.output, clock: HandClock())
        bars.show(Self.progress(plansRead: 120, downloads: 1))
        #expect(captured.messages.contains("Reading") && captured.messages.contains("120/1000 plans"), "\(captured.messages)")
        #expect(!captured.messages.contains("Downloading"))
    }

    @Test @LoopActor func pagesAreNotCountedAgainstANumberThatStillGrows() {
        let captured = CapturedOutput(terminal: Terminal(showsResults: true, showsMessages: true))
        let bars = SyncProgress(output: captured.output, clock: HandClock())
        for uncounted in [4, 1] { bars.show(Self.progress(downloads: 4, uncounted: uncounted)) }
        #expect(captured.messages.contains("Counting pages") && captured.messages.contains("0/4 charts"), "\(captured.messages)")
        #expect(!captured.messages.contains("Rendering"))
        bars.show(Self.progress(downloads: 4))
        #expect(captured.messages.contains("Rendering") && captured.messages.contains("1/3 pages"), "\(captured.messages)")
    }
}
