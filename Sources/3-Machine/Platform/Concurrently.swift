/// Runs `body` for every element, at most `width` at a time, starting them in order; returns when all have ended.
@LoopActor
package func concurrently<Element: Sendable>(
    _ elements: [Element], atMost width: Int, _ body: @escaping @Sendable @LoopActor (Element) async -> Void
) async {
    await withTaskGroup(of: Void.self) { group in
        var rest = elements[...]
        for _ in 0..<max(width, 1) {
            guard let next = rest.popFirst() else { break }
            group.addTask { await body(next) }
        }
        while await group.next() != nil {
            guard let next = rest.popFirst() else { continue }
            group.addTask { await body(next) }
        }
    }
}
