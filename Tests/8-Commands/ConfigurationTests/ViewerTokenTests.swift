import Testing

@testable import Configuration

/// Tokens for browsers are refused if others could guess them.
@Suite
struct ViewerTokenTests {
    @Test(arguments: [
        "qwertyuiopasdfgh", "QWERTYuiopasdfgh", "asdfghjklqwertzuiop", "1qaz2wsx3edc4rfv", "azertyuiopqsdfgh", "poiuytrewqlkjhgf",
        "iloveyou20261234", "Iloveyou20261234", "20261234iloveyou", "iloveyou20261234!", "hallelujahhallelujay", "HALLELUJAH20261234",
        "abcdefghijklmnopqrst", "aaaaaaaaaaaaaaaaaaaa", "geheim-geheim-1",
    ]) func whatIsEasilyGuessedIsWeak(token: String) {
        #expect(ViewerToken.weakness(of: token) != nil)
    }

    /// A good token works, whether a person or another program made it.
    @Test(arguments: [
        "correct-horse+battery", "correcthorsebatterystaple", "geheim-geheim-16", "kP3vQ8xZt1LmB7wY", "x7k2m9q4w8r3t6v1",
        "aGVsbG8gd29ybGQhISEh",
        "3f9a1c07be4d82650a", "Trombone4Abide7Me",
    ]) func otherTokensAreGood(token: String) {
        #expect(ViewerToken.weakness(of: token) == nil)
    }

    @Test func whatWeMakeIsGood() {
        for _ in 0..<2000 {
            let token = ViewerToken.random()
            #expect(ViewerToken.weakness(of: token) == nil, "\(token)")
        }
    }

    /// The advice for a weak token recommends a random one, so no random token may count as weak.
    @Test func soIsWhatComesFromChance() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        for _ in 0..<2000 {
            let token = String((0..<20).map { _ in letters.randomElement() ?? "x" })
            #expect(ViewerToken.weakness(of: token) == nil, "\(token)")
        }
    }
}
