import CommandLine
import Library
import Model

/// The result of `woodshed accept`; `what` is empty if there was nothing left to accept.
struct Accepted: Answer {
    /// The id of a plan or chart, a folder, or an account.
    let name: String
    var what: [String] = []
    /// The result in words for people, a line each.
    var words: [String]

    static let form = JSONForm<Accepted>([
        .init("name", "what it is about: the id of a plan or chart, a folder, or an account", \.name),
        .init(
            "accepted",
            "plan, marks, pages, newer_version, vanished_marks, older_marks, gone_files or account; empty if nothing was left to accept",
            \.what),
        .init("words", "the same in words", \.words),
    ])

    func print(on output: Output) { for line in words { output.result(line.printable) } }
}

extension AcceptedOfChart {
    var names: [String] {
        let all: [(AcceptedOfChart, String)] = [
            (.marks, "marks"), (.pages, "pages"), (.newerVersion, "newer_version"), (.vanishedMarks, "vanished_marks"),
            (.olderMarks, "older_marks"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
