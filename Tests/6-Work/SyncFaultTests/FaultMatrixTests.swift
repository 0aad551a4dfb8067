import Agent
import Catalogue
import DemoService
import Foundation
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

@testable import Sync

/// Every fault on every route, while a whole agent works.
@Suite(.onLoop)
struct FaultMatrixTests {
    /// One fault on one route.
    struct Case: Sendable, CustomTestStringConvertible {
        let fault: DemoFault
        let route: DemoRoute
        var testDescription: String { "\(fault) on \(route.rawValue)" }

        /// Whether the poll can end as if nothing were wrong, whatever the client does.
        var isHarmless: Bool {
            switch fault {
            case .withoutETag: true
            // Only lists have further pages.
            case .nextElsewhere, .nextInALoop: [.me, .open, .file].contains(route)
            case .changedBetweenRanges: route != .file
            default: false
            }
        }

        /// Whether a client can overcome the fault within the poll, by fetching the rest of a file.
        var mayBeOvercome: Bool {
            route == .file && [.cutOff, .lengthTooLong, .changedBetweenRanges].contains(fault)
        }

        /// Whether the service sent its plans and marks in spite of the fault: then the poll counts as good.
        func tellsEverything(_ outcome: PollOutcome) -> Bool {
            if outcome.isComplete { return true }
            return switch route {
            // A chart that did not arrive is reported in its own line.
            case .open, .file: outcome.reach == .reached
            // Forbidden marks count as an answer; marks that fail to arrive do not.
            case .layers: fault == .forbidden
            default: false
            }
        }
    }

    nonisolated static let cases = DemoFault.allCases.flatMap { fault in DemoRoute.allCases.map { Case(fault: fault, route: $0) } }

    @Test(arguments: cases) @LoopActor func faultCostsNothingThatIsHereAndIsGotOver(_ each: Case) async throws {
        let demo = try StandIn.start(
            load: DemoLoad(plans: 2, chartsPerPlan: 2, bytesPerChart: 20_000, layersPerPlan: 1))
        defer { demo.stop() }
        let folder = TemporaryFolder()
        let files = LibraryFiles(folder: folder.path("data"))
        let serviceTypes = each.route == .plans ? ["501001"] : []
        var stage = try Stage(folder, demo, serviceTypes: serviceTypes)
        let first = await stage.sync()
        try #require(first.isComplete, "\(first.setbacks)")
        // A client requests only once who the musician is, so this route needs a new client.
        if each.route == .me {
            await stage.stop()
            stage = try Stage(folder, demo)
        }
        let before = try Contents(of: stage.library)
        try edit(demo, before)
        var after = try await Stage.truth(at: demo, serviceTypes: serviceTypes)
        #expect(after.strangers(between: before, and: before).count == 5, "the edits are something to fetch")

        let heard = try #require(try stage.library.lastPoll)
        demo.setFault(each.fault, on: each.route)
        demo.resetStatistics()
        let outcome = await stage.sync()
        let isAnswered = try #require(try stage.library.lastPoll) > heard
        // A fault may have changed the file while the client fetched it.
        after.takeBytes(from: demo)
        let met = demo.statistics
        demo.setFault(nil, on: each.route)

        #expect(met.faults > 0, "the fault was not met")
        #expect(met.credentialsAtFiles == 0)
        if each.isHarmless { #expect(outcome.isComplete, "\(outcome.setbacks)") }
        if !each.isHarmless, !each.mayBeOvercome { #expect(!outcome.isComplete) }
        let during = try Contents(of: stage.library)
        if outcome.isComplete { #expect(during == after) }
        #expect(isAnswered == each.tellsEverything(outcome), "\(outcome.setbacks)")
        // `ready` reports the poll's trouble.
        let failing = try stage.library.service.failingPolls
        #expect((failing == nil) == isAnswered, "\(outcome.setbacks)")
        if let failing {
            expectPlainLine(failing.reason)
            #expect(outcome.setbacks.contains { failing.reason.contains($0.message) })
        }
        #expect(outcome.hasMarks || each.route == .layers || outcome.reach == .notAuthorised)
        #expect(during.strangers(between: before, and: after) == [])
        #expect(outcome.isComplete == outcome.setbacks.isEmpty)
        for setback in outcome.setbacks { expectPlainLine("\(setback)") }
        for line in stage.logged { expectPlainLine(line) }
        #expect(try files.faults() == [])
        #expect(try files.temporaryFiles() == [])

        let last = await stage.sync()
        #expect(last.isComplete, "\(last.setbacks)")
        #expect(try stage.library.service.failingPolls == nil)
        #expect(try Contents(of: stage.library) == after)
        #expect(try files.faults() == [])
        #expect(try files.temporaryFiles() == [])
        await stage.stop()
    }

    /// Changes something on every route.
    private func edit(_ demo: StandIn, _ contents: Contents) throws {
        let plans = contents.plans
        let charts = plans.map { $0.items[0].attachments[0].id.text }
        for chart in charts {
            let bytes = Array("%PDF-1.7\nanother \(chart)\n".utf8) + [UInt8](repeating: 0x2e, count: 30_000) + Array("\n%%EOF\n".utf8)
            try demo.edit(.replaceChart(attachment: chart, bytes: bytes))
        }
        try demo.edit(.renameItem(item: plans[0].items[1].id.text, title: "Another song"))
        try demo.edit(.addMark(layer: "marks-\(charts[0])", page: 0, mark: nil))
        try demo.edit(.setTimes(plan: plans[1].plan.id.text, starts: [Self.inAFortnight]))
    }

    private static var inAFortnight: String {
        Date(timeIntervalSince1970: Date().timeIntervalSince1970 + 14 * 86_400).formatted(.iso8601)
    }

    /// Checks a message for the musician: it is one line, without secrets or anything that acts on a terminal.
    private func expectPlainLine(_ line: String) {
        let isBlank = line.allSatisfy(\.isWhitespace), hasNewline = line.contains(where: \.isNewline)
        #expect(!isBlank && !hasNewline, "\(line)")
        let token = DemoService.token.revealed
        for secret in [DemoService.secret, token, Data(token.utf8).base64EncodedString(), "signature"] {
            #expect(!line.contains(secret), "\(line)")
        }
        #expect(!line.contains(/\?\w+=/), "no part of an address: \(line)")
    }
}
