package import CommandLine
package import Model
package import PageCache

/// The outcome of clearing the cache, or a part of it.
package struct ClearOutcome {
    package let choice: ClearChoice
    package let removed: Int
    package let freed: ByteCount
    package let failures: [TrimReport.Failure]
    /// How many of the removed images the next sync or agent makes again; `nil` if that is not known.
    package let again: Int?

    package init(choice: ClearChoice, removed: Int, freed: ByteCount, failures: [TrimReport.Failure], again: Int?) {
        self.choice = choice
        self.removed = removed
        self.freed = freed
        self.failures = failures
        self.again = again
    }

    package func print(on output: Output) {
        output.result("\(choice.what): removed \(removed.counted("image")), \(freed)".printable)
        if !choice.spared.isEmpty {
            output.result(
                "\(choice.spared.count.counted("chart")) kept, since another upcoming or pinned plan shows \(choice.spared.count == 1 ? "it" : "them"): \(choice.spared.joined(separator: ", "))"
                    .printable)
        }
        if let again, removed > 0 {
            output.result(
                again == 0
                    ? "No upcoming or pinned plan needs any of them; none will be drawn again."
                    : "\(again) of them \(again == 1 ? "is" : "are") needed by upcoming or pinned plans; the next sync or the agent draws \(again == 1 ? "it" : "them") again."
            )
        }
        if let failure = failures.first {
            output.warning("\(failures.count.counted("image")) could not be removed: \(failure.error)".printable)
        }
    }

    package var json: JSONText {
        [
            "what": .text(choice.what), "images": .integer(removed), "bytes": .integer(freed.bytes),
            "kept_charts": .list(choice.spared.map(JSONText.text)), "made_again": again.map(JSONText.integer) ?? .null,
            "failed": .integer(failures.count),
        ]
    }
}
