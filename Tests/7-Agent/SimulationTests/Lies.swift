import Model
import Platform
import TestSupport

/// Answers that are well-formed and plausible but wrong, as no broken connection could make them.
struct Lies {
    /// The believable lies of this stretch of foul weather. None is repeated, because the agent rightly believes an answer that is
    /// repeated after an hour.
    private var told: Set<String> = []

    /// Starts afresh: all lies so far have been corrected.
    mutating func forget() { told = [] }

    /// Records a lie that the agent may believe; returns whether it is the first of its kind in this stretch.
    mutating func isFirst(_ lie: String) -> Bool { told.insert(lie).inserted }

    /// The answer to a request for `path`, which is usually `answer` itself; and a name for the lie, if there is one.
    mutating func bend(
        _ answer: HTTPResponse, to path: String, at now: Duration, _ weather: inout Weather
    ) -> (HTTPResponse, word: String?) {
        let isListed = ["/schedules", "/items", "/all_attachments", "/layers"].contains { path.contains($0) }
        guard weather.strikes(onceIn: 12), answer.status == 200, isListed else { return (answer, nil) }
        let text = String(decoding: answer.body, as: UTF8.self)
        let (word, body, date) = lie(about: text, at: now, &weather)
        guard body != text || date != nil, !Self.mayBeBelieved.contains(word) || isFirst(word + path) else {
            return (answer, nil)
        }
        let headers = answer.headers.merging(date.map { ["date": $0] } ?? [:]) { $1 }
        return (HTTPResponse(status: answer.status, headers: headers, body: Array(body.utf8)), word)
    }

    /// Lies that the agent may believe if the service repeats them.
    private static let mayBeBelieved: Set<String> = [
        "an empty list", "layers without marks", "layers with fewer marks", "files of other names",
        "a plan put off", "a plan that is over",
    ]

    /// Whether an answer is a lie only for an agent that had other marks before.
    static func isTruthWhenNew(_ word: String) -> Bool { word == "layers without marks" || word == "layers with fewer marks" }

    private func lie(about text: String, at now: Duration, _ weather: inout Weather) -> (word: String, body: String, date: String?) {
        func day(_ days: Int) -> String { "\"\(Timestamp(sinceEpoch: now + .seconds(86_400 * days)))\"" }
        switch weather.number(0..<13) {
        case 0, 1: return ("an empty list", #"{"data":[],"included":[],"links":{},"meta":{"total_count":0,"count":0}}"#, nil)
        case 2:
            let number = Self.numbers[weather.number(0..<Self.numbers.count)]
            let body = ["sequence", "file_size", "revision"].reduce(text) { $0.replacingValues(of: $1, by: number) }
            return ("numbers of \(number)", body, nil)
        case 3:
            let time = Self.times[weather.number(0..<Self.times.count)]
            let body = ["starts_at", "ends_at", "updated_at"].reduce(text) { $0.replacingValues(of: $1, by: time) }
            return ("times of \(time)", body, nil)
        case 4: return ("marks that nobody understands", text.replacingValues(of: "page", by: #""one""#), nil)
        case 5:
            let nested = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
            return ("marks without end", text.replacingValues(of: "width", by: "0.01,\"beyond\":\(nested)"), nil)
        case 6: return ("another day", text, "Sat, 21 Nov 2037 09:00:00 GMT")
        case 7: return ("layers without marks", text.keepingMarks(0), nil)
        case 8: return ("layers with fewer marks", text.keepingMarks(1), nil)
        case 9: return ("files of other names", text.replacingOccurrences(of: #""filename":"Song"#, by: #""filename":"Draft"#), nil)
        case 10:
            let body = ["starts_at", "ends_at"].reduce(text) { $0.replacingValues(of: $1, by: day(100), most: 1) }
            return ("a plan put off", body, nil)
        case 11:
            let body = ["starts_at", "ends_at"].reduce(text) { $0.replacingValues(of: $1, by: day(-3), most: 1) }
            return ("a plan that is over", body, nil)
        default: return ("very many entries", text.withMoreEntries(1000), nil)
        }
    }

    private static let numbers = ["9223372036854775807", "-9223372036854775808", "-1", "1e300", "18446744073709551616"]
    private static let times = [
        #""2025-11-22T09:00:00Z""#, #""1970-01-01T00:00:00Z""#, #""2290-01-01T00:00:00Z""#, #""9999-12-31T23:59:59Z""#, #""soon""#,
    ]
}

extension String {
    /// This text with `value` in place of the first `most` plain values of `field`.
    fileprivate func replacingValues(of field: String, by value: String, most: Int = .max) -> String {
        let key = "\"\(field)\":"
        var (result, rest, count) = ("", self[...], 0)
        while count < most, let place = rest.firstRange(of: key) {
            count += 1
            result += rest[..<place.upperBound] + value
            rest = rest[place.upperBound...]
            let isText = rest.first == "\""
            rest = isText ? rest.dropFirst().drop { $0 != "\"" }.dropFirst() : rest.drop { !",]}\n ".contains($0) }
        }
        return result + rest
    }

    fileprivate func replacingOccurrences(of text: String, by other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }

    /// This text with at most `most` marks in each layer, and otherwise unchanged.
    fileprivate func keepingMarks(_ most: Int) -> String {
        let (begin, end) = (#""marks":["#, "]}}")
        var (result, rest) = ("", self[...])
        while let start = rest.firstRange(of: begin), let stop = rest[start.upperBound...].firstRange(of: end) {
            let marks = rest[start.upperBound..<stop.lowerBound].split(separator: "},{", omittingEmptySubsequences: true)
            let kept = marks.prefix(most).joined(separator: "},{")
            result += rest[..<start.upperBound] + kept + (marks.count > most && most > 0 ? "}" : "") + end
            rest = rest[stop.upperBound...]
        }
        return result + rest
    }

    /// This text with `count` additional entries in its list, which belong to nothing in the simulation.
    fileprivate func withMoreEntries(_ count: Int) -> String {
        guard let place = firstRange(of: #"{"data":["#) else { return self }
        let kind = contains("AnnotationLayer") ? "AnnotationLayer" : contains(#""Attachment""#) ? "Attachment" : "Item"
        let attributes = kind == "AnnotationLayer" ? #""attachment_id":"nobody's","revision":1,"marks":[]"# : #""title":"more""#
        let entries = (0..<count).map { #"{"type":"\#(kind)","id":"more\#($0)","attributes":{\#(attributes)},"relationships":{}}"# }
        let rest = self[place.upperBound...]
        return self[..<place.upperBound] + entries.joined(separator: ",") + (rest.first == "]" ? "" : ",") + rest
    }
}
