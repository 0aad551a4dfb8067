public import Catalogue
public import Model
public import Sets

/// What is known of the musician's own sets: which plan each folder or list is, and the files as they were last read.
public final class SetStore: Store {
    public struct File: Hashable, Sendable {
        public let stamp: FileStamp
        public let digest: Digest

        public init(stamp: FileStamp, digest: Digest) { (self.stamp, self.digest) = (stamp, digest) }
    }

    /// The sets, by the paths of their folders and lists.
    public func known() throws(LibraryError) -> [String: KnownSet] {
        try database.dictionary("SELECT path, plan_id, inode, device FROM sets LEFT JOIN set_devices USING (path)") { row in
            let number = row.optionalInteger(3).map { device in
                DiskNumber(device: UInt64(bitPattern: Int64(device)), inode: UInt64(bitPattern: Int64(row.integer(2))))
            }
            return (row.text(0), KnownSet(plan: PlanID(row.text(1)), number: number))
        }
    }

    /// The files, by their paths.
    public func files() throws(LibraryError) -> [String: File] {
        try database.dictionary("SELECT path, device, inode, size, modified, changed, hash FROM set_files") { row throws(LibraryError) in
            (row.text(0), File(stamp: row.stamp(from: 1), digest: try database.hash(row.text(6)).digest))
        }
    }

    /// How many bytes the files have, by their digests.
    public func sizes() throws(LibraryError) -> [Digest: Int] {
        Dictionary(try files().values.map { ($0.digest, $0.stamp.size) }) { first, _ in first }
    }

    /// Stores what is known now in place of what was known; writes only the differences.
    public func note(_ sets: [String: KnownSet], files: [String: File]) throws(LibraryError) {
        let (formerSets, formerFiles) = (try known(), try self.files())
        guard sets != formerSets || files != formerFiles else { return }
        try database.write { () throws(LibraryError) in
            for path in formerSets.keys where sets[path] == nil { try database.run("DELETE FROM sets WHERE path = ?", [.text(path)]) }
            for path in formerFiles.keys where files[path] == nil {
                try database.run("DELETE FROM set_files WHERE path = ?", [.text(path)])
            }
            for (path, set) in sets where formerSets[path] != set {
                try database.run(
                    "INSERT OR REPLACE INTO sets (path, plan_id, inode) VALUES (?, ?, ?)",
                    [.text(path), .id(set.plan), .integer(Int(Int64(bitPattern: set.number?.inode ?? 0)))])
                try database.run("DELETE FROM set_devices WHERE path = ?", [.text(path)])
                guard let number = set.number else { continue }
                try database.run(
                    "INSERT INTO set_devices (path, device) VALUES (?, ?)",
                    [.text(path), .integer(Int(Int64(bitPattern: number.device)))])
            }
            for (path, file) in files where formerFiles[path] != file {
                try database.run(
                    "INSERT OR REPLACE INTO set_files (path, device, inode, size, modified, changed, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [.text(path)] + file.stamp.values + [.text(file.digest.hex)])
            }
        }
    }
}
