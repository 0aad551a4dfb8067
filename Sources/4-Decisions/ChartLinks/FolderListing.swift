import Glibc
package import Platform

/// What is in a folder, as far as it matters for links.
package enum FolderListing: Hashable {
    /// There is nothing at its path.
    case missing
    /// Something else is there, or a link that the user made.
    case foreign
    case entries([Entry])

    /// One name in a folder.
    package struct Entry: Hashable {
        package var name: String
        /// Where it points; `nil` for everything that is not a symbolic link.
        package var linkTarget: String?
    }

    package var entries: [Entry] { if case .entries(let entries) = self { entries } else { [] } }

    /// The links to charts that have one of the user's files with the same stem next to them: `01 Grace.xopp` next to
    /// `01 Grace.pdf`. `isChart` says which entries are links to charts.
    func linksWithUserFiles(_ isChart: (Entry) -> Bool) -> [Entry] {
        let links = entries.filter(isChart)
        let others = entries.filter { !isChart($0) }.map { FileName.folded($0.name) }
        guard !others.isEmpty else { return [] }
        return links.filter { link in others.contains { Self.isBeside($0, link.name) } }
    }

    /// Whether a file, by its folded name, belongs to the link called `link`; so do the hidden files of PDF readers.
    static func isBeside(_ file: String, _ link: String) -> Bool {
        let stem = FileName.folded(String(link.dropLast(".pdf".count))) + "."
        return file.hasPrefix(stem) || file.hasPrefix("." + stem)
    }

    /// Reads it from the disk.
    package static func of(_ path: String) throws(SystemError) -> FolderListing {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw SystemError("access", path: path) }
            return .missing
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .foreign }
        return .entries(try Folder.names(in: path).map { Entry(name: $0, linkTarget: target(of: path + "/" + $0)) })
    }

    package static func target(of path: String) -> String? {
        var characters = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &characters, characters.count)
        return count < 0 ? nil : String(decoding: characters.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
