import Catalogue
import ChartFiles
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Library

/// Processes that are killed in the middle of a library's work.
@Suite(.onLoop, .needs(.kill))
struct KillTests {
    @Test @LoopActor func aProcessKilledAnywhereLeavesAWholeLibrary() async throws {
        let home = TemporaryFolder()
        let place = home.path
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<8 {
            let microseconds = Int.random(in: 2_000..<60_000, using: &generator)
            await #expect(processExitsWith: .signal(SIGALRM)) { [place = place as String, microseconds = microseconds as Int] in
                // Without a handler, this signal ends the process at any point, as a kill does.
                var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 0, tv_usec: microseconds))
                setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
                _ = Loop.shared.run {
                    var round: Int64 = 0
                    while true {
                        round += 1
                        try? KillTests.work(place, round)
                    }
                }
            }
            let library = try Library(folder: place + "/data")
            #expect(try library.database.rows("PRAGMA integrity_check") { $0.text(0) } == ["ok"])
            #expect(try library.database.rows("PRAGMA foreign_key_check") { $0.text(0) } == [])
            for name in try library.chartFiles() {
                let hash = try #require(ChartFileName.chartHash(ofFile: name), "\(name)")
                #expect(Samples.hash(try AtomicFile.read(library.charts.path(of: hash), limit: 1000)) == hash)
            }
            for attachment in try library.plans.all().flatMap(\.attachments) {
                if let chart = try library.charts.chart(of: attachment.id) { #expect(try library.charts.hasBytes(of: chart.hash)) }
            }
            // Every plan was reported, and every link leads to a chart.
            let told = Set(try library.journal.entries().map(\.change.sentence))
            for plan in try library.plans.all() {
                #expect(told.contains(LibraryChange.planAdded(.init(plan.plan)).sentence))
            }
            _ = try library.linkCharts(into: home.path("music"))
            #expect(try !library.linkCharts(into: home.path("music")).hasChanges)
            library.close()
        }
    }

    @LoopActor private static func work(_ place: String, _ round: Int64) throws {
        let library = try Library(folder: place + "/data")
        for plan in 0..<6 {
            let attachments = (0..<4).map { Samples.attachment("\(plan)-\($0)", updated: round) }
            try library.plans.update([Samples.contents("\(plan)", day: plan * 20, attachments: attachments)], at: Samples.monday)
            for attachment in attachments { try library.download(Samples.pdf("\(attachment.id) \(round % 3)"), for: attachment) }
            _ = try library.linkCharts(into: place + "/music")
        }
        _ = try library.pruneWatched(now: Samples.monday + .seconds(60 * 86400))
        library.close()
    }
}
