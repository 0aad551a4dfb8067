import LocalHTTP
import Platform

/// The addresses of earlier sign-ins, latest last. They are stored in a file, since tablets have to sign in again after the agent
/// has restarted, and must not be delayed then by somebody who guesses tokens.
@LoopActor
final class KnownAddresses {
    private let path: String?
    private var addresses: [IPAddress]
    /// The most addresses that are kept: more than the devices of one musician have in a long time.
    private static let most = 32

    nonisolated init(folder: String?) {
        path = folder.map { $0 + "/viewer-known" }
        let text = path.flatMap { try? AtomicFile.read($0, limit: 4096) }.map { String(decoding: $0, as: UTF8.self) } ?? ""
        addresses = text.split(separator: "\n").compactMap { IPAddress(String($0)) }
    }

    func contains(_ address: IPAddress) -> Bool { addresses.contains(address) }

    func add(_ address: IPAddress) {
        guard addresses.last != address else { return }
        addresses = (addresses.filter { $0 != address } + [address]).suffix(Self.most)
        // The file is optional: without it, a known address is treated like any other.
        if let path { try? AtomicFile.write(addresses.map { "\($0)\n" }.joined(), to: path, mode: 0o600) }
    }
}
