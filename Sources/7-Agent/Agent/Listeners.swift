import Library
public import Model
import Platform

/// The functions that get news of an agent's work, by kind.
@LoopActor
final class Listeners {
    var onProgress: (@LoopActor (Progress) -> Void)?
    var onChanges: (@LoopActor ([LibraryChange]) -> Void)?
    var onNews: (@LoopActor (AgentNews) -> Void)?
    var onAstray: (@LoopActor () throws(LibraryError) -> Void)?
    private var progress: @LoopActor () -> Progress? = { nil }

    /// Sets the function that measures the progress of the work; it is called only if there is a listener.
    func measure(by progress: @escaping @LoopActor () -> Progress?) { self.progress = progress }

    func reportProgress() {
        if let onProgress, let progress = progress() { onProgress(progress) }
    }

    func report(_ news: AgentNews) { onNews?(news) }
}

/// News for the parts that show what the agent keeps ready.
public enum AgentNews: Hashable, Sendable {
    /// Library and cache were looked at again: what is wanted and what is there may have changed, and so have these charts or their marks.
    case reconciled(changed: Set<AttachmentID>)
    case published(ImageName)
    /// This image could not be made, for now or for good.
    case failed(ImageName)
    /// The service was asked, whatever the result.
    case polled
    /// Somebody in the band wrote something new, or this device did.
    case bandSpoke
    case paused
}
