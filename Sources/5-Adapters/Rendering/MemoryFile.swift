import CShims
import Glibc
package import Platform

/// A file in memory, for what is too large for a message.
package enum MemoryFile {
    /// Makes a file that holds `bytes`, to be read from its start.
    package static func create(holding bytes: some Collection<UInt8> = []) throws(SystemError) -> Descriptor {
        let number = woodshed_memory_file("woodshed")
        guard number >= 0 else { throw SystemError("make a file in memory") }
        let file = Descriptor(owning: number)
        let bytes = Array(bytes)
        do {
            try bytes.withUnsafeBytes { try file.write($0) }
        } catch {
            throw error as? SystemError ?? SystemError("write", code: EIO)
        }
        lseek(number, 0, SEEK_SET)
        return file
    }

    /// Reads what the other side has written, from the start; the descriptor stays open.
    package static func read(_ descriptor: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw SystemError("read a file in memory") }
        return try Descriptor(owning: own).readAll(limit: limit)
    }
}
