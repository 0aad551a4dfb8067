package import Agent
import CommandLine
package import Model
package import Readiness

extension AgentReport {
    /// What the agent is doing, for people; `names` are the charts' names.
    package func facts(names: [ChartHash: String]) -> [(name: String, text: String)] {
        var facts = [("Agent", "running since \(TimeText.minute(since)) (process \(process))")]
        if let pause {
            facts.append(
                (
                    "Paused",
                    (pause.until.map { "until \(TimeText.minute($0))" } ?? "until you resume it") + "; '\(woodshed("resume"))' ends it"
                ))
        }
        facts.append(("Rendering", rendering.words(names)))
        facts.append(("Watching", watching.trouble == nil ? watching.folders.counted("folder") : "nothing"))
        return facts
    }

    /// What is wrong and what to do, a line each, leaving out what `lacks` already says.
    package func problems(besides lacks: [ReadinessLack] = []) -> [String] {
        let sentences = lacks.map(\.advised)
        let folders = Set(lacks.compactMap { if case .marksUnseen(let folder) = $0 { folder } else { nil } })
        var problems = polls.setbacks.filter { setback in !sentences.contains { $0.contains(setback.message) } }
            .map { "\($0.subject): \($0.message)" }
        if let trouble = watching.trouble { problems.append(trouble) }
        for root in watching.missing where !folders.contains(root) {
            problems.append("\(root) is missing or cannot be read; your marks in it stay as they were")
        }
        for root in watching.scanned { problems.append("\(root) cannot be watched; it is checked once a minute") }
        return problems + marks.filter { !folders.contains($0.subject) }.map { "\($0.subject): \($0.message)" } + complaints
    }
}

extension AgentReport.Rendering {
    fileprivate func words(_ names: [ChartHash: String]) -> String {
        let crew = "\(workers) of \(mostWorkers.counted("worker"))"
        guard waitingPages > 0 || !running.isEmpty else { return "nothing to do; " + (workers == 0 ? "no worker is running" : crew) }
        var text = "\(waitingPages.counted("page")) waiting (\(waitingImages.counted("image"))"
        let lanes = lanes.filter { $0.pages > 0 }
        if lanes.count > 1 {
            text += ": " + lanes.map { "\($0.name) \($0.pages)" }.joined(separator: ", ")
        } else if let lane = lanes.first {
            text += ", \(lane.name)"
        }
        text += "), \(crew)"
        let running = running.map { "\(names[$0.chart] ?? $0.chart.digest.shortHex) \($0.page)" }
        return text + (running.isEmpty ? "" : "; now \(running.joined(separator: ", "))")
    }
}
