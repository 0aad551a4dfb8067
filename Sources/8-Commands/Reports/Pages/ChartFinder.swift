package import CommandLine
package import Library
package import Model
package import Platform

/// Finds a chart by what people call it: the attachment's id, the beginning of its hash, its file's name or its song's.
package struct ChartFinder {
    /// One chart that could be meant.
    package struct Candidate: Hashable {
        package let attachment: AttachmentID
        package let hash: ChartHash
        package let filename: String
        package let title: String

        package var description: String { "\(attachment)  \(filename)" + (title.isEmpty ? "" : " (\(title))") }
    }

    /// Why no single chart was found.
    package enum Failure: Error, Equatable {
        case unknown(charts: [String])
        case ambiguous(charts: [String])
    }

    private static let leastHashDigits = 6
    let candidates: [Candidate]

    /// The only chart that `name` fits, by the strictest rule that fits at least one.
    package func find(_ name: String) throws(Failure) -> Candidate {
        let wanted = name.searched
        let rules: [(Candidate) -> Bool] = [
            { $0.attachment.text == name },
            { wanted.count >= Self.leastHashDigits && $0.hash.digest.hex.hasPrefix(wanted) },
            { $0.filename.searched == wanted || $0.filename.searched == wanted + ".pdf" },
            { $0.title.searched == wanted },
            { !wanted.isEmpty && ($0.filename.searched.contains(wanted) || $0.title.searched.contains(wanted)) },
        ]
        for rule in rules {
            let found = candidates.filter(rule)
            guard let first = found.first else { continue }
            // Two names for the same bytes give the same pages only if they have the same marks.
            guard Set(found.map(\.attachment)).count == 1 else { throw .ambiguous(charts: Self.list(found)) }
            return first
        }
        throw .unknown(charts: Self.list(candidates))
    }

    /// Finds what a user typed; if it does not fit exactly one chart, the error lists the candidates.
    package func findOrExplain(_ name: String) throws(CommandFailure) -> Candidate {
        do throws(Failure) {
            return try find(name)
        } catch {
            let message =
                switch error {
                case .unknown(let charts) where charts.isEmpty: "no chart is here yet"
                case .unknown(let charts): "no chart here is called '\(name)'; these are:\n  " + charts.joined(separator: "\n  ")
                case .ambiguous(let charts): "'\(name)' matches several charts; name one by its id:\n  " + charts.joined(separator: "\n  ")
                }
            throw CommandFailure(.failed, message)
        }
    }

    private static func list(_ candidates: [Candidate]) -> [String] {
        var seen: Set<AttachmentID> = []
        return candidates.filter { seen.insert($0.attachment).inserted }.map(\.description)
    }
}

extension ChartFinder {
    /// Searches the charts of all plans that are here.
    @LoopActor
    package init(_ library: Library) throws(LibraryError) {
        var candidates: [Candidate] = []
        for contents in try library.plans.all() {
            for item in contents.items {
                for attachment in item.attachments {
                    guard let chart = try library.charts.chart(of: attachment.use), try library.charts.hasBytes(of: chart.hash) else {
                        continue
                    }
                    candidates.append(
                        Candidate(attachment: attachment.id, hash: chart.hash, filename: attachment.filename, title: item.title))
                }
            }
        }
        self.init(candidates: candidates)
    }
}
