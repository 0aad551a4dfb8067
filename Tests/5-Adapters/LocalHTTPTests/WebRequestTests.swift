import Testing

@testable import LocalHTTP

@Suite(.timeLimit(.minutes(5)))
struct WebRequestTests {
    private func request(_ path: String = "/", headers: [(name: String, value: String)] = []) -> WebRequest {
        WebRequest(method: "GET", path: path, query: [], headers: headers)
    }

    @Test func headersAreFoundWhateverTheCaseOfTheirNames() {
        let request = request(headers: [("hOST", "a"), ("Accept", "b"), ("HOST", "c")])
        #expect(request.header("Host") == "a")
        #expect(request.values(ofHeader: "host") == ["a", "c"])
        #expect(request.header("Hos") == nil)
        #expect(request.without(header: "hosT").headers.map(\.name) == ["Accept"])
    }

    @Test func onlyLettersHaveTwoForms() {
        // “[” and “{” differ in the same bit as capital and small letters.
        let request = request(headers: [("a[", "1"), ("K", "2")])
        #expect(request.header("A{") == nil)
        #expect(request.header("A[") == "1")
        // For Unicode, the kelvin sign is equivalent to K; for HTTP it is not.
        #expect(request.header("\u{212A}") == nil)
    }

    @Test func slashesPartAPathWhateverComesAfterThem() {
        #expect(request("/a//b\u{301}/").segments == ["a", "b\u{301}"])
        #expect(request("/..\u{2F}\u{301}x").segments == ["..", "\u{301}x"])
    }

    @Test(arguments: ["/..", "/a/./b", "/../\u{301}", "/./", "a", "", "\u{301}/a"])
    func pathsThatAreNotPlainAreRefused(path: String) {
        let rules = RequestRules(hosts: nil, port: 0)
        #expect(rules.refusal(request(path), bodyLimit: 0)?.status == 400)
    }

    @Test(arguments: ["/", "/...", "/a/..b", "/\u{301}", "/.a/"])
    func plainPathsAreNot(path: String) {
        let rules = RequestRules(hosts: nil, port: 0)
        #expect(rules.refusal(request(path), bodyLimit: 0)?.status == nil)
    }
}
