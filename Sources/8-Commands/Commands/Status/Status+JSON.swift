import CommandLine
import Agent
import Model
import Sync

extension Status {
    /// All fields of `woodshed ready`, and more.
    static let form = JSONForm<Status>(
        otherwise: ReadinessVerdict.form.otherwise,
        ReadinessVerdict.form.fields(of: \.verdict) + [
            .object("cache", of: CacheState.form) { $0.cache },
            .init("agent_running", "whether an agent is running on this library", \.agent.isRunning),
            .object("agent", "what it is doing; null if none is running or it does not answer", of: AgentReport.form) { $0.agent.report },
            .init("problems", "everything that is wrong, as 'woodshed status' lists it", \.problems),
        ])
}

extension AgentReport {
    fileprivate static let form = JSONForm<Self>([
        .init("version", "its version", \.version), .init("process", "the number of its process") { Int($0.process) },
        .init("since", "when it started", \.since), .init("paused", "whether it is paused") { $0.pause != nil },
        .init("paused_until", "until when, if that was given") { $0.pause?.until },
        .object("polls", of: Polls.form) { $0.polls }, .object("rendering", of: Rendering.form) { $0.rendering },
        .object("watching", of: Watching.form) { $0.watching },
        .list(
            "marks",
            of: JSONForm<Setback>([
                .init("subject", "a mark file, or something else of yours", \.subject),
                .init("message", "what is wrong with it", \.message),
            ])
        ) { $0.marks },
        .init("complaints", "whatever else is wrong, a sentence each", \.complaints),
    ])
}

extension AgentReport.Polls {
    fileprivate static let form = JSONForm<Self>([
        .init("running", "whether it is polling right now", \.isRunning), .init("last_try", "when it last polled", \.lastTry),
        .init("reach", "the outcome: reached, offline or notAuthorised") { $0.reach?.rawValue },
        .init("last_good", "when the service last answered in full", \.lastGood), .init("next", "when it polls next", \.next),
        .init("downloads", "how many charts it is fetching", \.downloads), .init("downloaded", "how many of them are here", \.downloaded),
        .list("setbacks", of: Setback.form) { $0.setbacks },
    ])
}

extension Setback {
    static let form = JSONForm<Self>([
        .init("subject", "what could not be fetched", \.subject), .init("message", "why, and what to do", \.message),
    ])
}

extension AgentReport.Rendering {
    fileprivate static let form = JSONForm<Self>([
        .list(
            "waiting",
            of: JSONForm<Lane>([
                .init("lane", "how urgent these pages are", \.name), .init("pages", "how many are waiting", \.pages),
                .init("images", "how many images they have", \.images),
            ])
        ) { $0.lanes },
        .list(
            "running",
            of: JSONForm<Page>([
                .init("chart", "SHA-256 of the chart being drawn right now", \.chart.digest.hex), .init("page", "and its page", \.page),
            ])
        ) { $0.running },
        .init("workers", "how many processes are drawing", \.workers),
        .init("most_workers", "how many there may be", \.mostWorkers),
    ])
}

extension AgentReport.Watching {
    fileprivate static let form = JSONForm<Self>([
        .init("folders", "how many folders it watches", \.folders),
        .init("missing", "folders of mark files that are missing", \.missing),
        .init("scanned", "folders that it checks once a minute, since they cannot be watched", \.scanned),
        .init("trouble", "why it is not watching anything", \.trouble),
    ])
}
