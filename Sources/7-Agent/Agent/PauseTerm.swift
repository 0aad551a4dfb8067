import Platform

/// How long a pause lasts.
public struct PauseTerm: Sendable {
    /// `nil` for until somebody ends it.
    let deadline: Moment?
}
