import Glibc
import Model
import Platform
import Rendering

@testable import Moving

/// Opens archives of a home, which may come from other people.
enum Archives {
    static func take(_ bytes: [UInt8]) {
        if let manifest = HomeArchive.Manifest(bytes) {
            let again = HomeArchive.Manifest(manifest.bytes)
            precondition(again.map { $0.bytes == manifest.bytes && $0.sums.count == manifest.sums.count } == true)
        }
        open(bytes)
        // A changed archive hardly ever has the right checksums. Without correction, the code behind the checks would hardly ever
        // run.
        let mended = mended(bytes)
        open(mended)
        if let listed = listed(mended) { open(listed) }
    }

    /// Opens an archive, and checks that every entry has a path below the home's folders, and lies within the file.
    private static func open(_ bytes: [UInt8]) {
        guard let file = try? MemoryFile.create(holding: bytes) else { return }
        do {
            let archive = try HomeArchive("/proc/self/fd/\(file.number)")
            var names: Set<[UInt8]> = []
            for entry in archive.entries {
                let parts = entry.name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                precondition(parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8) })
                precondition(!entry.name.contains(0) && names.insert(entry.name).inserted)
                precondition(entry.size >= 0 && entry.offset + entry.size <= bytes.count)
                _ = try archive.digest(entry)
            }
            precondition(archive.entries.count == archive.manifest.sums.count)
        } catch {
            precondition(!"\(error)".isEmpty)
        }
    }

    /// Puts the right checksum into every header.
    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for start in stride(from: 0, through: bytes.count - TarFile.block, by: TarFile.block)
        where bytes[(start + 257)..<(start + 262)].elementsEqual("ustar".utf8) {
            let sum = (0..<TarFile.block).reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(bytes[start + $1])) }
            let digits = String(sum, radix: 8)
            let field = String(repeating: "0", count: max(6 - digits.count, 0)) + digits + "\0 "
            bytes.replaceSubrange((start + 148)..<(start + 156), with: field.utf8)
        }
        return bytes
    }

    /// Puts a correct list of all entries at the end of an archive; nil if the entries cannot be read.
    private static func listed(_ bytes: [UInt8]) -> [UInt8]? {
        guard let file = try? MemoryFile.create(holding: bytes), let entries = try? TarFile.entries(of: file, path: "x") else { return nil }
        var manifest = HomeArchive.Manifest(music: "/m", data: "/d")
        for entry in entries {
            manifest.sums.append((entry.name, SHA256.digest(of: Array(bytes[entry.offset..<(entry.offset + entry.size)]))))
        }
        let end = entries.last.map { $0.offset + $0.size + TarFile.padding($0.size).count } ?? 0
        let list = manifest.bytes
        return bytes[..<end] + TarFile.header(HomeArchive.Manifest.name, size: list.count, modified: 0) + list + TarFile.padding(list.count)
            + TarFile.end
    }
}
