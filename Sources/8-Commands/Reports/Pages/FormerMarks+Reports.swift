package import CommandLine
import Library
package import Model

/// The former states of mark files, as `woodshed layers --history` lists them.
extension [FormerMarks] {
    package var table: TextTable {
        var table = TextTable(["state", "file", "until", "marks", "missing"])
        for state in self {
            table.add([
                .init("\(state.number)"), .init(state.path), .init(TimeWords.local.minute(state.vanishedAt)), .init("\(state.marks)"),
                .init("\(state.missing)"),
            ])
        }
        return table
    }

    package var json: JSONText {
        .list(
            map { state in
                [
                    "state": .integer(state.number), "file": .text(state.path), "until": .time(state.vanishedAt),
                    "marks": .integer(state.marks), "missing": .integer(state.missing),
                ]
            })
    }
}
