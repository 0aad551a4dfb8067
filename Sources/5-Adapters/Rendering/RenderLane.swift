/// Which processes do a job: pages that somebody is waiting for do not queue behind those rendered ahead.
public enum RenderLane: Hashable, Sendable, CaseIterable {
    /// Somebody is waiting for it now: done by a process of its own, at normal priority.
    case live
    /// Made ahead, with computing time that nobody else wants.
    case background
}
