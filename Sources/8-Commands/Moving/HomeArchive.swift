import ChartFiles
import CommandLine
import Glibc
import Model
import Platform

/// A home in one file: everything that cannot be fetched or made again. The manifest, a list of all digests, comes last.
///
/// `woodshed.yaml`, `home-id`, `catalogue.sqlite`, `charts/…`, `annotations/…` (the viewer's layers), `music/…` (the user's own
/// files), `manifest`.
package struct HomeArchive: ~Copyable {
    let path: String
    let file: Descriptor
    let entries: [TarFile.Entry]
    let manifest: Manifest

    static let configuration = "woodshed.yaml"
    static let catalogue = "catalogue.sqlite"
    /// The file with the home's identity.
    static let identity = "home-id"

    /// The list of digests at the end of an archive.
    struct Manifest {
        static let name = Array("manifest".utf8)
        static let greatestSize = 64 << 20
        private static let heading = "woodshed home 1"

        /// The paths that the music folder and the data folder had in the archived home.
        var music: String
        var data: String
        var sums: [(name: [UInt8], digest: Digest)] = []

        init(music: String, data: String) { (self.music, self.data) = (music, data) }

        var bytes: [UInt8] {
            var bytes = Array("\(Self.heading)\nmusic \(music)\ndata \(data)\n".utf8)
            for sum in sums { bytes += Array((sum.digest.hex + " ").utf8) + sum.name + [10] }
            return bytes
        }

        /// Nil if the list is not valid.
        init?(_ bytes: [UInt8]) {
            let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
            func folder(_ line: ArraySlice<UInt8>, _ word: String) -> String? {
                line.starts(with: word.utf8) ? String(decoding: line.dropFirst(word.utf8.count), as: UTF8.self) : nil
            }
            guard lines.count > 3, lines[0].elementsEqual(Self.heading.utf8), lines.last?.isEmpty == true,
                let music = folder(lines[1], "music "), let data = folder(lines[2], "data ")
            else { return nil }
            self.init(music: music, data: data)
            for line in lines[3...].dropLast() {
                guard line.count > 65, let digest = Digest(hex: String(decoding: line.prefix(64), as: UTF8.self)) else { return nil }
                sums.append((Array(line.dropFirst(65)), digest))
            }
        }
    }

    /// Opens and checks an archive: nothing may be missing, damaged or unlisted, and no name may lead outside the home.
    package init(_ path: String) throws {
        let file = try Descriptor.open(path, O_RDONLY | O_NONBLOCK)
        let all = try TarFile.entries(of: file, path: path)
        guard let last = all.last, last.name == Manifest.name, last.size <= Manifest.greatestSize else {
            throw Trouble("\(path) is no archive of a home: it has no list of what is in it")
        }
        var list: [UInt8] = []
        try TarFile.read(last, of: file, path: path) { list += $0 }
        guard let manifest = Manifest(list) else {
            throw Trouble("\(path) has a list that cannot be read; a newer version of Woodshed may have made it")
        }
        let entries = Array(all.dropLast())
        guard entries.map(\.name) == manifest.sums.map(\.name) else {
            throw Trouble("\(path) has other files in it than its list says; nothing was taken out of it")
        }
        var seen: Set<[UInt8]> = []
        for (entry, sum) in zip(entries, manifest.sums) {
            guard Self.isFit(entry.name), seen.insert(entry.name).inserted else {
                throw Trouble("\(path) has a file with a name that is not allowed there: \(Self.text(entry.name))")
            }
            guard try Self.digest(entry, of: file, path) == sum.digest else {
                throw Trouble("\(Self.text(entry.name)) in \(path) is damaged; make the archive again, and check the disk it was on")
            }
        }
        guard seen.contains(Array(Self.catalogue.utf8)) else { throw Trouble("\(path) has no catalogue in it") }
        (self.path, self.entries, self.manifest) = (path, entries, manifest)
        self.file = file
    }

    /// Whether an archive may contain a file of this name. Compares bytes, as the file system does.
    static func isFit(_ name: [UInt8]) -> Bool {
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0 != [46] && $0 != [46, 46] && $0.allSatisfy { $0 != 0 && $0 != 10 } }) else {
            return false
        }
        switch text(Array(parts[0])) {
        case configuration, catalogue, identity: return parts.count == 1
        case "charts": return parts.count == 2 && ChartFileName.chartHash(ofFile: text(Array(parts[1]))) != nil
        case "annotations", "music": return parts.count > 1 && String(validating: name, as: UTF8.self) != nil
        default: return false
        }
    }

    static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self).printable }

    func entry(_ name: String) -> TarFile.Entry? { entries.first { $0.name.elementsEqual(name.utf8) } }

    func digest(_ entry: TarFile.Entry) throws -> Digest { try Self.digest(entry, of: file, path) }

    private static func digest(_ entry: TarFile.Entry, of file: borrowing Descriptor, _ path: String) throws -> Digest {
        var sum = SHA256()
        try TarFile.read(entry, of: file, path: path) { sum.update($0) }
        return sum.finish()
    }

    /// Copies an entry's contents and its time to a temporary file.
    func copy(_ entry: TarFile.Entry, to target: TemporaryFile) throws {
        try TarFile.read(entry, of: file, path: path) { try target.write($0) }
        let time = timespec(tv_sec: entry.modified, tv_nsec: 0)
        futimens(target.descriptor, [time, time])
    }
}
