public import Model
public import Platform

/// Keeps answers from run to run. If it fails, answers have to be sent in full again, and nothing else is lost.
@LoopActor
public protocol AnswerStore {
    /// The answer kept under this name, if it is intact.
    func answer(_ name: Digest) -> StoredAnswer?

    /// Keeps answers under their names; `nil` removes one.
    func save(_ answers: [Digest: StoredAnswer?])
}
