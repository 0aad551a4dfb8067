import Glibc
import Platform
import TestSupport

/// Moves files between the replicas of a band's place as sync programs do, and harms them as people and disks do.
///
/// Random choices are made from lists in order of appearance, because names have random parts.
@LoopActor
final class Weather {
    /// One device's copy of the place.
    final class Replica {
        let path: String
        /// The changes that have not arrived yet.
        var pending: [(path: String, bytes: [UInt8]?)] = []
        /// How many more rounds the disk stays away.
        var roundsAway = 0

        init(_ path: String) { self.path = path }

        var isAway: Bool { roundsAway > 0 }
        var elsewhere: String { path + ".unmounted" }
    }

    private(set) var replicas: [Replica] = []
    /// Every file ever written, in order; all states of each; and the current state, unless the file was removed last.
    private var paths: [String] = []
    private var states: [String: [[UInt8]]] = [:]
    private var current: [String: [UInt8]] = [:]
    /// The owner's last version of each file.
    private var written: [String: [UInt8]] = [:]
    /// The files that nobody meddles with, by path, each with the replica whose device must write first.
    private var sheltered: [String: String] = [:]
    /// Faults of the place itself.
    private(set) var complaints: [String] = []

    func add(_ path: String) -> Replica {
        let replica = Replica(path)
        replica.pending = paths.compactMap { path in current[path].map { (path, $0) } }
        replicas.append(replica)
        return replica
    }

    /// Records that a device wrote in its own replica.
    func wrote(in place: String, _ path: String, _ bytes: [UInt8]?) {
        sheltered = sheltered.filter { $0.value != place }
        if !paths.contains(path) { paths.append(path) }
        if let bytes { states[path, default: []].append(bytes) }
        (current[path], written[path]) = (bytes, bytes)
        for replica in replicas where replica.path != place { replica.pending.append((path, bytes)) }
    }

    // MARK: - One round

    func blow(_ random: inout SeededGenerator) throws {
        for replica in replicas {
            if replica.isAway {
                replica.roundsAway -= 1
                if !replica.isAway { try mount(replica) }
                continue
            }
            try deliver(to: replica, &random)
            for _ in 0..<Int.random(in: 0...2, using: &random) where !replica.isAway { try mischief(in: replica, &random) }
        }
    }

    /// Somebody restores an older state of a file, removes the file or cuts it short. All replicas receive that state as they receive
    /// the owner's.
    func meddle(_ random: inout SeededGenerator, in folders: [String]) throws {
        let all = paths.filter { path in sheltered[path] == nil && folders.contains { path.hasPrefix($0) } }
        guard let path = all.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: current[path] = states[path]?.randomElement(using: &random)
        case 1: current[path] = nil
        default: current[path] = current[path].map { Array($0.prefix($0.count / 2)) }
        }
        for replica in replicas { replica.pending.append((path, current[path])) }
    }

    /// Restores a device's own file to its last version, and protects the file until the device has seen it and written.
    func shelter(_ path: String, in place: String) throws {
        guard let replica = replicas.first(where: { $0.path == place }) else { return }
        (current[path], sheltered[path]) = (written[path], place)
        replica.pending.removeAll { $0.path == path }
        let folder = replica.isAway ? replica.elsewhere : replica.path
        if let bytes = written[path] { try FileTree.write(bytes, to: "\(folder)/\(path)") }
    }

    /// Whether the present state of a file is its owner's last version. Once all has settled, everybody has the present state.
    func isAsWritten(_ path: String) -> Bool { current[path] == written[path] }

    /// Undoes the meddling in a folder whose owner will not write there again.
    func forgive(_ folder: String) {
        for path in paths where path.hasPrefix(folder) { current[path] = written[path] }
    }

    private func deliver(to replica: Replica, _ random: inout SeededGenerator) throws {
        guard !replica.pending.isEmpty else { return }
        for _ in 0..<Int.random(in: 0...min(8, replica.pending.count), using: &random) {
            // Changes arrive in any order.
            let change = replica.pending.remove(at: Int.random(in: replica.pending.indices, using: &random))
            let target = replica.path + "/" + change.path
            guard let bytes = change.bytes else {
                unlink(target)
                continue
            }
            switch Int.random(in: 0..<20, using: &random) {
            case 0...2:
                try FileTree.write(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), to: target)
                replica.pending.append(change)
            case 3:
                try FileTree.write(bytes, to: target)
                replica.pending.append(change)
            case 4, 5:
                try FileTree.write(bytes, to: replica.path + "/" + Self.conflict(change.path, &random))
                replica.pending.append(change)
            default: try FileTree.write(bytes, to: target)
            }
        }
    }

    private func mischief(in replica: Replica, _ random: inout SeededGenerator) throws {
        guard let path = paths.randomElement(using: &random), sheltered[path] == nil else { return }
        let target = replica.path + "/" + path
        let folder = Folder.parent(of: target)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            // A former state comes back, even of a removed file.
            if let bytes = states[path]?.randomElement(using: &random) { try FileTree.write(bytes, to: target) }
        case 2, 3:
            if let bytes = states[path]?.randomElement(using: &random) {
                try FileTree.write(bytes, to: replica.path + "/" + Self.conflict(path, &random))
            }
        case 4:
            unlink(target)
            if let bytes = current[path] { replica.pending.append((path, bytes)) }
        case 5:
            let name = target.split(separator: "/").last.map { String($0) } ?? ""
            rename(target, folder + "/" + name.uppercased())
        case 6:
            let name = folder.split(separator: "/").last.map { String($0) } ?? ""
            if folder != replica.path { rename(folder, Folder.parent(of: folder) + "/" + name.uppercased()) }
        case 7: rename(replica.path + "/d", replica.path + "/D")
        case 8:
            let bytes = current[path] ?? []
            for name in ["desktop.ini", ".syncthing.head.json.tmp", "~syncthing~head.json.tmp", ".~head.json.tmp", ".DS_Store"] {
                if FileTree.isThere(folder) { try FileTree.write(bytes, to: "\(folder)/\(name)") }
            }
        case 9: try unmount(replica, isFolderThere: Bool.random(using: &random), rounds: Int.random(in: 1...6, using: &random))
        default: break
        }
    }

    /// A sync program's name for a file that it puts aside.
    private static func conflict(_ path: String, _ random: inout SeededGenerator) -> String {
        let (stem, day) = (path.dropLast(5), "2026-11-2\(Int.random(in: 1...9, using: &random))")
        return [
            "\(stem).sync-conflict-202611\(day.suffix(2))-093612-ABCDEFG.json", "\(stem) (conflicted copy \(day) 093612).json",
            "\(stem) (Anna's conflicted copy \(day)).json", "\(stem) (Zo\u{eb}'s conflicted copy \(day) 1).json",
            // The same letters, in decomposed form.
            "\(stem) (Zoe\u{308}'s conflicted copy \(day) 1).json", "\(path).conflict1", "\(path)..path2", "\(stem) (1).json",
            "\(stem) (case conflict).json", "\(stem)_conflict-\(day).json",
        ].randomElement(using: &random) ?? path
    }

    // MARK: - Disks

    private func unmount(_ replica: Replica, isFolderThere: Bool, rounds: Int) throws {
        guard rename(replica.path, replica.elsewhere) == 0 else { return }
        if isFolderThere { try Folder.create(replica.path) }
        replica.roundsAway = rounds
    }

    private func mount(_ replica: Replica) throws {
        if FileTree.isThere(replica.path) {
            let names = try Folder.names(in: replica.path)
            if !names.isEmpty { complaints.append("\(names) was written where the band's place was not mounted") }
            TemporaryFolder.remove(replica.path)
        }
        rename(replica.elsewhere, replica.path)
    }

    // MARK: - In the end

    /// Brings all last versions to all replicas. Returns whether any was missing.
    func settle() throws -> Bool {
        var hasMoved = false
        for replica in replicas {
            if replica.isAway {
                replica.roundsAway = 0
                try mount(replica)
            }
            replica.pending = []
            for path in paths {
                let target = replica.path + "/" + path
                let bytes = current[path]
                guard FileTree.read(target) != bytes else { continue }
                hasMoved = true
                if let bytes { try FileTree.write(bytes, to: target) } else { unlink(target) }
            }
        }
        return hasMoved
    }
}
