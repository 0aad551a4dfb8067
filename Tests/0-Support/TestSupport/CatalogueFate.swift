import CSQLite
import Glibc
public import Platform

/// What can happen to a catalogue's file while programs use it.
public enum CatalogueFate: String, CaseIterable, Sendable {
    case garbage, truncated, emptied, removed, foreign
    /// Overwritten in place by another program's database.
    case foreignWrittenOver

    /// Applies this fate to the file at `path`, which no other process has open.
    public func befall(_ path: String) throws(SystemError) {
        switch self {
        case .garbage: try Self.write([UInt8](repeating: 0x2a, count: 40_000), over: path)
        case .truncated: truncate(path, 5000)
        case .emptied: truncate(path, 0)
        case .removed: unlink(path)
        case .foreign, .foreignWrittenOver:
            let other = path + ".foreign"
            var database: OpaquePointer?
            sqlite3_open(other, &database)
            sqlite3_exec(database, "CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')", nil, nil, nil)
            sqlite3_close(database)
            if self == .foreign {
                rename(other, path)
            } else {
                try Self.write(try AtomicFile.read(other, limit: 1 << 20), over: path)
                unlink(other)
            }
        }
    }

    /// Writes `bytes` into the existing file, which keeps its inode.
    public static func write(_ bytes: [UInt8], over path: String) throws(SystemError) {
        let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_TRUNC)
        do {
            try bytes.withUnsafeBytes { try file.write($0) }
        } catch {
            throw error as? SystemError ?? SystemError("write", path: path)
        }
    }
}
