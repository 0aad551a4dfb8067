import Platform
import Testing

@testable import HTTPClient

@Suite(.timeLimit(.minutes(5)))
struct TargetTests {
    @Test(arguments: ["http://127.0.0.1/", "http://127.9.8.7:99/x", "http://[::1]:8080/", "http://LOCALHOST/", "http://127.1/"])
    func loopback(url: String) throws {
        #expect(try Target(url).isLoopback)
    }

    @Test(arguments: [
        "http://example.org/", "http://127.0.0.1.example.org/", "http://128.0.0.1/", "http://localhost.example.org/", "http://[::2]/",
        "http://0.0.0.0/", "http://127.0.0.1x/",
    ])
    func notLoopback(url: String) throws {
        #expect(try !Target(url).isLoopback)
    }

    @Test func originIgnoresPathAndUsualPort() throws {
        #expect(try Target("https://a.example/x?y").origin == Target("HTTPS://A.example:443/z").origin)
        #expect(try Target("https://a.example/").origin != Target("https://a.example:444/").origin)
        #expect(try Target("https://a.example/").origin != Target("http://a.example/").origin)
        #expect(try Target("https://a.example/").origin != Target("https://b.example/").origin)
    }

    @Test func relativeRedirectsAreResolved() throws {
        let base = try Target("https://a.example/one/two?three")
        #expect(try Target("/x y", relativeTo: base).url == "https://a.example/x%20y")
        #expect(try Target("four", relativeTo: base).url == "https://a.example/one/four")
        #expect(try Target("//b.example/", relativeTo: base).host == "b.example")
    }

    @Test(arguments: ["", "nowhere", "https://", "https://user@a.example/", "file:///etc/passwd", "mailto:a@b"])
    func unusableAddressesAreRefused(url: String) {
        #expect(throws: HTTPFailure.self) { try Target(url) }
    }
}
