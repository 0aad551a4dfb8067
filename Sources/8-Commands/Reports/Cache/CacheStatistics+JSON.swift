import CommandLine
package import Model

extension CacheStatistics {
    package var json: JSONText {
        .object(
            [("folder", .text(folder))] + total.members + [
                ("variants", .object(variants.map { ($0.variant.rawValue, $0.present.json) })),
                ("uses", needs.map { needs in .list(needs.rows.map { $0.json(needs.uses) }) } ?? .null),
                ("problem", problem.map(JSONText.text) ?? .null),
                (
                    "limits",
                    [
                        "bytes": .integer(limits.bytes.bytes), "least_free": .integer(limits.leastFree.bytes),
                        "greatest_age": limits.greatestAge.map { .integer(Int($0.components.seconds)) } ?? .null,
                    ]
                ),
                ("disk", ["total": .integer(disk.total.bytes), "free": .integer(disk.free.bytes)]),
                ("withheld", needs.map { .integer($0.withheld) } ?? .null),
                ("withheld_reason", needs?.reason.map(JSONText.text) ?? .null),
                ("hits", .integer(tally.hits)), ("waits", .integer(tally.waits)),
                ("misses", .object(MissReason.allCases.map { ($0.rawValue, .integer(tally.misses[$0] ?? 0)) })),
                ("removals", .object(TrimReason.allCases.map { ($0.rawValue, .integer(tally.removals[$0] ?? 0)) })),
            ])
    }
}

extension CacheStatistics.Needs.Row {
    fileprivate func json(_ uses: ImageUses) -> JSONText {
        .object(
            uses.json(use) + [
                ("name", uses.plan(use).map { .text($0.displayName) } ?? .null),
                ("first_time", .time(uses.plan(use)?.firstTime)), ("pinned", .boolean(isPinned)),
                ("wanted", wanted.map(JSONText.integer) ?? .null),
            ] + present.members)
    }
}
