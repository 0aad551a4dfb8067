/// Who is served by whom: what somebody waits for on a screen does not stand in line with what is made ahead.
public enum RenderLane: Hashable, Sendable, CaseIterable {
    /// Somebody looks at it now: a process of its own, at normal priority.
    case live
    /// Made ahead, with the computing time that nobody else wants.
    case background
}
