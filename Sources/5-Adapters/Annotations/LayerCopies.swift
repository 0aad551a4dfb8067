import JSON
public import LayerJoin
public import Model

/// Marks of another layer, or of another program's file, as edits of one's own layer.
public enum LayerCopies {
    /// Copies of those of `marks` that are new to `layer`, in the order in which they are drawn.
    ///
    /// A copy's id is made from the mark's looks, so a second copy of the same mark is the same one, and keeps what became of the first. A
    /// mark that looks like one shown in `layer` is not copied at all.
    public static func of(_ marks: [Mark], newTo layer: JoinedLayer, at now: Timestamp) throws -> [LayerValue] {
        var copies: [Mark] = []
        var ids = Set(
            try layer.marks.compactMap { value in
                value.mark.flatMap { try? JSONReader.decode(Mark.self, from: $0.bytes) }
            }.flatMap { [try copy($0).id, try copy(returned($0)).id] })
        var last = Timestamp(nanoseconds: .min)
        for mark in marks.sorted(by: { ($0.createdAt ?? now) < ($1.createdAt ?? now) }) {
            var copy = try copy(mark)
            guard ids.insert(copy.id).inserted, layer.edits(of: MarkID(copy.id)).isEmpty else { continue }
            // Marks of the same time would be ordered by their ids.
            let next = last + .nanoseconds(1)
            last = max(mark.createdAt ?? now, next)
            copy.createdAt = last
            copies.append(copy)
        }
        return try LayerDocument(NativeLayerWriter.write(MarkFile(marks: copies))).layer.marks
    }

    /// Whether a mark can be seen on its page at all: copies of invisible ones would only be in the way.
    public static func isSeen(_ mark: Mark) -> Bool { mark.reasonsNotToBeSeen.isEmpty }

    /// A mark as it comes back from an exported PDF: with its corners in order, no more exact than it is read there, and without what other
    /// programs have no use for.
    private static func returned(_ mark: Mark) -> Mark {
        func rounded(_ value: Double) -> Double { (value * 1e5).rounded() / 1e5 }
        var mark = mark
        (mark.key, mark.unknown) = (nil, [:])
        if mark.kind == .eraser {
            // It paints paper, so its own colour does not matter.
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
        (copy.id, copy.createdAt) = ("", nil)
        copy.id = "copy-" + SHA256.digest(of: try NativeLayerWriter.write(MarkFile(marks: [copy]))).hex.prefix(24)
        return copy
    }
}
