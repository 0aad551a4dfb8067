import Agent
import Library
import Model

/// Everything that `woodshed status` tells.
struct Status {
    /// The page cache against its limits.
    struct Cache: Equatable {
        let images: Int
        let size: ByteCount
        let limit: ByteCount
        /// Free on the disk that it lies on, and what is to stay free.
        let free: ByteCount
        let leastFree: ByteCount

        var isOverLimit: Bool { size > limit }
        var isDiskShort: Bool { free < leastFree }
    }

    let verdict: ReadinessVerdict
    let cache: Cache
    let agent: AgentAnswer
    /// What charts are called, for those that the agent names by their hash.
    let names: [ChartHash: String]
    /// What programs of the user's saved over charts.
    var saved = SavedCharts()

    var report: ReadinessReport { verdict.report }

    /// What is wrong and what to do, a line each; the worst first.
    var problems: [String] {
        var problems: [String] = []
        func add(_ problem: String) { if !problems.contains(problem) { problems.append(problem) } }
        if let doubt = verdict.clockDoubt { add(doubt) }
        if !verdict.isYoung {
            add(report.age.map { "the service was last heard of \(TimeText.span($0)) ago" } ?? "the service has never told everything")
        }
        for plan in report.plans {
            for lack in plan.lacks { add("\(plan.plan.displayName): \(lack.advised)") }
            // What is only still to be done stands in its chart's line.
            for chart in plan.charts {
                for lack in chart.lacks where !lack.isMereWork { add("\(chart.displayName): \(lack.advised)") }
            }
        }
        for file in report.strayMarks { add("your marks, of no chart here: \(file.path) \(file.fault)") }
        for sentence in report.unseenMarks { add(sentence) }
        // What the agent says of the same folder is enough.
        let missing = Set(agent.report?.watching.missing ?? [])
        for folder in report.markFolders where !missing.contains(folder.subject) { add("\(folder.subject): \(folder.message)") }
        if let agent = agent.report { for problem in agent.problems { add(problem) } }
        if case .silent(_, let because?) = agent { add("the agent runs and does not answer: \(because)") }
        for news in saved.news { add("\(news.found); \(news.remedy)") }
        if cache.isOverLimit { add("the page cache takes \(cache.size) of its \(cache.limit); 'woodshed cache trim' says why") }
        if cache.isDiskShort { add("the disk is short: \(cache.free) free, and \(cache.leastFree) are to stay so; free some space") }
        for plan in report.plans {
            for note in plan.notes where note != .noCharts { add("\(plan.plan.displayName): \(note.sentence)") }
            for chart in plan.charts { for note in chart.notes where note.isForTheUser { add("\(chart.displayName): \(note.sentence)") } }
        }
        return problems
    }
}

extension ReadinessLack {
    /// Whether it only waits for its turn; what an agent could not count is among its complaints, once for all.
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
        case .layersGone, .marksUntold, .olderMarks, .marksBeyond, .marksLeftOut, .moreMarksLeftOut: true
        case .formerImages, .gone, .past, .far, .noCharts: false
        }
    }
}
