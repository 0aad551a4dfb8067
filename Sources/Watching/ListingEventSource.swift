public import Platform

/// A source of file events that looks at its folders while it begins, so that nobody has to go through them a second time.
@LoopActor
public protocol ListingEventSource: FileEventSource {
    /// What was in a root when the watching of it began: with all events since, that is what is in it now.
    ///
    /// Once only; `nil` where there is none, or none that is good any more.
    func takeListing(of root: String) async -> FileListing?
}
