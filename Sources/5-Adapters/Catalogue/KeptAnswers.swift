public import Model
public import Platform

/// The service's answers, so that it need not send the same again.
@LoopActor
public final class KeptAnswers {
    private let catalogue: OpenCatalogue

    private var database: Database { catalogue.database }

    package init(_ catalogue: OpenCatalogue) {
        self.catalogue = catalogue
    }
}

extension KeptAnswers {
    /// How many bytes of answers are kept; beyond that the oldest go. It is what the coming plans of a busy quarter need.
    private static var mostOfAnswers: Int { 4 << 20 }

    /// The answer that was kept under this name; `nil` if there is none, or if it is not as it was written.
    public func answer(_ name: Digest) throws(LibraryError) -> StoredAnswer? {
        let found = try database.row("SELECT etag, body, told_at, sum FROM answers WHERE name = ?", [.text(name.hex)]) { row in
            (
                StoredAnswer(etag: row.text(0), body: row.bytes(1), toldAt: Timestamp(nanoseconds: Int64(row.integer(2)))),
                sum: row.text(3)
            )
        }
        guard let (answer, sum) = found, sum == answer.sum(under: name) else { return nil }
        return answer
    }

    /// Keeps answers under their names, all of them or, when it throws, none; `nil` drops one.
    public func save(_ answers: [Digest: StoredAnswer?]) throws(LibraryError) {
        try database.write { () throws(LibraryError) in
            for (name, answer) in answers.sorted(by: { $0.key < $1.key }) {
                guard let answer else {
                    try database.run("DELETE FROM answers WHERE name = ?", [.text(name.hex)])
                    continue
                }
                try database.run(
                    """
                    INSERT INTO answers (name, etag, size, told_at, sum, body) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (name) DO UPDATE SET
                        etag = excluded.etag, size = excluded.size, told_at = excluded.told_at, sum = excluded.sum, body = excluded.body
                    """,
                    [
                        .text(name.hex), .text(answer.etag), .integer(answer.size), .time(answer.toldAt), .text(answer.sum(under: name)),
                        .bytes(answer.body),
                    ])
            }
            try database.run(
                """
                DELETE FROM answers WHERE name IN (
                    SELECT name FROM (SELECT name, sum(size) OVER (ORDER BY told_at DESC, name) AS together FROM answers)
                    WHERE together > ?)
                """, [.integer(Self.mostOfAnswers)])
        }
    }
}

extension StoredAnswer {
    /// A checksum that shows whether an answer is as it was written, and under the name that it was written under.
    fileprivate func sum(under name: Digest) -> String {
        SHA256.digest(of: Array("\(name.hex) \(toldAt.nanoseconds) \(etag.utf8.count) \(etag) ".utf8) + body).hex
    }
}
