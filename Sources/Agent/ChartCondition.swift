import Model
import Platform

/// How often each chart took the renderer down in this process when its pages were to be counted, and what else stood in the way.
@LoopActor
final class ChartCondition {
    private var misfortunes: [ChartHash: (count: Int, reason: String)] = [:]
    /// Charts that are to be counted later.
    var uncounted = UncountedCharts()

    /// Begins without having seen any.
    nonisolated init() {}

    func misfortunes(of hash: ChartHash) -> Int { misfortunes[hash]?.count ?? 0 }

    /// The charts that are left alone, and why.
    func leftAlone(after most: Int) -> [ChartHash: String] { misfortunes.filter { $0.value.count >= most }.mapValues(\.reason) }

    /// Lets everything be tried anew: a person wishes it.
    func forgive(at now: Moment) {
        misfortunes = [:]
        uncounted.hurry(at: now, isAsked: true)
    }

    /// Why a chart is left alone, if it is.
    func reasonToLeaveAlone(_ hash: ChartHash, after most: Int) -> String? {
        misfortunes[hash].flatMap { $0.count >= most ? $0.reason : nil }
    }

    func noteMisfortune(of hash: ChartHash, _ reason: String) {
        misfortunes[hash] = (misfortunes(of: hash) + 1, reason)
    }
}
