import StandInSupport
import TestSupport
import Testing

/// Who may edit the stand-in's plans; no number in an edit can harm the stand-in.
@Suite(.timeLimit(.minutes(5)))
struct DemoEntranceTests {
    private static let edit = Array(#"{"edit":"move-item","item":"91230006","position":2}"#.utf8)

    @Test func onlyWhoWasToldTheWayInEdits() throws {
        let stand = try Stand()
        let before = stand.service.state
        let address = stand.service.controlURL
        let root = try #require(address.firstRange(of: "/control/").map { String(address[..<$0.lowerBound]) })
        let strangers: [(String, [(String, String)])] = [
            (root + "/control", []), (root + "/control/", []), (address.dropLast() + "0", []), (address.dropLast().description, []),
            (address + "0", []), (root + "/control/" + String(repeating: "0", count: 64), []), (root + "/control//", []),
            (address, [("Origin", "http://evil.example")]), (address, [("Origin", "null")]), (address, [("Origin", root)]),
            (address, [("Host", "evil.example")]), (address, [("Host", "evil.example:80")]),
        ]
        for (base, headers) in strangers where base != address || !headers.isEmpty {
            for (method, path) in [("POST", "/edit"), ("GET", "/offer"), ("PUT", "/edit")] {
                let reply = try HTTPProbe.send(method, base + path, headers: headers, body: method == "GET" ? [] : Self.edit)
                #expect(reply.status == 403, "\(method) \(path) \(headers)")
                #expect(!reply.text.contains("67810002"))
            }
        }
        #expect(stand.service.state == before && stand.changes.isEmpty)
        #expect(try HTTPProbe.send("POST", address + "/edit", body: Self.edit).status == 200)
        #expect(try Stand().service.controlURL != address, "the next one has another way in")
    }

    @Test func noNumberEndsIt() throws {
        let stand = try Stand()
        let numbers = ["-9223372036854775808", "-1", "0", "9223372036854775807", "9223372036854775808", "1e308", "-1e400"]
        let chart = try stand.open(try stand.attachment("Down by the Riverside").id)
        for number in numbers {
            for range in ["0-\(number)", "\(number)-", "-\(number)", "\(number)-\(number)"] {
                #expect([200, 206, 416].contains(try HTTPProbe.send("GET", chart, headers: [("Range", "bytes=\(range)")]).status))
            }
            for query in ["per_page=\(number)", "offset=\(number)", "per_page=\(number)&offset=\(number)"] {
                #expect(try stand.api("GET", "/service_types?\(query)").status == 200)
            }
            let edits = [
                #"{"edit":"move-item","item":"91230001","position":\#(number)}"#,
                #"{"edit":"add-mark","layer":"riverside-lead-104","page":\#(number)}"#,
            ]
            for edit in edits { #expect([200, 400].contains(try stand.edit(edit).status), "\(edit)") }
        }
        for time in [
            "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "99999-01-01T00:00:00Z", "-9999-01-01T00:00:00Z", "1960-01-01T00:00:00Z",
        ] {
            _ = try? stand.service.edit(.setTimes(plan: "67810002", starts: [time]))
            #expect(try stand.api("GET", "/service_types/501001/plans/67810002").status == 200, "\(time)")
        }
    }
}
