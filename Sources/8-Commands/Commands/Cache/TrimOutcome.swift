import CommandLine
import Freshness
import Model
import PageCache

struct TrimOutcome {
    /// Images that are removed for the same reason and had the same use.
    struct Group {
        let reason: TrimReason
        let use: ImageUses.Use
        let count: ImageCount
    }

    let uses: ImageUses
    let isDry: Bool
    /// In the order of removal.
    let groups: [Group]
    let total: ImageCount
    /// How far images remain over their limit, and how much the disk still lacks, when only pinned plans' images are left.
    let excess: ByteCount
    let shortage: ByteCount
    let failures: [TrimReport.Failure]

    /// The outcome of a decision; `report` says how it was carried out, and is `nil` if it was not.
    init(_ decision: TrimDecision, _ report: TrimReport?, uses: ImageUses) {
        self.uses = uses
        isDry = report == nil
        excess = decision.excess
        shortage = decision.shortage
        failures = report?.failed ?? []
        let gone = report.map { Set($0.removed) }
        let removals = decision.removals.filter { gone?.contains($0.entry.name) ?? true }
        total = ImageCount(removals.map(\.entry))

        struct Key: Hashable {
            let reason: TrimReason
            let use: ImageUses.Use
        }
        var order: [Key] = []
        var counts: [Key: ImageCount] = [:]
        for removal in removals {
            let key = Key(reason: removal.reason, use: uses.use(of: removal.entry.name))
            if counts[key] == nil { order.append(key) }
            counts[key, default: ImageCount()].add(removal.entry.size)
        }
        groups = order.map { Group(reason: $0.reason, use: $0.use, count: counts[$0] ?? ImageCount()) }
    }

    var isEnough: Bool { excess.bytes == 0 && shortage.bytes == 0 && failures.isEmpty }

    func print(on output: Output) {
        if !groups.isEmpty {
            var table = TextTable(["why", "of", "images", "size"], alignments: [.left, .left, .right, .right])
            for group in groups {
                table.add([.init(group.reason.rawValue), .init(uses.words(group.use)), "\(group.count.images)", "\(group.count.size)"])
            }
            table.print(on: output)
        }
        output.result(
            total.images == 0
                ? isDry ? "Nothing would be removed." : "Nothing was removed."
                : (isDry ? "Would remove " : "Removed ") + total.words + ".")
        let needed = groups.reduce(0) { uses.plan($1.use) == nil ? $0 : $0 + $1.count.images }
        if needed > 0 {
            output.message(
                "Upcoming or pinned plans need \(needed) of them; the next sync or the agent draws them again, as far as the limits allow.")
        }
        if excess.bytes > 0 {
            output.warning("images of pinned plans alone take up \(excess) more than allowed; they stay until you unpin a plan")
        }
        if shortage.bytes > 0 { output.warning("the disk is still short of \(shortage), and only images of pinned plans are left") }
        if let failure = failures.first {
            output.warning("\(failures.count.counted("image")) could not be removed: \(failure.error)".printable)
        }
    }

    /// The JSON of `woodshed cache trim`.
    static let form = JSONForm<TrimOutcome>(
        [.init("dry_run", "whether this was only a dry run", \.isDry)]
            + ImageCount.form("how many images were removed, or would be", "what they took up").fields(of: \.total) + [
                .list("removals", of: groupForm) { outcome in outcome.groups.map { ($0, outcome.uses) } },
                .init("excess", "by how much the images of pinned plans exceed the limit", \.excess),
                .init("shortage", "how much the disk is still short of", \.shortage),
                .init("failed", "how many could not be removed", \.failures.count),
            ])

    private static let groupForm = JSONForm<(group: Group, uses: ImageUses)>(
        [.init("reason", "size, disk or age", \.group.reason.rawValue)]
            + JSONForm(ImageUses.fields("what they were there for: plan, far, past or none")).fields { ($0.group.use, $0.uses) }
            + ImageCount.form("how many", "what they took up").fields(of: \.group.count))
}
