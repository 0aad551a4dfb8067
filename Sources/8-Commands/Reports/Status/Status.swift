import Agent
package import Catalogue
import CommandLine
import Library
package import Model
package import Readiness

/// Everything that `woodshed status` shows.
package struct Status {
    /// The page cache and its limits.
    package struct Cache: Equatable {
        package let images: Int
        package let size: ByteCount
        package let limit: ByteCount
        /// How much is free on its disk, and how much should stay free.
        package let free: ByteCount
        package let leastFree: ByteCount

        package init(images: Int, size: ByteCount, limit: ByteCount, free: ByteCount, leastFree: ByteCount) {
            self.images = images
            self.size = size
            self.limit = limit
            self.free = free
            self.leastFree = leastFree
        }

        var isOverLimit: Bool { size > limit }
        var isDiskShort: Bool { free < leastFree }
    }

    package let verdict: ReadinessVerdict
    package let cache: Cache
    package let agent: AgentAnswer
    /// The names of charts, for those that the agent identifies by their hash.
    package let names: [ChartHash: String]
    /// What the user's programs saved over charts.
    package var saved = SavedCharts()
    /// What there is to say if the disk is full; an agent says it, too.
    package var fullDisk: String?

    package init(
        verdict: ReadinessVerdict, cache: Cache, agent: AgentAnswer, names: [ChartHash: String], saved: SavedCharts = SavedCharts()
    ) {
        self.verdict = verdict
        self.cache = cache
        self.agent = agent
        self.names = names
        self.saved = saved
    }

    package var report: ReadinessReport { verdict.report }

    /// What is wrong and what to do, a line each, the worst first.
    package var problems: [String] {
        var problems: [String] = []
        func add(_ problem: String) { if !problems.contains(problem) { problems.append(problem) } }
        // What happened to many charts alike gets a single line; each chart's own line says that it is one of them.
        func addOnce(_ setbacks: [Setback]) { for setback in Setback.folded(setbacks) { add("\(setback)") } }
        if let doubt = verdict.clockDoubt { add(doubt) }
        if let fullDisk, agent.report == nil { add(fullDisk) }
        if !verdict.isYoung {
            add(report.age.map { "the service last answered in full \(TimeText.span($0)) ago" } ?? "the service has never answered in full")
        }
        if let failing = verdict.failingPolls, agent.report?.polls.setbacks.isEmpty ?? true { add(failing) }
        if report.plans.isEmpty, let doubt = report.doubt { add("\(doubt.advised); run '\(woodshed("sync"))'") }
        addOnce(
            report.plans.flatMap { plan in
                plan.lacks.map { Setback(plan.plan.displayName, $0.advised) }
                    // What is simply still to be done is in its chart's own line.
                    + plan.charts.flatMap { chart in
                        chart.lacks.filter { !$0.isMereWork }.map { Setback(chart.displayName, $0.advised) }
                    }
            })
        for file in report.strayMarks { add("your marks, for an unknown chart: \(file.path) \(file.fault)") }
        for sentence in report.unseenMarks { add(sentence) }
        // What the agent says about the same folder is enough.
        let missing = Set(agent.report?.watching.missing ?? [])
        for folder in report.otherMarkFolders where !missing.contains(folder.subject) { add("\(folder.subject): \(folder.message)") }
        if let agent = agent.report { for problem in agent.problems(besides: report.lacks) { add(problem) } }
        if case .silent(_, let because?) = agent { add("the agent is running but does not answer: \(because)") }
        for news in saved.news { add("\(news.found); \(news.remedy)") }
        if cache.isOverLimit {
            add("the page cache takes up \(cache.size), more than its limit of \(cache.limit); '\(woodshed("cache trim"))' says why")
        }
        if cache.isDiskShort {
            add("the disk is nearly full: \(cache.free) free, but \(cache.leastFree) should stay free; free some space")
        }
        addOnce(
            report.plans.flatMap { plan in
                plan.notes.filter { $0 != .noCharts }.map { Setback(plan.plan.displayName, $0.sentence) }
                    + plan.charts.flatMap { chart in
                        chart.notes.filter(\.isForTheUser).map { Setback(chart.displayName, $0.sentence) }
                    }
            })
        return problems
    }
}

extension ReadinessLack {
    /// Whether it only waits for its turn; pages that an agent could not count are among its problems, once for all of them.
    var isMereWork: Bool {
        switch self {
        case .notRendered, .notCounted, .notDownloaded(because: nil), .outOfDate(because: nil): true
        default: false
        }
    }
}

extension ReadinessNote {
    /// Whether the musician can do something about it.
    fileprivate var isForTheUser: Bool {
        switch self {
        case .layersGone, .marksUntold, .olderMarks, .marksBeyond, .marksLeftOut, .moreMarksLeftOut, .copyLeftOut, .marksHidden,
            .marksVanished, .linkLeftBehind:
            true
        case .damageAccepted, .formerImages, .gone, .past, .far, .noCharts, .songsWithoutPDF: false
        }
    }
}
