/// Which processes serve a job: pages that someone is waiting for do not queue behind those rendered ahead.
public enum RenderLane: Hashable, Sendable, CaseIterable {
    /// Somebody looks at it now: a process of its own, at normal priority.
    case live
    /// Made ahead, with the computing time that nobody else wants.
    case background
}
