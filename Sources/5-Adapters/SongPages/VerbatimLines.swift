/// How the lines of a part that are drawn as they stand fit, such as tablature: in their column or, if its letters would be too small, across
/// the page. All strings of a system, the lines without another between them, have letters of one size.
struct VerbatimLines {
    private struct Fit {
        var scale: Double
        var width: Double
        var isAcross = false
    }

    private var fits: [Int: Fit] = [:]

    /// In smaller letters, a line is as hard to read as a broken one.
    private static let good = 0.8
    /// The smallest letters. Longer lines are broken, and nobody plays from them.
    private static let least = (former: 0.45, present: 0.2)

    /// A page that lines may go across. Lengths are in ems.
    struct Page {
        let width: Double
        /// The size of letters that can be read from a stand. Lines with smaller ones go across the page.
        let legible: Double

        /// In points.
        private static let legible = 7.0

        init(width: Double, size: Double) { (self.width, legible) = (width / size, Self.legible / size) }
    }

    /// `page` is given if lines may go across it. The first three layouts broke long lines.
    init(of part: [SongLines.Line], _ slots: [Slot], width: Double, page: Page?, layout: Int) {
        let least = layout > 3 ? Self.least.present : Self.least.former
        var systems: [[Int]] = []
        for (number, line) in part.enumerated() {
            guard case .verbatim = line else { continue }
            if systems.last?.last == number - 1 { systems[systems.count - 1].append(number) } else { systems.append([number]) }
        }
        func widest(_ lines: [Int]) -> Double {
            lines.reduce(0) { widest, number in
                guard case .verbatim(let slot) = part[number] else { return widest }
                return max(widest, slots[slot].room)
            }
        }
        let isAcross = { (system: [Int]) in
            guard let page, width < page.width else { return false }
            return widest(system) * min(1, page.legible / Face.verbatim.size) > width
        }
        // What fits a column has letters of the usual size, even below what does not.
        let kinds = Dictionary(grouping: systems) { [isAcross($0), layout > 3 && widest($0) <= width] }
        for (kind, systems) in kinds {
            let (lines, isAcross) = (Array(systems.joined()), kind[0])
            let room = isAcross ? page?.width ?? width : width
            let longest = widest(lines)
            let fit = Fit(scale: longest > room ? max(room / longest, least) : 1, width: room, isAcross: isAcross)
            for number in lines { fits[number] = fit }
        }
    }

    func isAcross(_ number: Int) -> Bool { fits[number]?.isAcross ?? false }

    func isGood(_ number: Int) -> Bool { fits[number].map { $0.scale >= Self.good } ?? true }

    func rows(of slot: Slot, _ number: Int) -> [Row] {
        guard let fit = fits[number] else { return [] }
        let (scale, width) = (fit.scale, fit.width)
        let count = max(1, Int((slot.room * scale / width - 1e-9).rounded(.up)))
        var face = slot.face
        face.size *= scale
        var letters = slot.text[...]
        let perRow = letters.isEmpty ? 1 : max(1, Int(Double(slot.text.count) * width / max(slot.room * scale, width)))
        return (0..<count).map { _ in
            let text = String(letters.prefix(count == 1 ? letters.count : perRow))
            letters = letters.dropFirst(text.count)
            let row = Row.Run(x: 0, text: text, width: min(width, slot.room * scale), face: face)
            // Across the page, the strings are as close as their letters' size allows.
            return Row(runs: [row], end: row.width, leading: max(fit.isAcross ? slot.face.size * scale : scale, 0.6))
        }
    }
}
