import Glibc
public import Platform
import Testing

/// A real file server of a kind that people use, started on this machine for a single test.
///
/// Each server is one process that ends with the test, so killing it leaves nothing behind.
@LoopActor
public final class StorageServer {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// A copy of the server's data at an earlier time.
    public final class Copy: Sendable {
        let place = TemporaryFolder()
    }

    public nonisolated let kind: Kind
    public nonisolated let port: UInt16
    /// The address of an empty WebDAV folder or of the S3 server, with a trailing slash.
    public nonisolated let address: String
    /// The user with read and write access: a name, or the id of a key.
    public nonisolated let user = "band"
    /// The password, or the key's secret, unique to each server.
    public nonisolated let password = String((UInt64.random(in: 0...UInt64.max) | 1 << 63), radix: 36)
    /// The bucket, which exists and is empty; nil except for S3.
    public nonisolated let bucket: String?
    /// The region for signing requests; nil except for S3.
    public nonisolated let region: String?

    /// The folder with the server's files, if it stores them under their own names. A running server may not detect changes in this folder.
    public nonisolated var folder: String? { kind == .seaweedfs ? nil : data + "/" + Self.share }

    /// The name of the folder or bucket.
    nonisolated static let share = "band"
    /// The folder with all the server's data.
    nonisolated var data: String { place.path("data") }
    /// The folder for everything else: configuration, locks, and unfinished transfers.
    nonisolated var own: String { place.path("own") }
    nonisolated let place = TemporaryFolder()
    /// More ports, for servers whose parts communicate over the network.
    nonisolated let otherPorts: [UInt16]
    private var running: Program?
    private var hasEnded = false

    /// Starts a server, and waits until it responds.
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

    /// The address of a file in the folder or bucket.
    public nonisolated func address(of file: String) -> String { address + (bucket.map { $0 + "/" } ?? "") + file }

    // MARK: On and off

    /// Ends the server properly, as when its machine is shut down.
    public func stop() async {
        // During a shutdown, SeaweedFS can wait for itself forever. Data that it has written are just as safe when it is killed.
        await end(with: kind == .seaweedfs ? SIGKILL : SIGTERM)
    }

    /// Kills the server, as when its machine fails.
    public func kill() async { await end(with: SIGKILL) }

    /// Restarts the server with the same address and files.
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
        // Any response shows that the server runs, even the refusal of a request without a password.
        guard (try? HTTPProbe.send("GET", address)) != nil else { return false }
        guard kind == .seaweedfs else { return true }
        // SeaweedFS responds before all its parts are connected.
        let made = try await ask("PUT", at: address + Self.share)
        return [200, 409].contains(made.status)
    }

    // MARK: Its data

    /// Removes all files.
    public func empty() async throws {
        try await whileStopped {
            TemporaryFolder.remove(self.data)
            try self.makeData()
        }
    }

    /// A copy of the server's current data.
    public func copy() async throws -> Copy {
        let copy = Copy()
        try await whileStopped { try await self.duplicate(self.data, to: copy.place.path("data")) }
        return copy
    }

    /// Replaces the server's data with an earlier copy, as from a backup.
    public func putBack(_ copy: Copy) async throws {
        try await whileStopped {
            TemporaryFolder.remove(self.data)
            try await self.duplicate(copy.place.path("data"), to: self.data)
        }
    }

    /// Changes the data while the server is stopped, because some servers cache files that they have seen. Restarts the server if it was
    /// running.
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
