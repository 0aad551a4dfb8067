import Glibc
import Model
import Platform
import Sync
import TestSupport
import Testing

@testable import Agent

@Suite(.onLoop)
struct AgentReportTests {
    private static let time = Timestamp(nanoseconds: 1_795_000_000_000_000_000)

    private static let full = AgentReport(
        version: "0.1.0", process: 812, since: time, pause: AgentReport.Pause(until: time + .seconds(60)),
        polls: AgentReport.Polls(
            isRunning: true, lastTry: time, reach: .notAuthorised, lastGood: time, next: time, downloads: 3, downloaded: 1,
            setbacks: [Setback("Grace \"D\"", "no\nroom")],
            refusals: [AgentReport.Refusal(attachment: AttachmentID("7"), message: "no permission")]),
        rendering: AgentReport.Rendering(
            lanes: [
                AgentReport.Rendering.Lane(name: "background", pages: 2, images: 5),
                AgentReport.Rendering.Lane(name: "next page", pages: 1, images: 1),
            ],
            running: [AgentReport.Rendering.Page(ChartHash(SHA256.digest(of: "c")), PageIndex(3))], workers: 1, mostWorkers: 2),
        watching: AgentReport.Watching(folders: 9, missing: ["/m"], scanned: ["/n"], trouble: "none left"),
        marks: [Setback("/m/a.xopp", "is cut off")], complaints: ["too full"],
        uncounted: [SHA256.digest(of: "c").hex: "no room"])

    @Test(arguments: [
        full, AgentReport(version: "", process: 1, since: time), AgentReport(version: "1", process: 1, since: time, pause: .init()),
    ])
    func itIsReadAsItWasWritten(report: AgentReport) throws {
        #expect(try AgentReport(json: report.json) == report)
        #expect(report.json.starts(with: Array(#"{"agent":{"#.utf8)))
    }

    @Test func anotherFormIsRefusedWithItsNumber() {
        let text = String(decoding: Self.full.json, as: UTF8.self).replacing(#""schema":1"#, with: #""schema":2"#)
        for (text, number) in [(text, 2), (#"{"schema":7,"agent":[]}"#, 7)] {
            let other = #expect(throws: Trouble.self) { try AgentReport(json: Array(text.utf8)) }
            #expect(other?.description.contains("in form \(number), but this program expects form 1; restart the agent") == true)
        }
        for text in ["", "{}", "[]", #"{"schema":1}"#, #"{"schema":1,"agent":{"version":"1"}}"#] {
            let damaged = #expect(throws: Trouble.self) { try AgentReport(json: Array(text.utf8)) }
            #expect(damaged?.description.hasPrefix("the running agent's answer was not understood") == true, "\(text)")
        }
    }

    @Test func waitingIsSummedOverAllLanes() {
        #expect(Self.full.rendering.waitingPages == 3 && Self.full.rendering.waitingImages == 6)
    }
}
