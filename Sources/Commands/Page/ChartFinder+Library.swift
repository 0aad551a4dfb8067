import Library
import Model
import Platform

extension ChartFinder {
    /// The chart of the library that is meant by `name`, among those whose bytes are here.
    @LoopActor
    static func find(_ name: String, in library: Library) throws -> Candidate {
        var candidates: [Candidate] = []
        for contents in try library.plans() {
            for item in contents.items {
                for attachment in item.attachments {
                    guard let chart = try library.chart(of: attachment.id), try library.hasBytes(of: chart.hash) else { continue }
                    candidates.append(
                        Candidate(attachment: attachment.id, hash: chart.hash, filename: attachment.filename, title: item.title))
                }
            }
        }
        do throws(Failure) {
            return try ChartFinder(candidates: candidates).find(name)
        } catch .unknown(let charts) {
            throw CommandFailure(
                .failed,
                charts.isEmpty
                    ? "no chart is here yet" : "no chart here is called '\(name)'; these are:\n  " + charts.joined(separator: "\n  "))
        } catch .ambiguous(let charts) {
            throw CommandFailure(.failed, "'\(name)' fits several charts; name one by its id:\n  " + charts.joined(separator: "\n  "))
        }
    }
}
