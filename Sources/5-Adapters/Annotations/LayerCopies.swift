public import LayerJoin
public import Model

/// Marks of another layer, or of another program's file, as edits of one's own layer.
public enum LayerCopies {
    /// Copies of `marks`, in the order in which those are drawn. A copy's id is made from what the mark looks like: whoever copies the same
    /// mark a second time has the same copy, and two marks of different files never have the same id.
    public static func of(_ marks: [Mark], at now: Timestamp) throws -> [LayerValue] {
        var copies: [Mark] = []
        var ids: Set<String> = []
        var last = Timestamp(nanoseconds: .min)
        for mark in marks.sorted(by: { ($0.createdAt ?? now) < ($1.createdAt ?? now) }) {
            var copy = mark
            (copy.id, copy.createdAt) = ("", nil)
            copy.id = "copy-" + SHA256.digest(of: try NativeLayerWriter.write(MarkFile(marks: [copy]))).hex.prefix(24)
            guard ids.insert(copy.id).inserted else { continue }
            // Marks of one time would be in the order of their ids.
            let next = last + .nanoseconds(1)
            last = max(mark.createdAt ?? now, next)
            copy.createdAt = last
            copies.append(copy)
        }
        return try LayerDocument(NativeLayerWriter.write(MarkFile(marks: copies))).layer.marks
    }
}
