import Freshness
import Glibc
import Keeping
import Library
import Marks
public import Model
import PlanningCenter
import Platform
public import Rendering
import Sync

extension Agent {
    /// What only a running agent knows.
    public func report(version: String, since: Timestamp, watching: AgentReport.Watching = AgentReport.Watching()) -> AgentReport {
        AgentReport(
            version: version, process: getpid(), since: since, pause: isPaused ? AgentReport.Pause(until: pausedUntil) : nil,
            polls: pollReport, rendering: renderReport, watching: watching, marks: markFolders.troubles, complaints: complaints,
            uncounted: counter.uncounted.isEmpty ? nil : counter.uncounted.byHash)
    }

    /// Whether the last reports are where a caller will look for them: in the catalogue on the disk.
    private var tellsOfDisk: Bool { parts.library.isInPlace && !parts.library.isOnlyInMemory }

    private var pollReport: AgentReport.Polls {
        let state = pollState ?? PollClock.State()
        let downloads = polling.downloads
        return AgentReport.Polls(
            isRunning: !polling.polls.isEmpty && !isPaused, lastTry: state.lastEnd,
            reach: state.lastOutcome.map { AgentReport.Polls.Reach($0.reach) },
            refusedSince: state.refusedSince, refusedTimes: state.refusals > 0 ? state.refusals : nil,
            lastGood: tellsOfDisk ? (try? parts.library.lastPoll) ?? nil : nil, next: state.next,
            downloads: polling.polls.isEmpty ? 0 : downloads.progress.charts,
            downloaded: polling.polls.isEmpty ? 0 : downloads.progress.done,
            wait: polling.polls.isEmpty ? nil : parts.service.wait,
            noMarksAt: parts.service.noMarksAt, setbacks: state.lastOutcome?.setbacks ?? [],
            refusals: downloads.refused.all.map { AgentReport.Refusal($0.attachment, $0.setback.message) })
    }

    private var renderReport: AgentReport.Rendering {
        AgentReport.Rendering(
            lanes: maker.queue.lanes, running: maker.queue.runningPages.map { AgentReport.Rendering.Page($0.chart, $0.index) },
            workers: parts.renderer.processCount, mostWorkers: maker.queue.width)
    }

    /// What is wrong apart from the service and marks, one sentence each.
    public var complaints: [String] {
        let room = wanted.withheld.isEmpty ? [] : [keeper.reasonToWithhold(wanted.withheld.count)]
        let failed = maker.failures.passing.sorted { $0.key < $1.key }.map { reason, count in
            "\(count == 1 ? "1 image" : "\(count) images") could not be made and will be tried again: \(reason)"
        }
        let trouble = looks.trouble.map { "what needs to be made could not be determined and will be tried again: \($0)" }
        return polling.catalogue.complaints + room + doubted
            + Self.folded(counter.uncounted.reasons, "could not be counted and will be tried again") + leftAlone + failed
            + (trouble.map { [$0] } ?? [])
    }

    /// Charts of which several pages took the renderer down.
    private var doubted: [String] {
        let resting = maker.resting
        return maker.failures.doubtful.map { chart, pages in
            let next = resting[chart].map { "the next in \(($0 - parts.time.now).components.seconds / 60 + 1) min" } ?? "after all others"
            return "\(pages.count) pages of \(parts.library.title(of: chart)) crashed the renderer; each of its other pages is tried "
                + "once, for at most \(DoubtfulCharts.patience.components.seconds) s, \(next)"
        }.sorted()
    }

    /// Charts that are left alone without the library knowing it, since it could not be written.
    private var leftAlone: [String] {
        let unwritten = counter.leftAlone.filter { hash, _ in
            ((try? parts.library.images.fault(of: hash)) ?? nil)?.isFinal != true
        }
        let reasons = unwritten.values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return Self.folded(reasons, "could not be counted and will be tried again with the next '\(woodshed("sync"))'")
    }

    /// One line for each reason; if there are very many, for instance because each names a file of its own, only for some.
    private static func folded(_ reasons: [String: Int], _ what: String) -> [String] {
        func pages(_ count: Int) -> String { count == 1 ? "the pages of 1 chart" : "the pages of \(count) charts" }
        let sorted = reasons.sorted { $0.key < $1.key }
        let rest = sorted.dropFirst(mostReasons).reduce(0) { $0 + $1.value }
        return sorted.prefix(mostReasons).map { "\(pages($1)) \(what): \($0)" }
            + (rest == 0 ? [] : ["\(pages(rest)) \(what), for similar reasons"])
    }
    private static var mostReasons: Int { 3 }
}

extension AgentReport.Polls.Reach {
    init(_ reach: PollOutcome.Reach) {
        switch reach {
        case .reached: self = .reached
        case .offline: self = .offline
        case .notAuthorised: self = .notAuthorised
        }
    }
}

extension Agent {
    /// Which renderer draws pages, which decides what images are called.
    public func renderer() async throws(RenderFailure) -> RendererIdentity { try await parts.renderer.identity() }
}
