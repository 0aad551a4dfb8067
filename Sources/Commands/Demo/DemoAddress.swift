import CommandLine
import Glibc
import Platform

/// The address where the running demo's stand-in accepts edits, left in the runtime folder for `woodshed demo edit`.
struct DemoAddress {
    private let path: String

    init(runtime: String) {
        path = runtime + "/demo.url"
    }

    static let noDemo = CommandFailure(
        .failed, "no demo is running here; start 'woodshed demo' in another terminal and pass the --home that it prints")

    func write(_ url: String) throws(CommandFailure) {
        do {
            try Folder.create(Folder.parent(of: path))
            try AtomicFile.write(url + "\n", to: path)
        } catch {
            throw CommandFailure(.failed, "\(error)")
        }
    }

    func remove() {
        unlink(path)
    }

    /// The address that a running demo left.
    func read() throws(CommandFailure) -> String {
        guard let bytes = try? AtomicFile.read(path, limit: 1000) else { throw Self.noDemo }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
    }
}
