import CCrypto

/// An Ed25519 key. A device signs its report to the band (its head) with its key, so that no other device can forge the report.
public struct SigningKey: Hashable, Sendable {
    /// The secret part: 32 bytes.
    private let seed: [UInt8]
    public let verifier: Verifier

    /// The public part, which checks signatures. It may be given to anyone.
    public struct Verifier: Hashable, Sendable {
        private let bytes: [UInt8]

        /// Reads 64 hexadecimal digits. Fails for any other text.
        public init?(hex: String) {
            guard let bytes = Digest(hex: hex)?.bytes else { return nil }
            self.bytes = bytes
        }

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

        public var hex: String { Digest(bytes: bytes)?.hex ?? "" }

        /// The beginning that all names have, and 14 letters and digits derived from the key, so that no other key has this name.
        public var name: String {
            SHA256.digest(of: bytes).bytes.prefix(14).reduce(into: SigningKey.nameBeginning) {
                $0.append(Self.letters[Int($1) % Self.letters.count])
            }
        }

        /// There are 32 letters and digits, so random bytes select each of them equally often.
        private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")

        /// Whether the signature, in 128 hexadecimal digits, is this key's signature of the message.
        public func confirms(_ signature: String, of message: [UInt8]) -> Bool {
            guard let first = Digest(hex: String(signature.prefix(64))), let second = Digest(hex: String(signature.dropFirst(64))) else {
                return false
            }
            let signature = first.bytes + second.bytes
            guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }

    /// The beginning of all names that are derived from keys. A random name hardly ever begins with it.
    public static let nameBeginning = "zz"

    /// Makes a new random key.
    public static func random() -> SigningKey {
        guard let key = SigningKey((0..<32).map { _ in UInt8.random(in: .min ... .max) }) else { fatalError("no key can be made") }
        return key
    }

    /// Reads the secret part from 64 hexadecimal digits. Fails for any other text.
    public init?(hex: String) {
        guard let seed = Digest(hex: hex)?.bytes else { return nil }
        self.init(seed)
    }

    private init?(_ seed: [UInt8]) {
        guard let key = Self.key(seed) else { return nil }
        defer { EVP_PKEY_free(key) }
        var (bytes, count) = ([UInt8](repeating: 0, count: 32), 32)
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 else { return nil }
        (self.seed, verifier) = (seed, Verifier(bytes))
    }

    /// The secret part in hexadecimal. It must be kept where only its owner can read it.
    public var secretHex: String { Digest(bytes: seed)?.hex ?? "" }

    /// The signature of the message in 128 hexadecimal digits.
    public func sign(_ message: [UInt8]) -> String {
        var (signature, count) = ([UInt8](repeating: 0, count: 64), 64)
        let (key, context) = (Self.key(seed), EVP_MD_CTX_new())
        defer {
            EVP_PKEY_free(key)
            EVP_MD_CTX_free(context)
        }
        guard let key, let context, EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1, let first = Digest(bytes: signature[..<32]),
            let second = Digest(bytes: signature[32...])
        else { fatalError("there is no memory to sign with") }
        return first.hex + second.hex
    }

    private static func key(_ seed: [UInt8]) -> OpaquePointer? { EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed, seed.count) }
}
