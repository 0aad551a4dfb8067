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
        // Faults of charts that no plan shows are not kept.
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

    /// An agent of another version may describe the same fault in other words, so the sizes, and not the words, decide since when the fault
    /// has existed.
    @Test @LoopActor func sinceWhenTheSizeHasBeenWrongIsKnownWhateverTheWords() throws {
        let library = try Library(folder: home.path)
        try library.plans.update([Samples.contents("1", attachments: [chart])], at: Samples.monday)
        let sizes = DownloadFault.Sizes(expected: 5000, found: 90)
        try library.charts.note(downloadFault: "it has the wrong size", sizes: sizes, of: chart, at: Samples.monday)
        let later = Samples.monday + .seconds(600)
        try library.charts.note(downloadFault: "its size is wrong", sizes: sizes, of: chart, at: later)
        let fault = DownloadFault(version: chart.version, reason: "its size is wrong", sizes: sizes, since: Samples.monday)
        #expect(try library.charts.downloadFaults()[chart.use] == fault)
        let others = DownloadFault.Sizes(expected: 5000, found: 91)
        try library.charts.note(downloadFault: "its size is wrong", sizes: others, of: chart, at: later)
        #expect(try library.charts.downloadFaults()[chart.use]?.since == later)
    }

    /// When the clock is set, the hour that confirms a fault starts again.
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
