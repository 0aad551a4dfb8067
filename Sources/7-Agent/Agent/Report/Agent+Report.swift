import Freshness
import Glibc
import ImageKeeping
import Library
import Marks
public import Model
import PlanningCenter
import Platform
public import Readiness
import Rendering
import Sync

extension Agent {
    /// The readiness of everything in this agent's scope, with every byte checked: the same result as `ReadinessCheck` gives
    /// without an agent.
    ///
    /// Damaged files are made or fetched again first, so call this when all other work is done.
    public func readiness() async throws -> ReadinessReport {
        let report = try await check()
        let lacks = report.plans.flatMap(\.charts).flatMap(\.lacks)
        let isChartDamaged = lacks.contains { if case .fileChanged = $0 { true } else { false } }
        guard isChartDamaged || lacks.contains(where: { if case .damaged = $0 { true } else { false } }) else { return report }
        if isChartDamaged, offlineSince == nil { _ = await poll() }
        // The check has removed the damaged images: have them made again.
        reconcile()
        await settled()
        return try await check()
    }

    private func check() async throws -> ReadinessReport {
        try await check(wants.listedPlans(in: core.settings.scope, now: core.now), isThorough: true)
    }

    func check(_ plans: [PlanContents], isThorough: Bool) async throws -> ReadinessReport {
        let renderer = try await core.renderer.identity()
        let check = ReadinessCheck(
            library: core.library, cache: core.cache, wants: wants, keeper: keeper, renderer: renderer, marks: core.settings.marks.roots)
        return try await check.report(
            of: plans,
            ReadinessCheck.Circumstances(
                now: core.now, isThorough: isThorough,
                refusals: Dictionary(polling.downloads.refused.all.map { ($0.attachment, $0.setback.message) }) { first, _ in first },
                uncounted: counter.uncounted.byChart, asked: core.settings.asked, source: source))
    }
}

extension Agent {
    /// The agent's state, for `woodshed status`.
    public func report(version: String, since: Timestamp, watching: AgentReport.Watching = AgentReport.Watching()) -> AgentReport {
        let uncounted = Dictionary(uniqueKeysWithValues: counter.uncounted.byChart.map { ($0.key.digest.hex, $0.value) })
        return AgentReport(
            version: version, process: getpid(), since: since, pause: isPaused ? AgentReport.Pause(until: pausedUntil) : nil,
            polls: pollReport, rendering: renderReport, watching: watching, marks: markFolders.troubles, complaints: complaints,
            unkept: polling.catalogue.unkept, room: room, uncounted: uncounted.isEmpty ? nil : uncounted)
    }

    /// Whether the time of the last poll is in the catalogue on disk, where callers look for it.
    private var tellsOfDisk: Bool { core.library.isInPlace && !core.library.isOnlyInMemory }

    private var pollReport: AgentReport.Polls {
        let state = pollState ?? PollClock.State()
        let downloads = polling.downloads
        return AgentReport.Polls(
            isRunning: !polling.polls.isEmpty && !isPaused, lastTry: state.lastEnd,
            reach: state.lastOutcome?.reach,
            refused: state.refusedSince.map { AgentReport.Polls.Refused(since: $0, times: state.refusals) },
            lastGood: tellsOfDisk ? (try? core.library.lastPoll) ?? nil : nil, next: state.next,
            downloads: polling.polls.isEmpty ? 0 : downloads.progress.charts,
            downloaded: polling.polls.isEmpty ? 0 : downloads.progress.done,
            wait: polling.polls.isEmpty ? nil : core.service?.wait,
            noMarksAt: core.service?.noMarksAt, setbacks: state.lastOutcome?.setbacks ?? [],
            refusals: downloads.refused.all.map { AgentReport.Refusal(attachment: $0.attachment, message: $0.setback.message) })
    }

    private var renderReport: AgentReport.Rendering {
        AgentReport.Rendering(
            lanes: maker.queue.lanes, running: maker.queue.runningPages.map { AgentReport.Rendering.Page($0.chart, $0.index) },
            workers: core.renderer.processCount, mostWorkers: maker.queue.width)
    }

    /// Problems except those with the service and marks, one sentence each.
    public var complaints: [String] {
        let failed = maker.failures.passing.sorted { $0.key < $1.key }.map { reason, count in
            "\(count == 1 ? "1 image" : "\(count) images") could not be made and will be tried again: \(reason)"
        }
        let trouble = core.upkeep.trouble.map { "what needs to be made could not be determined and will be tried again: \($0)" }
        return polling.catalogue.complaints + (room.map { [$0] } ?? []) + doubted
            + Self.folded(counter.uncounted.reasons, "could not be counted and will be tried again") + leftAlone + failed
            + (planPDFs?.complaints ?? []) + (band?.complaints ?? []) + (trouble.map { [$0] } ?? [])
    }

    /// Why there is no room for images; `nil` if there is room for all.
    private var room: String? {
        core.wanted.withheld.isEmpty ? nil : keeper.reasonToWithhold(core.wanted.withheld.count).description
    }

    /// Whether a complaint says that there is no room for images.
    public var isShortOfRoom: Bool { !core.wanted.withheld.isEmpty }

    /// Whether the log says so.
    public var hasToldOfRoom: Bool { isShortOfRoom && core.wanted.withheldAsTold == core.wanted.withheld.count }

    /// Charts with several pages that crashed the renderer.
    private var doubted: [String] {
        let resting = maker.resting
        return maker.failures.doubtful.map { chart, pages in
            let next = resting[chart].map { "the next in \(($0 - core.time.now).components.seconds / 60 + 1) min" } ?? "after all others"
            return "\(pages.count) pages of \(core.library.title(of: chart)) crashed the renderer; each of its other pages is tried "
                + "once, for at most \(ImageFailures.patience.components.seconds) s, \(next)"
        }.sorted()
    }

    /// Charts that are no longer tried in this run, although the library has no record of that, since it could not be written.
    private var leftAlone: [String] {
        let unwritten = counter.leftAlone.filter { hash, _ in
            ((try? core.library.images.fault(of: hash)) ?? nil)?.isFinal != true
        }
        let reasons = unwritten.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return Self.folded(reasons, "could not be counted and will be tried again with the next '\(woodshed("sync"))'")
    }

    /// One line for each of a few reasons, and one for all the others: there may be very many, for instance if each names a different file.
    private static func folded(_ reasons: [String: Int], _ what: String) -> [String] {
        func pages(_ count: Int) -> String { count == 1 ? "the pages of 1 chart" : "the pages of \(count) charts" }
        let sorted = reasons.sorted { $0.key < $1.key }
        let rest = sorted.dropFirst(mostReasons).reduce(0) { $0 + $1.value }
        return sorted.prefix(mostReasons).map { "\(pages($1)) \(what): \($0)" }
            + (rest == 0 ? [] : ["\(pages(rest)) \(what), for similar reasons"])
    }
    private static var mostReasons: Int { 3 }
}
