import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DigestTests {
    @Test func knownDigests() {
        #expect(SHA256.digest(of: "").hex == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(SHA256.digest(of: "abc").hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func hexAndBytesReadBack() {
        let digest = SHA256.digest(of: "x")
        #expect(Digest(hex: digest.hex) == digest)
        #expect(Digest(bytes: digest.bytes) == digest)
        #expect(digest.hex.hasPrefix(digest.shortHex))
    }

    @Test(arguments: ["", "00", String(repeating: "g", count: 64), String(repeating: "0", count: 63)])
    func refusesWhatIsNoDigest(text: String) {
        #expect(Digest(hex: text) == nil)
    }
}
