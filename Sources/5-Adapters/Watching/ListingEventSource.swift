public import Platform

/// A source of file events that lists its folders while it begins, so that nobody has to go through them a second time.
@LoopActor
public protocol ListingEventSource: FileEventSource {
    /// What was in a root when watching it began: together with all events since, that is what is in it now.
    ///
    /// It can be taken only once; `nil` if there is none, or it is out of date.
    func takeListing(of root: String) async -> FileListing?
}
