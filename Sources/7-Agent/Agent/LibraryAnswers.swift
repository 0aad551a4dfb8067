import Catalogue
public import Library
public import Model
public import PlanningCenter
public import Platform

/// Stores the service's answers in the library, together with the values read from them.
@LoopActor
public struct LibraryAnswers: AnswerStore {
    private let library: Library
    private let log: Log

    public init(_ library: Library, log: Log) { (self.library, self.log) = (library, log) }

    public func answer(_ name: Digest) -> StoredAnswer? { (try? library.answers.answer(name)) ?? nil }

    public func save(_ answers: [Digest: StoredAnswer?]) {
        do throws(LibraryError) {
            try library.answers.save(answers)
        } catch {
            log.debug("the service's answers could not be saved for the next start: \(error)")
        }
    }
}

extension Library {
    /// A chart's file name, or otherwise its hash, for messages.
    func title(of chart: ChartHash) -> String {
        // Messages are needed even while the library cannot be read, so a failure only leads to the hash.
        ((try? charts.filename(of: chart)) ?? nil).map { "'\($0)'" } ?? "chart \(chart.digest.shortHex)"
    }
}
