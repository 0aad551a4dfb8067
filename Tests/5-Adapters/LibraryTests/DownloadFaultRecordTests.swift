import Catalogue
import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop)
struct DownloadFaultRecordTests {
    private let home = TemporaryFolder()
    private let chart = Samples.attachment("a")

    @Test @LoopActor func aReasonIsWrittenOnceAndGoesWithItsVersion() throws {
        let library = try Library(folder: home.path)
        // Of what no plan shows nobody asks.
        try library.charts.note(downloadFault: "down", of: chart, at: Samples.monday)
        #expect(try library.charts.downloadFaults().isEmpty)

        try library.plans.update([Samples.contents("1", attachments: [chart])], at: Samples.monday)
        try library.charts.note(downloadFault: "down", of: chart, at: Samples.monday)
        #expect(try library.charts.downloadFaults().reason(of: chart) == "down")
        let bytes = try library.diskBytes()
        try library.charts.note(downloadFault: "down", of: chart, at: Samples.monday)
        #expect(try library.diskBytes() == bytes)

        var newer = chart
        newer.updatedAt = Samples.monday + .seconds(86_400)
        #expect(try library.charts.downloadFaults().reason(of: newer) == nil)
        try library.charts.note(downloadFault: "worse", of: newer, at: Samples.monday)
        #expect(try library.charts.downloadFaults().reason(of: newer) == "worse")
        #expect(try library.charts.downloadFaults().count == 1)
    }

    /// What an hour is to confirm begins anew where the clock was set.
    @Test @LoopActor func sinceWhenIsCountedByOneClockOnly() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [chart])], at: Samples.monday)
        try library.charts.note(downloadFault: "down", of: chart, at: Samples.monday)
        let later = Samples.monday + .seconds(600)
        try library.charts.note(downloadFault: "down", of: chart, at: later)
        #expect(try library.charts.downloadFaults()[chart.use]?.since == Samples.monday)
        try library.service.record(clockAhead: .seconds(7200), at: later)
        #expect(try library.charts.downloadFaults()[chart.use]?.since == later)
    }
}
