import Agent
import CommandLine
package import Model

extension Status {
    /// For programs: all that `woodshed ready` prints, and more.
    package var json: JSONText {
        .object(
            verdict.members + [
                (
                    "cache",
                    [
                        "images": .integer(cache.images), "bytes": .integer(cache.size.bytes), "limit": .integer(cache.limit.bytes),
                        "free": .integer(cache.free.bytes), "least_free": .integer(cache.leastFree.bytes),
                    ]
                ),
                ("agent_running", .boolean(agent.isRunning)), ("agent", agent.report?.jsonText ?? .null),
                ("problems", .list(problems.map(JSONText.text))),
            ])
    }
}

extension AgentReport {
    fileprivate var jsonText: JSONText {
        let reach = polls.reach.map { JSONText.text($0.rawValue) } ?? .null
        return [
            "version": .text(version), "process": .integer(Int(process)), "since": .time(since), "paused": .boolean(pause != nil),
            "paused_until": .time(pause?.until),
            "polls": [
                "running": .boolean(polls.isRunning), "last_try": .time(polls.lastTry), "reach": reach, "last_good": .time(polls.lastGood),
                "next": .time(polls.next), "downloads": .integer(polls.downloads), "downloaded": .integer(polls.downloaded),
                "setbacks": .list(polls.setbacks.map(\.jsonText)),
            ],
            "rendering": [
                "waiting": .list(
                    rendering.lanes.map { ["lane": .text($0.name), "pages": .integer($0.pages), "images": .integer($0.images)] }),
                "running": .list(rendering.running.map { ["chart": .text($0.chart.digest.hex), "page": .integer($0.page.number)] }),
                "workers": .integer(rendering.workers), "most_workers": .integer(rendering.mostWorkers),
            ],
            "watching": [
                "folders": .integer(watching.folders), "missing": .list(watching.missing.map(JSONText.text)),
                "scanned": .list(watching.scanned.map(JSONText.text)), "trouble": watching.trouble.map(JSONText.text) ?? .null,
            ],
            "marks": .list(marks.map(\.jsonText)), "complaints": .list(complaints.map(JSONText.text)),
        ]
    }
}

extension Setback {
    fileprivate var jsonText: JSONText { ["subject": .text(subject), "message": .text(message)] }
}
