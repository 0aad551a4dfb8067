import Model
import Platform
import TestSupport
import Testing

@testable import Library

@Suite(.onLoop, .timeLimit(.minutes(15)))
struct DownloadFaultRecordTests {
    private let home = TemporaryFolder()
    private let chart = Samples.attachment("a")

    @Test @LoopActor func aReasonIsWrittenOnceAndGoesWithItsVersion() throws {
        let library = try Library(folder: home.path)
        // Of what no plan shows nobody asks.
        try library.note(downloadFault: "down", of: chart)
        #expect(try library.downloadFaults().isEmpty)

        try library.update([Samples.contents("1", attachments: [chart])], at: Samples.monday)
        try library.note(downloadFault: "down", of: chart)
        #expect(try library.downloadFaults().reason(of: chart) == "down")
        let bytes = try library.diskBytes()
        try library.note(downloadFault: "down", of: chart)
        #expect(try library.diskBytes() == bytes)

        var newer = chart
        newer.updatedAt = Samples.monday + .seconds(86_400)
        #expect(try library.downloadFaults().reason(of: newer) == nil)
        try library.note(downloadFault: "worse", of: newer)
        #expect(try library.downloadFaults().reason(of: newer) == "worse")
        #expect(try library.downloadFaults().count == 1)
    }
}
