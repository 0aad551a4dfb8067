import Library
public import Model
import Platform

/// The functions that receive news of an agent's work, by kind.
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

/// News for the parts that show the agent's work.
public enum AgentNews: Hashable, Sendable {
    /// The wanted and present images may have changed, and these charts or their marks have changed.
    case reconciled(changed: Set<AttachmentID>)
    case published(ImageName)
    /// This image could not be made, whether for now or for good.
    case failed(ImageName)
    /// A poll has ended, with whatever result.
    case polled
    /// Another device of the band, or this one, wrote something new.
    case bandSpoke
    /// Somebody leads those who turn together, or is somewhere else, or gave the lead up, or is still there.
    case turnedTogether
    case paused
}
