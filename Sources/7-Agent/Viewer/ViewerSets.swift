import JSON
import Model
import Sets

extension SetListFile {
    var json: JSONText {
        ["name": .text(name), "of": .text(digest.hex), "lines": .list(list.entries.map(\.line.json))]
    }
}

extension SetList.Line {
    fileprivate var json: JSONText {
        switch self {
        case .song(let song):
            ["kind": "song", "title": .text(song.title), "key": .maybe(song.key), "capo": song.capo.map(JSONText.integer) ?? .null]
        case .remark(let words): ["kind": "remark", "title": .text(words)]
        case .pause: ["kind": "pause", "title": "Pause"]
        }
    }
}

extension SetDraft.Outcome {
    var json: JSONText {
        switch self {
        case .written(let name, let isListed): ["name": .text(name), "listed": .boolean(isListed)]
        case .changed(let file): ["changed": file.json]
        }
    }
}

extension SetDraft {
    /// Reads what a page sends; `nil` if it is malformed.
    init?(_ request: [UInt8]) {
        guard let body = try? JSONReader.decode(Body.self, from: request) else { return nil }
        let lines = body.lines.compactMap(\.line)
        guard lines.count == body.lines.count else { return nil }
        if let plan = body.plan {
            guard let digest = body.of.flatMap(Digest.init(hex:)) else { return nil }
            self.init(.plan(plan, of: digest), lines)
        } else {
            guard let day = body.day else { return nil }
            self.init(.new(day: day, time: body.time, title: body.title ?? ""), lines)
        }
    }

    private struct Body: Decodable {
        var plan: PlanID?
        var of: String?
        var day: String?
        var time: String?
        var title: String?
        var lines: [Line]
    }

    private struct Line: Decodable {
        var kind: String
        var title: String?
        var key: String?
        var capo: Int?

        var line: SetList.Line? {
            switch kind {
            case "song": title.map { .song(SongTitle(title: $0, key: key, capo: capo)) }
            case "remark": title.map { .remark($0) }
            case "pause": .pause
            default: nil
            }
        }
    }
}
