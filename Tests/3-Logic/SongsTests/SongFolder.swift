import Platform
import TestSupport

/// Old songs in the public domain, in the service's form, with the habits of people who write charts.
struct FolderSong: CustomStringConvertible {
    let title: String
    let key: String
    /// The song's text in the service's form. The file's first line, with the title and key, is left out.
    let text: String

    var description: String { title }

    /// The songs in the folder `songs`, where people can read and correct them as plain text.
    static let all: [FolderSong] = {
        guard let folder = Repository.module("SongsTests", in: "Tests").map({ $0 + "/songs" }), let names = try? Folder.names(in: folder)
        else { return [] }
        return names.compactMap { name in
            guard let bytes = try? AtomicFile.read(folder + "/" + name, limit: 1 << 16) else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            guard text.hasPrefix("# "), let end = text.firstIndex(where: \.isNewline) else { return nil }
            let parts = text[..<end].dropFirst(2).split(separator: " | ").map(String.init)
            guard parts.count == 2 else { return nil }
            return FolderSong(title: parts[0], key: parts[1], text: String(text[text.index(after: end)...]))
        }
    }()
}
