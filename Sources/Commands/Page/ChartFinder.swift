import Model

/// Finds a chart by what people call it: the attachment's id, the beginning of its hash, its file's or its song's name.
struct ChartFinder {
    /// One chart that could be meant.
    struct Candidate: Hashable {
        let attachment: AttachmentID
        let hash: ChartHash
        let filename: String
        let title: String

        /// How it is told apart from others.
        var description: String { "\(attachment)  \(filename)" + (title.isEmpty ? "" : " (\(title))") }
    }

    /// Why no single chart was found.
    enum Failure: Error, Equatable {
        case unknown(charts: [String])
        case ambiguous(charts: [String])
    }

    private static let leastHashDigits = 6
    let candidates: [Candidate]

    /// The only chart that `name` fits, by the strictest rule that fits any.
    func find(_ name: String) throws(Failure) -> Candidate {
        let wanted = name.lowercased()
        let rules: [(Candidate) -> Bool] = [
            { $0.attachment.text == name },
            { wanted.count >= Self.leastHashDigits && $0.hash.digest.hex.hasPrefix(wanted) },
            { $0.filename.lowercased() == wanted || $0.filename.lowercased() == wanted + ".pdf" },
            { $0.title.lowercased() == wanted },
            { !wanted.isEmpty && ($0.filename.lowercased().contains(wanted) || $0.title.lowercased().contains(wanted)) },
        ]
        for rule in rules {
            let found = candidates.filter(rule)
            guard let first = found.first else { continue }
            // The same bytes under two names are the same pages, as long as the same marks lie on them.
            guard Set(found.map(\.attachment)).count == 1 else { throw .ambiguous(charts: Self.list(found)) }
            return first
        }
        throw .unknown(charts: Self.list(candidates))
    }

    private static func list(_ candidates: [Candidate]) -> [String] {
        var seen: Set<AttachmentID> = []
        return candidates.filter { seen.insert($0.attachment).inserted }.map(\.description)
    }
}
