import CommandLine
import Host
import Model
import Platform

/// Asks which charts the musician plays from, and shows which charts that choice includes and which it hides.
@LoopActor
struct SetupCharts {
    let output: Output
    let ask: Questions

    /// How many names are listed; nobody looks through more on a screen.
    private static let mostNames = 12

    /// Asks for the patterns of the wanted charts, with the `former` ones as the default. Empty for all charts. If no charts were
    /// found, returns the `former` patterns without asking.
    func patterns(for found: FoundAccount, former: [String]) async throws -> [String] {
        let names = Set(found.contents.flatMap(\.attachments).map(\.filename)).sorted()
        guard !names.isEmpty else { return former }
        let rest = former.isEmpty ? "or Enter for all" : "or * for all"
        list("\nWhat is in them", names)
        while true {
            let answer = try await ask.line(
                "Which of them do you play from? Patterns such as *lead*, *drum*, \(rest)", usual: former.joined(separator: ", "))
            let patterns = answer.split(separator: ",").map { $0.drop { $0 == " " } }.map {
                String($0.reversed().drop { $0 == " " }.reversed())
            }.filter { !$0.isEmpty }
            guard !patterns.isEmpty, patterns != ["*"] else { return [] }
            let chosen = patterns.map { FilenamePattern($0) }
            let isIn = { (name: String) in chosen.contains { $0.matches(name) } }
            list("You will see", names.filter(isIn))
            list("Hidden", names.filter { !isIn($0) })
            for contents in found.contents
            where !contents.attachments.isEmpty && !contents.attachments.contains(where: { isIn($0.filename) }) {
                output.message("Nothing would be left of \(PlanFinder.words(contents.plan)).".printable)
            }
            if try await ask.isYes("Keep this choice?", usual: names.contains(where: isIn)) { return patterns }
        }
    }

    private func list(_ heading: String, _ names: [String]) {
        output.message("\(heading): \(names.isEmpty ? "none" : names.count.counted("chart"))")
        for name in names.prefix(Self.mostNames) { output.message("  \(name.printable)") }
        if names.count > Self.mostNames { output.message("  and \(names.count - Self.mostNames) more") }
    }
}
