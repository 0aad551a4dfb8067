package import CommandLine
import Model

extension CacheStatistics {
    /// Prints the images by variant and by plan, the limits, and how well the cache has done.
    package func print(on output: Output) {
        output.result("Page images in \(folder)".printable)
        output.result("")
        var kinds = TextTable(["variant", "images", "size"], alignments: [.left, .right, .right])
        for (variant, present) in variants { kinds.add([.init(variant.rawValue), "\(present.images)", "\(present.size)"]) }
        kinds.add(["all", "\(total.images)", "\(total.size)"])
        kinds.print(on: output)
        output.result("")
        if let needs {
            needs.print(on: output)
            output.result("")
        }
        if let problem { output.warning(problem.printable) }
        for line in limitLines + tallyLines { output.result(line) }
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

    private var tallyLines: [String] {
        func list(_ counts: [(String, Int)]) -> String {
            let sum = counts.reduce(0) { $0 + $1.1 }
            let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
            return "\(sum)" + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
        }
        return [
            "Shown so far: \(tally.hits) from the cache, \(tally.waits) drawn while someone waited.",
            "Missing so far when a plan needed them or someone asked: "
                + list(MissReason.allCases.map { ($0.rawValue.split(separator: "-").joined(separator: " "), tally.misses[$0] ?? 0) }) + ".",
            "Removed to meet the limits so far: " + list(TrimReason.allCases.map { ("for \($0.rawValue)", tally.removals[$0] ?? 0) }) + ".",
        ]
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
