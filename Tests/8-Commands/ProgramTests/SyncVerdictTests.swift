import DemoService
import Glibc
import Library
import Model
import Platform
import StandInSupport
import TestSupport
import Testing

/// `woodshed sync` and `woodshed ready --plan all`, as built, agree with and without an agent.
@Suite(.onLoop, .serialized)
struct SyncVerdictTests {
    /// The damage or the change that is made after a sync, before the commands report.
    enum State: String, CaseIterable {
        case nothing, imageRemoved, imageDamaged, imageCut, chartRemoved, planHeldBack, marksUnreadable, chartChangedAtTheService
    }

    @LoopActor private func bring(_ place: Place, to state: State) async throws {
        func images() throws -> [String] {
            let pages = place.home.path("cache/pages")
            return try Folder.names(in: pages).flatMap { chart in
                try Folder.names(in: "\(pages)/\(chart)").filter { $0.contains("-plain-") }.map { "\(pages)/\(chart)/\($0)" }
            }.sorted()
        }
        switch state {
        case .nothing: break
        case .imageRemoved: unlink(try images()[3])
        case .imageDamaged:
            let path = try images()[3]
            var bytes = try AtomicFile.read(path, limit: 1 << 24)
            bytes[bytes.count / 2] ^= 1
            let file = try Descriptor.open(path, O_WRONLY)
            try bytes.withUnsafeBytes { try file.write($0) }
        case .imageCut: truncate(try images()[3], 70)
        case .chartRemoved: unlink(place.home.path("data/charts/") + (try Folder.names(in: place.home.path("data/charts")).sorted()[0]))
        case .planHeldBack: try place.service.edit(.shrinkPlan(plan: "67810002", keep: 2))
        case .marksUnreadable:
            let path = place.home.path("music/own.marks.json")
            try AtomicFile.write(MarkText.native("79073904", [MarkText.Dot(page: 0, x: 0.5)]), to: path)
            #expect(try await place.run("sync").exit == .code(0))
            try AtomicFile.write("rubbish", to: path)
        case .chartChangedAtTheService: try place.service.edit(.replaceChartWith(attachment: "79073916", other: "piano-album"))
        }
    }

    @Test(arguments: State.allCases, [false, true])
    @LoopActor func syncEndsAsReadyDoes(state: State, hasAgent: Bool) async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let agent = hasAgent ? try Program("woodshed", ["agent", "--home", place.home.path]) : nil
        if let agent { try await waitUntil { try agent.messagesSoFar().contains("asleep") } }
        try await bring(place, to: state)
        let sync = try await place.run("sync")
        let ready = try await place.run("ready", "--plan", "all")
        let isLasting = state == .planHeldBack || state == .marksUnreadable
        #expect(sync.exit == ready.exit, "\(sync.messages)\(ready.output)")
        #expect(sync.exit == .code(isLasting ? 3 : 0), "\(sync.messages)")
        if state == .planHeldBack {
            #expect(sync.messages.contains("'woodshed accept 67810002 --home \(place.home.path)'"), "\(sync.messages)")
        }
        if state == .marksUnreadable {
            #expect(sync.messages.split(separator: "\n").count { $0.contains("own.marks.json") } == 1, "once: \(sync.messages)")
        }
        guard let agent else { return }
        agent.child.kill(SIGTERM)
        #expect(try await agent.result().exit == .code(0))
    }

    @Test @LoopActor func whatPollsMetIsSaidUntilTheServiceAnswersInFull() async throws {
        let place = try Place()
        place.service.setFault(.serverError, on: .schedules)
        #expect(try await place.run("sync").exit != .code(0))
        let never = try await place.run("ready")
        #expect(never.exit == .code(3) && never.output.hasPrefix("Not ready: the service has never answered in full"), "\(never.output)")
        place.service.setFault(nil, on: .schedules)
        #expect(try await place.run("sync").exit == .code(0))

        let faults: [(DemoFault, DemoRoute, String)] = [
            (.redirectElsewhere, .items, ""), (.invalidJSON, .attachments, ""), (.unauthorised, .schedules, "token"),
        ]
        for (fault, route, words) in faults {
            place.service.setFault(fault, on: route)
            #expect(try await place.run("sync").exit != .code(0))
            let ready = try await place.run("ready")
            let said = ready.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(ready.output.hasPrefix("Ready: ") && ready.exit == .code(0), "\(ready.output)")
            #expect(said.contains(", so there may be newer charts: ") && said.contains(words), "\(said)")
            #expect(try await place.run("status").output.contains("Not updated since "))
            place.service.setFault(nil, on: route)
        }
        #expect(try await place.run("sync").exit == .code(0))
        #expect(try await !place.run("ready").output.contains("Not updated since"))
    }

    @Test @LoopActor func whatWasSyncedJustNowIsYoung() async throws {
        let place = try Place()
        #expect(try await place.run("sync").exit == .code(0))
        let library = try Library(folder: place.home.path("data"))
        try library.recordPoll(at: try #require(try library.lastPoll) - .seconds(1800), now: true)
        library.close()
        #expect(try await place.run("ready", "--max-age", "15min").exit == .code(3))
        #expect(try await place.run("sync").exit == .code(0))
        #expect(try await place.run("ready", "--max-age", "15min").exit == .code(0))
    }
}
