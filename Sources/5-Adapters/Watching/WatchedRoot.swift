/// A folder to watch, together with the folders below it that are admitted.
public struct WatchedRoot: Sendable {
    /// The absolute path, without a slash at the end; "" for the root of the file system. It may be a link, and need not exist yet.
    public let path: String
    /// The events that are reported for the files in the folder.
    public let news: WatchNews
    /// How many levels of folders below the root are watched.
    public let depth: Int
    /// Whether a folder below the root is watched. The argument is its path from the root.
    public let admits: @Sendable (_ folder: String) -> Bool
    /// Whether a file is listed when watching begins. The argument is its name as bytes, which need not be valid text. `nil` lists
    /// no files.
    public let lists: (@Sendable (_ name: UnsafeRawBufferPointer) -> Bool)?
    /// Whether to note a path that is neither a folder nor listed. The arguments are its name as bytes, and whether it is a link.
    public let passesOver: (@Sendable (_ name: UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)?

    /// Describes a root; slashes at the end of `path` are dropped. By default, all folders below it are watched, and no files are listed.
    public init(
        _ path: String, news: WatchNews, depth: Int = .max,
        admits: @escaping @Sendable (_ folder: String) -> Bool = { _ in true },
        lists: (@Sendable (_ name: UnsafeRawBufferPointer) -> Bool)? = nil,
        passesOver: (@Sendable (_ name: UnsafeRawBufferPointer, _ isLink: Bool) -> Bool)? = nil
    ) {
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        self.path = path
        self.news = news
        self.depth = depth
        self.lists = lists
        self.passesOver = passesOver
        self.admits = admits
    }

    /// The page cache in `folder`. Only removals are reported, since new images are our own.
    public static func pageCache(_ folder: String) -> WatchedRoot {
        WatchedRoot(folder, news: .removals, depth: 2) { $0 == "pages" || $0.hasPrefix("pages/") }
    }

    /// A band's folder. Reports the files that others write into their devices' folders, and removals of files.
    public static func band(_ folder: String) -> WatchedRoot { WatchedRoot(folder, news: [.removals, .writes], depth: 2) }

    /// The path of `folder` from the root, "" for the root itself; `nil` for a path outside the root.
    func relative(_ folder: String) -> String? {
        if folder == path { return "" }
        // Compare bytes: as strings, several spellings of a letter are equal, and an accent after a slash would merge with the slash.
        guard folder.utf8.starts(with: (path + "/").utf8) else { return nil }
        return String(Substring(folder.utf8.dropFirst(path.utf8.count + 1)))
    }

    /// How many levels below the root a folder is; `nil` if the folder is not watched.
    func level(of folder: String) -> Int? {
        guard let relative = relative(folder) else { return nil }
        if relative.isEmpty { return 0 }
        let level = relative.utf8.count { $0 == UInt8(ascii: "/") } + 1
        return level <= depth && admits(relative) ? level : nil
    }
}

/// The events that are reported for the files in a watched folder. New and removed folders are always reported.
public struct WatchNews: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Files were deleted or moved out.
    public static let removals = WatchNews(rawValue: 1)
    /// Files were closed after writing, or moved in.
    public static let writes = WatchNews(rawValue: 2)
    /// Links were made, or further names of files, which nobody closes after writing. With `writes` only.
    public static let links = WatchNews(rawValue: 4)
}
