public import Model
public import Platform

/// Where answers outlast the run that got them. One that fails costs answers in full, and nothing else.
@LoopActor
public protocol AnswerStore {
    /// What was kept under this name, if it is whole.
    func answer(_ name: Digest) -> StoredAnswer?

    /// Keeps answers under their names; `nil` lets go of one.
    func save(_ answers: [Digest: StoredAnswer?])
}
