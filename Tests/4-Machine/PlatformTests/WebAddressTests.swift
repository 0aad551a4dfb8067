import Platform
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WebAddressTests {
    @Test(
        arguments: [
            true: ["http://127.0.0.1/", "http://127.9.8.7:99/x", "http://[::1]:8080/", "http://LOCALHOST:1", "http://127.1/"],
            false: [
                "http://example.org/", "http://127.0.0.1.example.org/", "http://128.0.0.1/", "http://localhost.example.org/",
                "http://[::2]/", "http://0.0.0.0/", "http://127.0.0.1x/", "http://127.0.0.256",
            ],
        ]) func loopbackIsThisMachineOnly(isLoopback: Bool, addresses: [String]) throws
    {
        for url in addresses { #expect(try WebAddress(url).isLoopback == isLoopback, "\(url)") }
    }

    @Test func originIgnoresPathAndUsualPort() throws {
        #expect(try WebAddress("https://a.example/x?y").origin == WebAddress("HTTPS://A.example:443/z").origin)
        #expect(try WebAddress("https://a.example/").origin != WebAddress("https://a.example:444/").origin)
        #expect(try WebAddress("https://a.example/").origin != WebAddress("http://a.example/").origin)
        #expect(try WebAddress("https://a.example/").origin != WebAddress("https://b.example/").origin)
    }

    @Test func relativeRedirectsAreResolved() throws {
        let base = try WebAddress("https://a.example/one/two?three")
        #expect(try WebAddress("/x y", .encoded, from: base).text == "https://a.example/x%20y")
        #expect(try WebAddress("four", .encoded, from: base).text == "https://a.example/one/four")
        #expect(try WebAddress("//b.example/", from: base).host == "b.example")
    }

    @Test(arguments: ["", "nowhere", "https://", "https://user@a.example/", "file:///etc/passwd", "mailto:a@b"])
    func unusableAddressesAreRefused(url: String) {
        #expect(throws: WebAddress.Fault.self) { try WebAddress(url) }
    }

    @Test(arguments: [
        "https://a.example", "HTTPS://A.example/x", "https://a.example:443/", "http://127.0.0.1:8080/a?b[c]=d&e=%5Bf%5d",
        "https://[::1]:9/a",
    ])
    func whatIsReadAsItIsWrittenIsPlain(_ text: String) throws {
        #expect(try WebAddress(text, .plain) == WebAddress(text))
    }

    @Test(arguments: [
        "https:a.example", "https:/a.example/", "https:///a.example/", "http://127.1/", "http://2130706433/", "http://[0:0::1]/",
        "https://a.example:080/",
        "https://a.example:/", "https://a.example/x/../y", "https://a.example/%2e%2e/y", "https://a.example/x#y", "https://é.example/",
        "https://a.example/\"", "https://a.example/ x", "https://a.example\\@b.example/", "https://a.example/\u{1b}[2J",
        "https://[fe80::1%25lo]/",
    ])
    func whatIsReadOtherwiseThanItIsWrittenIsNot(_ text: String) {
        #expect(throws: WebAddress.Fault.self) { try WebAddress(text, .plain) }
    }

    @Test func anAddressFromItsOwnOriginMayLeaveThatOut() throws {
        let base = try WebAddress("https://a.example/one?two", .plain)
        #expect(try WebAddress("/three?four=5", .plain, from: base).text == "https://a.example/three?four=5")
        #expect(try WebAddress("https://b.example/", .plain, from: base).origin == "https://b.example")
        for text in ["//b.example/", "/../x", "\\\\b.example/"] {
            #expect(throws: WebAddress.Fault.self, "\(text)") { try WebAddress(text, .plain, from: base) }
        }
    }

    @Test(arguments: ["https://a.example/?", "https://a.example/?x", "https://a.example/#", "https://a.example/#x"])
    func aFolderHasNoQuery(_ text: String) throws {
        #expect(throws: WebAddress.Fault.hasQuery) { try WebAddress(text, .folder) }
        #expect(try WebAddress("https://a.example/b//", .folder).folder == "https://a.example/b")
    }

    @Test func nothingFollowsAnEmptyQuery() throws { #expect(try WebAddress("https://a.example/x?").text == "https://a.example/x") }
}
