import Freshness
package import Model

/// What is in the page cache, and how well it has done.
package struct CacheStatistics {
    /// What the images are there for.
    package struct Needs {
        /// Images of one use, each counted for the nearest plan that shows it.
        package struct Row {
            package let use: ImageUses.Use
            package var present = ImageCount()
            /// How many there should be; `nil` for a use that nothing is made ahead for.
            package var wanted: Int?
            var isPinned = false
        }

        package let uses: ImageUses
        /// Plans first, the nearest first.
        package let rows: [Row]
        /// Images that are wanted, but not made because there is no room.
        package let withheld: Int
        /// Why there is no room.
        package let reason: String?
    }

    package let folder: String
    package let total: ImageCount
    let variants: [(variant: Variant, present: ImageCount)]
    package let limits: CacheLimits
    package let disk: DiskSpace
    package let tally: CacheTally
    /// Nil if the renderer does not start, since without it the names of the wanted images are not known.
    package var needs: Needs?
    /// Why `needs` is missing.
    package var problem: String?

    package init(folder: String, entries: [CacheEntry], limits: CacheLimits, disk: DiskSpace, tally: CacheTally) {
        self.folder = folder
        self.limits = limits
        self.disk = disk
        self.tally = tally
        total = ImageCount(entries)
        variants = Variant.allCases.map { variant in (variant, ImageCount(entries.lazy.filter { $0.name.variant == variant })) }
    }
}

extension CacheStatistics.Needs {
    package init(entries: [CacheEntry], uses: ImageUses, pinned: Set<PlanID>, withheld: Int, reason: String?) {
        self.uses = uses
        self.withheld = withheld
        self.reason = reason
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
