import CommandLine
import Freshness
import Model

/// The contents of the page cache.
struct CacheStatistics {
    struct Needs {
        /// Images of one use, each counted for the nearest plan that shows it.
        struct Row {
            let use: ImageUses.Use
            var present = ImageCount()
            /// How many there should be; `nil` for a use that nothing is made ahead for.
            var wanted: Int?
            var isPinned = false
        }

        let uses: ImageUses
        /// Plans first, the nearest first.
        let rows: [Row]
        /// Images that are wanted, but not made because there is no room.
        let withheld: Int
        /// Why there is no room.
        let reason: String?
    }

    let folder: String
    let total: ImageCount
    let limits: CacheLimits
    let disk: DiskSpace
    /// Nil if the renderer does not start, since without it the names of the wanted images are not known.
    var needs: Needs?
    /// Why `needs` is missing.
    var problem: String?

    init(folder: String, entries: [CacheEntry], limits: CacheLimits, disk: DiskSpace) {
        (self.folder, self.limits, self.disk) = (folder, limits, disk)
        total = ImageCount(entries)
    }
}

extension CacheStatistics.Needs {
    init(entries: [CacheEntry], uses: ImageUses, pinned: Set<PlanID>, withheld: Int, reason: String?) {
        (self.uses, self.withheld, self.reason) = (uses, withheld, reason)
        var rows: [ImageUses.Use: Row] = [:]
        for use in uses.all { rows[use] = Row(use: use) }
        for (rank, plan) in uses.wanted.plans.enumerated() {
            rows[.plan(plan)]?.wanted = uses.wanted.images.count { $0.priority.planRank == rank }
            rows[.plan(plan)]?.isPinned = pinned.contains(plan)
        }
        for entry in entries { rows[uses.use(of: entry.name)]?.present.add(entry.size) }
        self.rows = uses.all.compactMap { rows[$0] }
    }
}

extension CacheStatistics {
    /// Prints the images by plan, and the limits.
    func print(on output: Output) {
        output.result("\(total.images.counted("page image")), \(total.size), in \(folder)".printable)
        output.result("")
        if let needs {
            needs.print(on: output)
            output.result("")
        }
        if let problem { output.warning(problem.printable) }
        for line in limitLines { output.result(line) }
    }

    private var limitLines: [String] {
        let isOver = total.size > limits.bytes
        let isShort = disk.free < limits.leastFree
        var lines = [
            "Limit: \(limits.bytes) for all images; they take up \(total.size)\(isOver ? ", which is over the limit" : "").",
            "Disk: \(disk.free) of \(disk.total) free; \(limits.leastFree) must stay free\(isShort ? ", so it is short" : "").",
            limits.greatestAge.map { "Age: images that no plan needs are removed \(DurationText.text(of: $0)) after they were last shown." }
                ?? "Age: images are not removed for their age.",
        ]
        if let reason = needs?.reason { lines.append("Withheld: \(reason).") }
        return lines
    }
}

extension CacheStatistics.Needs {
    fileprivate func print(on output: Output) {
        var table = TextTable(["for", "images", "size", ""], alignments: [.left, .right, .right, .left])
        for row in rows where row.wanted != nil || row.present.images > 0 {
            let images = row.wanted.map { "\(row.present.images) of \($0)" } ?? "\(row.present.images)"
            table.add([.init(uses.words(row.use)), .init(images), "\(row.present.size)", row.isPinned ? "pinned" : ""])
        }
        table.print(on: output)
    }
}

extension CacheStatistics {
    /// The JSON of `woodshed cache stats`.
    static let form = JSONForm<CacheStatistics>(
        [.init("folder", "where the images are", \.folder)]
            + ImageCount.form("how many there are", "what they take up").fields(of: \.total) + [
                .list("uses", "what they are there for, the nearest plan first; null if not known", of: Needs.form) { statistics in
                    statistics.needs.map { needs in needs.rows.map { ($0, needs.uses) } }
                },
                .init("problem", "why it is not known what they are there for", \.problem),
                .object(
                    "limits",
                    of: JSONForm<CacheLimits>([
                        .init("bytes", "what images may take up", \.bytes),
                        .init("least_free", "how much must stay free on the disk", \.leastFree),
                        .init("greatest_age", "after how many seconds an image that no plan needs is removed", \.greatestAge),
                    ])
                ) { $0.limits },
                .object(
                    "disk",
                    of: JSONForm<DiskSpace>([
                        .init("total", "how large the disk is", \.total), .init("free", "how much of it is free", \.free),
                    ])
                ) { $0.disk },
                .init("withheld", "how many images are not made for lack of room") { $0.needs?.withheld },
                .init("withheld_reason", "the same in words") { $0.needs?.reason },
            ])
}

extension CacheStatistics.Needs {
    fileprivate static let form = JSONForm<(row: Row, uses: ImageUses)>(
        JSONForm(ImageUses.fields("plan, far, past or none")).fields { ($0.row.use, $0.uses) } + [
            .init("name", "what it is called") { $0.uses.plan($0.row.use)?.displayName },
            .init("first_time", "its first time") { $0.uses.plan($0.row.use)?.firstTime },
            .init("pinned", "whether it is pinned", \.row.isPinned), .init("wanted", "how many images it needs", \.row.wanted),
        ] + ImageCount.form("how many are there for it", "what those take up").fields(of: \.row.present))
}
