import Glibc
public import Platform
import Testing

/// A server that keeps files, as people have them: the real program, on this machine and for one test alone.
///
/// Each is one process, so that killing it leaves nothing behind, and it ends with the test.
@LoopActor
public final class StorageServer {
    /// Why a server could not be started.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// A copy of its data at an earlier time.
    public final class Copy: Sendable {
        let place = TemporaryFolder()
    }

    public nonisolated let kind: Kind
    public nonisolated let port: UInt16
    /// An empty folder of WebDAV, or the address of S3; with a slash at its end.
    public nonisolated let address: String
    /// The user who may read and write: a name, or the number of a key.
    public nonisolated let user = "band"
    /// The password, or the key's secret; no two servers have the same.
    public nonisolated let password = String((UInt64.random(in: 0...UInt64.max) | 1 << 63), radix: 36)
    /// The bucket, which exists and is empty; only with S3.
    public nonisolated let bucket: String?
    /// The region in signatures of requests; only with S3.
    public nonisolated let region: String?

    /// Where its files lie under their own names, if it keeps them so. It may not notice changes there while it runs.
    public nonisolated var folder: String? { kind == .seaweedfs ? nil : data + "/" + Self.share }

    /// The name of the folder or bucket.
    nonisolated static let share = "band"
    /// The folder with all its data.
    nonisolated var data: String { place.path("data") }
    /// The folder with everything else: its configuration, its locks, and unfinished transfers.
    nonisolated var own: String { place.path("own") }
    nonisolated let place = TemporaryFolder()
    /// More ports, for servers that talk to themselves through the network.
    nonisolated let otherPorts: [UInt16]
    private var running: Program?
    private var hasEnded = false

    /// Starts one, and waits until it answers.
    public static func start(_ kind: Kind) async throws -> StorageServer {
        let server = try StorageServer(kind)
        try Folder.create(server.own)
        try server.makeData()
        try await server.configure()
        AfterTest.end { await server.kill() }
        try await server.begin()
        return server
    }

    private init(_ kind: Kind) throws {
        guard kind.isInstalled else { throw Failure(description: "\(kind.isMissing)") }
        let ports = try Self.freePorts(kind == .seaweedfs ? 8 : 1)
        (self.kind, port, otherPorts) = (kind, ports[0], Array(ports.dropFirst()))
        let root = "http://127.0.0.1:\(port)/"
        switch kind.speech {
        case .webDAV: (address, bucket, region) = (root + Self.share + "/", nil, nil)
        case .s3: (address, bucket, region) = (root, Self.share, "us-east-1")
        }
    }

    /// The address of a file, named from the folder or bucket.
    public nonisolated func address(of file: String) -> String { address + (bucket.map { $0 + "/" } ?? "") + file }

    // MARK: On and off

    /// Ends it in order, as when its machine is shut down.
    public func stop() async {
        // SeaweedFS may wait for itself without end then; its written data are as safe when it is killed.
        await end(with: kind == .seaweedfs ? SIGKILL : SIGTERM)
    }

    /// Ends it at once, as when its machine fails.
    public func kill() async { await end(with: SIGKILL) }

    /// Starts it again, with the same address and the same files; ends it first if it runs.
    public func restart() async throws {
        await stop()
        try await begin()
    }

    private func end(with signal: Int32) async {
        guard let program = running else { return }
        running = nil
        program.child.kill(signal)
        let clock = SystemClock()
        let limit = clock.schedule(at: clock.now + .seconds(5)) { program.child.kill(SIGKILL) }
        _ = await program.child.exit()
        clock.cancel(limit)
        removeSockets()
    }

    private func begin() async throws {
        try await giveAway()
        let (name, arguments, environment) = command
        let program = try Program(name, arguments, environment: environment)
        running = program
        hasEnded = false
        spawn {
            _ = await program.child.exit()
            if self.running === program { self.hasEnded = true }
        }
        try await waitUntil({ try await self.isReady(program) }, for: "\(kind.rawValue)'s answer")
    }

    private func isReady(_ program: Program) async throws -> Bool {
        guard !hasEnded else {
            running = nil
            throw Failure(description: "\(kind.rawValue) ended at once: \(try program.messagesSoFar())\(try program.outputSoFar())")
        }
        // Requests without a password are answered, too.
        guard (try? HTTPProbe.send("GET", address)) != nil else { return false }
        guard kind == .seaweedfs else { return true }
        // It answers before all of its parts have found each other.
        let made = try await ask("PUT", at: address + Self.share)
        return [200, 409].contains(made.status)
    }

    // MARK: Its data

    /// Takes all files away.
    public func empty() async throws {
        try await whileStopped {
            TemporaryFolder.remove(self.data)
            try self.makeData()
        }
    }

    /// A copy of its data as they are now.
    public func copy() async throws -> Copy {
        let copy = Copy()
        try await whileStopped { try await self.duplicate(self.data, to: copy.place.path("data")) }
        return copy
    }

    /// Replaces its data by an earlier copy, as from a backup.
    public func putBack(_ copy: Copy) async throws {
        try await whileStopped {
            TemporaryFolder.remove(self.data)
            try await self.duplicate(copy.place.path("data"), to: self.data)
        }
    }

    /// Some servers remember files that they have seen, so nothing is changed under them.
    private func whileStopped(_ change: @LoopActor () async throws -> Void) async throws {
        let wasRunning = running != nil
        await stop()
        try await change()
        if wasRunning { try await begin() }
    }

    private func makeData() throws {
        try Folder.create(data)
        if let folder { try Folder.create(folder) }
    }

    private func duplicate(_ source: String, to destination: String) async throws {
        let copying = try await Program.run("/bin/cp", ["-a", source, destination])
        guard copying.exit == .code(0) else { throw Failure(description: copying.messages) }
    }
}
