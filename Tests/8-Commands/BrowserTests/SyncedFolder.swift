import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// A real Syncthing on a laptop, which shares one folder with another laptop and contacts no other device.
@LoopActor
final class Syncthing {
    nonisolated private static let program = "/usr/bin/syncthing"
    nonisolated static let isInstalled = access(program, X_OK) == 0
    nonisolated static let isMissing: Comment = "Syncthing is not installed: apt-get install syncthing"

    let folder: String
    /// The laptop's id for the other one: the fingerprint of a certificate that Syncthing makes.
    let device: String
    /// An address of this machine that no other program uses, so the usual ports are free, and stay the same after a restart.
    private let host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).\(Int.random(in: 2...254))"
    private let home = TemporaryFolder()
    private let key = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    private var running: Program?

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Makes the certificate and the marker of the shared folder.
    init(sharing folder: String) async throws {
        self.folder = folder
        // Without this marker, Syncthing treats the folder as a disk that is not mounted.
        try Folder.create(folder + "/.stfolder")
        let made = try await Program.run(Self.program, ["generate", "--no-default-folder", "--home", home.path])
        guard let device = (made.output + made.messages).firstMatch(of: #/Device ID: (\S+)/#)?.1 else {
            throw Failure(description: "syncthing made no keys: \(made.output)\(made.messages)")
        }
        self.device = String(device)
    }

    /// Starts Syncthing, as if the laptop were switched on.
    func begin(with other: Syncthing) async throws {
        try AtomicFile.write(configuration(with: other), to: home.path("config.xml"))
        // Run one process, without Syncthing's own monitor, and without its search for the fastest hash.
        let program = try Program(
            Self.program, ["serve", "--no-upgrade", "--no-browser", "--home", home.path],
            environment: ["STMONITORED=yes", "STHASHING=standard"])
        running = program
        try await waitUntil({ (try? self.ask("GET", "system/ping")) != nil }, for: "Syncthing's answer")
    }

    /// Kills Syncthing, as if the laptop's battery were empty.
    func end() async {
        running?.child.kill(SIGKILL)
        _ = try? await running?.result()
        running = nil
    }

    /// The configuration as Syncthing's own pages would write it, with shorter pauses; an omitted setting of a folder counts as zero.
    private func configuration(with other: Syncthing) -> String {
        let both = [self, other]
        return """
            <configuration version="36">
              <folder id="marks" path="\(folder)" type="sendreceive" rescanIntervalS="10" fsWatcherEnabled="true" fsWatcherDelayS="1" autoNormalize="true">
                \(both.map { #"<device id="\#($0.device)"/>"# }.joined())
                <filesystemType>basic</filesystemType>
                <markerName>.stfolder</markerName>
                <maxConflicts>10</maxConflicts>
                <maxConcurrentWrites>2</maxConcurrentWrites>
                <weakHashThresholdPct>25</weakHashThresholdPct>
              </folder>
              \(both.map { #"<device id="\#($0.device)"><address>tcp://\#($0.host):22000</address></device>"# }.joined())
              <gui enabled="true" tls="false"><address>\(host):8384</address><apikey>\(key)</apikey></gui>
              <options>
                <listenAddress>tcp://\(host):22000</listenAddress>
                <reconnectionIntervalS>1</reconnectionIntervalS>
                <minHomeDiskFree unit="%">0</minHomeDiskFree>
                <urAccepted>-1</urAccepted>
                <autoUpgradeIntervalH>0</autoUpgradeIntervalH>
                \(["globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled", "startBrowser"]
                    .map { "<\($0)>false</\($0)>" }.joined())
              </options>
            </configuration>
            """
    }

    // MARK: Requests to Syncthing

    /// Refuses connections with the other laptop, or allows them again.
    func pause(_ other: Syncthing, _ isPaused: Bool) throws {
        _ = try ask("POST", "system/\(isPaused ? "pause" : "resume")?device=\(other.device)")
    }

    /// Scans the folder now, and returns when Syncthing has found all changes.
    func scan() throws { _ = try ask("POST", "db/scan?folder=marks") }

    func isConnected(to other: Syncthing) throws -> Bool {
        struct All: Decodable {
            struct One: Decodable { var connected: Bool }
            var connections: [String: One]
        }
        return try ask("GET", "system/connections", as: All.self).connections[other.device]?.connected ?? false
    }

    /// Whether this side has all files, has received the report that the other side has them, too, and is idle.
    func isAtRest(with other: Syncthing) throws -> Bool {
        struct Completion: Decodable { var completion: Double }
        struct Status: Decodable {
            var state: String
            var needTotalItems: Int
        }
        let status = try ask("GET", "db/status?folder=marks", as: Status.self)
        guard status.state == "idle", status.needTotalItems == 0 else { return false }
        return try ask("GET", "db/completion?folder=marks&device=\(other.device)", as: Completion.self).completion == 100
    }

    private func ask<Answer: Decodable>(_ method: String, _ what: String, as _: Answer.Type) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(ask(method, what)))
    }

    private func ask(_ method: String, _ what: String) throws -> [UInt8] {
        let reply = try HTTPProbe.send(method, "http://\(host):8384/rest/\(what)", headers: [("X-API-Key", key)])
        guard reply.status == 200 else { throw Failure(description: "syncthing answers \(reply.status) to \(what): \(reply.text)") }
        return reply.body
    }

    /// The folder's files for people, by name: without Syncthing's own, and without files that vanish during the reading.
    func files() throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
            found[name] = try? AtomicFile.read("\(folder)/\(name)", limit: 1 << 26)
        }
        return found
    }
}

/// Two laptops' copies of one folder, which Syncthing keeps equal while the laptops are connected.
@LoopActor
final class SyncedFolder {
    /// The ways in which two laptops are separated.
    enum Parting {
        /// Both run, but cannot reach each other.
        case distance
        /// One is switched off, and its Syncthing sees no changes.
        case rest
    }

    let left, right: Syncthing
    private var parting: Parting?

    /// Shares two folders, which need not exist yet, while `body` runs.
    static func use(_ left: String, _ right: String, _ body: @LoopActor (SyncedFolder) async throws -> Void) async throws {
        let shared = SyncedFolder(try await Syncthing(sharing: left), try await Syncthing(sharing: right))
        do {
            try await shared.left.begin(with: shared.right)
            try await shared.right.begin(with: shared.left)
            try await shared.waitUntilConnected(true)
            try await body(shared)
        } catch {
            await shared.end()
            throw error
        }
        await shared.end()
    }

    private init(_ left: Syncthing, _ right: Syncthing) { (self.left, self.right) = (left, right) }

    private func end() async {
        await left.end()
        await right.end()
    }

    func part(by parting: Parting) async throws {
        self.parting = parting
        switch parting {
        case .distance: try left.pause(right, true)
        case .rest: await right.end()
        }
        try await waitUntilConnected(false)
    }

    func join() async throws {
        switch parting {
        case .distance: try left.pause(right, false)
        case .rest: try await right.begin(with: left)
        case nil: return
        }
        parting = nil
        try await waitUntilConnected(true)
    }

    private func waitUntilConnected(_ isConnected: Bool) async throws {
        try await waitUntil(
            {
                // A laptop that is switched off answers no request, so only the other one is checked.
                let right = try parting == .rest || self.right.isConnected(to: left) == isConnected
                return try right && left.isConnected(to: self.right) == isConnected
            }, for: isConnected ? "two Syncthings that reach each other" : "two Syncthings that do not reach each other")
    }

    /// Waits until both folders have the same files, and no transfer is left.
    func settle() async throws {
        try left.scan()
        try right.scan()
        try await waitUntil(
            { try left.files() == right.files() && left.isAtRest(with: right) && right.isAtRest(with: left) },
            for: "two folders that are alike")
    }
}
