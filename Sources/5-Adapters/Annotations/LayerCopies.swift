import JSON
public import LayerJoin
public import Model

/// Copies marks of another layer or another program into the musician's own layer, as edits.
public enum LayerCopies {
    /// Copies those `marks` that are new to `layer`, in drawing order.
    ///
    /// A copy's id is a hash of the mark without its id and its time. So copying a mark twice adds nothing, even if the first copy
    /// was changed or deleted since. A mark equal to one shown in `layer`, perhaps read back from an exported PDF, is not copied.
    ///
    /// Marks that `areBrought` from another chart have the ids of their copies already, which `named` gave them.
    public static func of(
        _ marks: [Mark], newTo layer: JoinedLayer, at now: Timestamp, areBrought: Bool = false
    ) throws -> [LayerValue] {
        var copies: [Mark] = []
        let present = layer.marks.compactMap { value in value.mark.flatMap { try? JSONReader.decode(Mark.self, from: $0.bytes) } }
        var ids = Set(try leadingToCopies(present).flatMap { [try copy($0).id, try copy(returned($0)).id] })
        var last = Timestamp(nanoseconds: .min)
        let sources = try areBrought ? marks : leadingToCopies(marks)
        for mark in sources.sorted(by: { ($0.createdAt ?? now) < ($1.createdAt ?? now) }) {
            var copy = try areBrought ? mark : copy(mark)
            guard ids.insert(copy.id).inserted, layer.edits(of: MarkID(copy.id)).isEmpty else { continue }
            // Give each copy a later time than the one before, because marks with equal times would be sorted by their ids.
            let next = last + .nanoseconds(1)
            last = max(mark.createdAt ?? now, next)
            copy.createdAt = last
            copies.append(copy)
        }
        return try LayerDocument(NativeLayerWriter.write(MarkFile(marks: copies))).layer.marks
    }

    /// The marks of a chart's layer with the ids that their copies on any other chart have. Such an id is a hash of the chart, and of the mark
    /// as it is there. So bringing a mark to another chart twice adds nothing, even if its place there would be found differently.
    public static func named(_ marks: [Mark], of chart: AttachmentID) throws -> [Mark] {
        let names = try marks.map { "from-" + SHA256.digest(of: "\(chart) \(try copy($0).id)").hex.prefix(24) }
        let landings = Dictionary(zip(marks.map(\.id), names)) { first, _ in first }
        return zip(marks, names).map { mark, name in
            var mark = mark
            (mark.id, mark.leads) = (name, mark.leads.map { landings[$0] ?? $0 })
            return mark
        }
    }

    /// The same marks, with each jump leading to the copy of its landing.
    private static func leadingToCopies(_ marks: [Mark]) throws -> [Mark] {
        let landings = try Dictionary(marks.filter { $0.kind == .landing }.map { ($0.id, try copy($0).id) }) { first, _ in first }
        return marks.map { mark in
            var mark = mark
            mark.leads = mark.leads.map { landings[$0] ?? $0 }
            return mark
        }
    }

    /// Whether a mark can be seen on its page. Copies of invisible marks would only clutter the layer.
    public static func isSeen(_ mark: Mark) -> Bool { mark.reasonsNotToBeSeen.isEmpty }

    /// A mark as it is read back from an exported PDF: with its corners in order, its numbers rounded, and without the fields that
    /// other programs do not use.
    private static func returned(_ mark: Mark) -> Mark {
        func rounded(_ value: Double) -> Double { (value * 1e5).rounded() / 1e5 }
        var mark = mark
        (mark.key, mark.unknown) = (nil, [:])
        if mark.kind == .eraser {
            // An eraser paints in the paper's colour, so its own colour does not matter.
            mark = Mark(
                id: mark.id, page: mark.page, kind: .eraser, width: mark.width, points: mark.points, fill: mark.fill, dash: mark.dash,
                cap: mark.cap)
        }
        mark.width = rounded(mark.width)
        mark.points = mark.points.map { Mark.Point(x: rounded($0.x), y: rounded($0.y), width: $0.width.map(rounded)) }
        if [.rectangle, .ellipse].contains(mark.kind), mark.points.count == 2 {
            let (first, second) = (mark.points[0], mark.points[1])
            mark.points = [
                Mark.Point(x: min(first.x, second.x), y: min(first.y, second.y)),
                Mark.Point(x: max(first.x, second.x), y: max(first.y, second.y)),
            ]
        }
        return mark
    }

    private static func copy(_ mark: Mark) throws -> Mark {
        var copy = mark
        (copy.id, copy.createdAt, copy.on) = ("", nil, nil)
        copy.id = "copy-" + SHA256.digest(of: try NativeLayerWriter.write(MarkFile(marks: [copy]))).hex.prefix(24)
        return copy
    }
}
