import Catalogue
public import Library
public import Model
public import PlanningCenter
public import Platform

/// Keeps the service's answers in the library, together with what was read from them.
@LoopActor
public struct LibraryAnswers: AnswerStore {
    private let library: Library
    private let log: Log

    /// Keeps them in `library`.
    public init(_ library: Library, log: Log) {
        self.library = library
        self.log = log
    }

    public func answer(_ name: Digest) -> StoredAnswer? { (try? library.answers.answer(name)) ?? nil }

    public func save(_ answers: [Digest: StoredAnswer?]) {
        do throws(LibraryError) {
            try library.answers.save(answers)
        } catch {
            log.debug("the service's answers could not be saved for the next start: \(error)")
        }
    }
}
