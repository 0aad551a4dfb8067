/// How the folders stand in which the user's files of marks are looked for.
public struct MarkFolders: Hashable, Sendable {
    /// Folders that are not there.
    public internal(set) var missing: Set<String> = []
    /// Folders that have none of the files that were there; their marks stay until the files are back.
    public internal(set) var emptied: Set<String> = []
    /// Folders that may not be read; what was in them is kept.
    public internal(set) var unreadable: Set<String> = []
    /// Folders that are another one by another name, with that; their files count once.
    public internal(set) var twins: [String: String] = [:]
}
