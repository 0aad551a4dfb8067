import Library
import Model
import Platform

/// Who wants to hear about an agent's work, and about what.
@LoopActor
final class Listeners {
    private var onProgress: (@LoopActor (Progress) -> Void)?
    private var onChanges: (@LoopActor ([LibraryChange]) -> Void)?
    private var onNews: (@LoopActor (AgentNews) -> Void)?
    private var onTakenAway: (@LoopActor (LibraryError) -> Void)?
    private var progress: @LoopActor () -> Progress? = { nil }

    nonisolated init() {}

    /// Sets the function that finds out how far the work is; it is called only if somebody listens.
    func measure(by progress: @escaping @LoopActor () -> Progress?) { self.progress = progress }

    func hear(progress body: (@LoopActor (Progress) -> Void)?) { onProgress = body }
    func hear(changes body: (@LoopActor ([LibraryChange]) -> Void)?) { onChanges = body }
    func hear(news body: (@LoopActor (AgentNews) -> Void)?) { onNews = body }
    func hear(takenAway body: (@LoopActor (LibraryError) -> Void)?) { onTakenAway = body }

    func tellProgress() {
        guard let onProgress, let progress = progress() else { return }
        onProgress(progress)
    }

    func tell(_ changes: [LibraryChange]) { onChanges?(changes) }
    func tell(_ news: AgentNews) { onNews?(news) }
    func tellTakenAway(_ error: LibraryError) { onTakenAway?(error) }
}
