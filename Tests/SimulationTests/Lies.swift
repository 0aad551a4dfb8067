import Model
import Platform
import TestSupport

/// Answers that are well-formed, plausible and wrong, as no fault of a line makes them.
struct Lies {
    /// Lists that were told empty in this stretch of foul weather. A second time might come when the first has waited its hour, and
    /// would rightly be believed.
    private var emptied: Set<String> = []

    /// Begins anew: whatever was told before has been set right.
    mutating func forget() { emptied = [] }

    /// What arrives instead of `answer` to a question for `path`, which is `answer` most of the time; and what to call the difference.
    mutating func bend(_ answer: HTTPResponse, to path: String, _ weather: inout Weather) -> (HTTPResponse, word: String?) {
        let isListed = ["/schedules", "/items", "/all_attachments", "/layers"].contains { path.contains($0) }
        guard weather.strikes(onceIn: 12), answer.status == 200, isListed else { return (answer, nil) }
        let text = String(decoding: answer.body, as: UTF8.self)
        var (headers, told) = (answer.headers, text)
        let word: String
        switch weather.number(0..<7) {
        case 0, 1:
            guard emptied.insert(path).inserted else { return (answer, nil) }
            (word, told) = ("an empty list", #"{"data":[],"included":[],"links":{},"meta":{"total_count":0,"count":0}}"#)
        case 2:
            let number = Self.numbers[weather.number(0..<Self.numbers.count)]
            word = "numbers of \(number)"
            for field in ["sequence", "file_size", "revision"] { told = told.replacingValues(of: field, by: number) }
        case 3:
            let time = Self.times[weather.number(0..<Self.times.count)]
            word = "times of \(time)"
            for field in ["starts_at", "ends_at", "updated_at"] { told = told.replacingValues(of: field, by: time) }
        case 4:
            word = "marks that nobody understands"
            told = told.replacingValues(of: "page", by: #""one""#)
        case 5:
            word = "marks without end"
            let nested = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
            told = told.replacingValues(of: "width", by: "0.01,\"beyond\":\(nested)")
        default:
            word = "another day"
            headers["date"] = "Sat, 21 Nov 2037 09:00:00 GMT"
        }
        guard told != text || headers != answer.headers else { return (answer, nil) }
        return (HTTPResponse(status: answer.status, headers: headers, body: Array(told.utf8)), word)
    }

    private static let numbers = ["9223372036854775807", "-9223372036854775808", "-1", "1e300", "18446744073709551616"]
    private static let times = [
        #""2025-11-22T09:00:00Z""#, #""1970-01-01T00:00:00Z""#, #""2290-01-01T00:00:00Z""#, #""9999-12-31T23:59:59Z""#, #""soon""#,
    ]
}

extension String {
    /// The same with `value` for every plain value of `field`.
    fileprivate func replacingValues(of field: String, by value: String) -> String {
        let key = "\"\(field)\":"
        var (result, rest) = ("", self[...])
        while let place = rest.firstRange(of: key) {
            result += rest[..<place.upperBound] + value
            rest = rest[place.upperBound...]
            let isText = rest.first == "\""
            rest = isText ? rest.dropFirst().drop { $0 != "\"" }.dropFirst() : rest.drop { !",]}\n ".contains($0) }
        }
        return result + rest
    }
}
