import JSON
import LocalHTTP
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
    var reply: WebReply {
        switch self {
        case .written(let name, let isListed): .json(["name": .text(name), "listed": .boolean(isListed)])
        case .changed(let file):
            .json(
                ["error": "Somebody has changed this list. Look at it as it is now, then save again.", "changed": file.json], status: 409)
        }
    }
}

extension SetDraft {
    /// The most bytes of a request with a list: none that can be kept is longer.
    static let longestRequest = 512 << 10
    static let isTooLong =
        "This list is too long: a list has at most \(SetList.mostEntries) lines of at most \(SetList.longestLine) letters. Make two sets of it."
    static let isMalformed =
        "A set has a day, as in 2026-12-06, and lines, each with its kind and title. If this page has been open for long, reload it."

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
