import Glibc
public import Platform

/// The repository that the tests were built from.
public enum Repository {
    public static let path = {
        var folder = Folder.parent(of: #filePath)
        while access(folder + "/Package.swift", F_OK) != 0, folder != "/" { folder = Folder.parent(of: folder) }
        return folder
    }()

    /// The text of a file, given by its path within the repository.
    public static func text(_ file: String) throws(SystemError) -> String {
        String(decoding: try AtomicFile.read(path + "/" + file, limit: 1 << 20), as: UTF8.self)
    }

    /// The folder of a module below `root`, which is `Sources` or `Tests`; nil if there is none. The folder between them is that of the
    /// architectural layer, such as `3-Logic`.
    public static func module(_ name: String, in root: String) -> String? {
        let layers = (try? Folder.names(in: path + "/" + root)) ?? []
        return layers.map { "\(path)/\(root)/\($0)/\(name)" }.first { access($0, F_OK) == 0 }
    }
}
