import Glibc
import Model
import PagePNG
import Platform

extension PagesFolder {
    /// What a full check found.
    enum Condition: Sendable {
        case intact
        case bad(FileStamp)
        case gone
        case unreadable(SystemError)
    }

    /// No image of ours is longer.
    private static let greatestLength = 1 << 28

    /// Checks every byte of an image, and that it was made from what its name says. A bad result is about the file that is still there:
    /// another one may have replaced it while it was read, and then the check is repeated.
    func verify(_ name: ImageName, by rows: PackedRows) -> Condition {
        var condition = check(name, by: rows)
        for _ in 1..<Self.mostReadings {
            guard case .bad(let read) = condition, identity(of: name) != read else { return condition }
            condition = check(name, by: rows)
        }
        return condition
    }

    /// No image is replaced this often in a row.
    private static let mostReadings = 4

    private func check(_ name: ImageName, by rows: PackedRows) -> Condition {
        let path = path(of: name)
        var status = stat()
        do throws(SystemError) {
            let file = try open(name)
            guard fstat(file.number, &status) == 0 else { throw SystemError("access", path: path) }
            guard status.isFile, status.st_size <= Self.greatestLength else { return .bad(FileStamp(status)) }
            let bytes = try file.readAll(limit: Self.greatestLength, path: path)
            return Self.isIntact(bytes, as: name, by: rows) ? .intact : .bad(FileStamp(status))
        } catch {
            if error.isAbsence { return .gone }
            // A link or a socket is bad; any other error says nothing about the image.
            guard error.code == ELOOP || error.code == ENXIO else { return .unreadable(error) }
            return lstat(path, &status) == 0 ? .bad(FileStamp(status)) : .gone
        }
    }

    /// Whether every byte is as it was made, and the image was made from what the name says.
    static func isIntact(_ bytes: [UInt8], as name: ImageName, by rows: PackedRows) -> Bool {
        bytes.withUnsafeBytes { BandedPNG(whole: $0, unpackingInto: rows)?.key.isKey(of: name) == true }
    }

    /// The identity of what is under an image's name; `nil` if nothing is.
    func identity(of name: ImageName) -> FileStamp? {
        var status = stat()
        return lstat(path(of: name), &status) == 0 ? FileStamp(status) : nil
    }

    /// What is among the images but not ours, sorted.
    func strangers() -> [String] {
        var strangers: [String] = []
        var charts: [String] = []
        try? Folder.visit(path) { entry in
            let name = String(decoding: entry.bytes, as: UTF8.self)
            let isChart = (entry.kind == .folder || entry.kind == .unknown) && ImageFolder(name) != nil
            if isChart { charts.append(name) } else { strangers.append(name) }
        }
        for chart in charts {
            try? Folder.visit(path(ofChart: chart), followingLinks: false) { entry in
                let isImage = (entry.kind == .file || entry.kind == .unknown) && ImageName(folder: chart, file: entry.bytes) != nil
                let name = String(decoding: entry.bytes, as: UTF8.self)
                if !isImage, !name.hasPrefix(AtomicFile.temporaryPrefix) { strangers.append(chart + "/" + name) }
            }
        }
        return strangers.sorted()
    }
}

extension ImageKey {
    /// Whether the image with that name was made under this key, as far as the name shows.
    fileprivate func isKey(of name: ImageName) -> Bool { digest.shortHex == name.key }
}
