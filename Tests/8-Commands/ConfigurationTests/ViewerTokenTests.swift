import Testing

@testable import Configuration

/// Tokens for browsers that are refused since others could guess them.
@Suite
struct ViewerTokenTests {
    @Test(arguments: [
        "qwertyuiopasdfgh", "QWERTYuiopasdfgh", "asdfghjklqwertzuiop", "1qaz2wsx3edc4rfv", "azertyuiopqsdfgh", "poiuytrewqlkjhgf",
        "iloveyou20261234", "Iloveyou20261234", "20261234iloveyou", "iloveyou20261234!", "hallelujahhallelujay", "HALLELUJAH20261234",
        "abcdefghijklmnopqrst", "aaaaaaaaaaaaaaaaaaaa", "geheim-geheim-1",
    ]) func whatIsEasilyGuessedIsWeak(token: String) {
        #expect(ViewerToken.weakness(of: token) != nil)
    }

    /// A token that somebody invented, or had made elsewhere, still works.
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

    /// A token made as the advice says.
    @Test func soIsWhatComesFromChance() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        for _ in 0..<2000 {
            let token = String((0..<20).map { _ in letters.randomElement() ?? "x" })
            #expect(ViewerToken.weakness(of: token) == nil, "\(token)")
        }
    }
}
