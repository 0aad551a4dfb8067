import CShims
import Glibc

/// What confines a worker before it reads a byte of a PDF: it can read fonts and what it is handed, write what it is handed, and do
/// nothing else.
enum Sandbox {
    /// The walls, by the names with which tests leave one out.
    enum Wall: String, Hashable, CaseIterable {
        /// The kernel's restrictions on files.
        case landlock
        /// The list of system calls that are allowed.
        case filter
    }

    /// Puts up all walls that the kernel offers, for good; answers what is missing, one sentence each.
    ///
    /// Both bind the calling thread and those that it starts later, so there must not be any other thread yet.
    static func enter(without omitted: Set<Wall> = []) -> [String] {
        // A program could gain privileges by starting another; then even the kernel's rules would not hold.
        let isBound = woodshed_no_new_privileges() == 0
        let landlock = omitted.contains(.landlock) ? nil : hideFiles()
        // Last, since it forbids the calls that put up the other wall.
        let hasFilter = isBound && !omitted.contains(.filter) && SystemCallFilter.load()
        return gaps(landlock: landlock, hasFilter: hasFilter)
    }

    /// Answers the version of landlock that is in force.
    private static func hideFiles() -> Int? {
        let version = Int(woodshed_landlock_version())
        var paths = FontPaths.all { name in getenv(name).map { String(cString: $0) } }.map { UnsafePointer(strdup($0)) }
        defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
        return woodshed_landlock_read_only(&paths, Int32(paths.count)) == 0 ? version : nil
    }

    /// What could be done through the gaps. The filter covers what an old landlock leaves open.
    static func gaps(landlock: Int?, hasFilter: Bool) -> [String] {
        var gaps: [String] = []
        if landlock == nil { gaps.append("the kernel has no landlock, so a PDF that takes over the renderer could read your files") }
        if !hasFilter {
            gaps.append("the kernel cannot filter system calls, so a PDF that takes over the renderer could start programs")
            if landlock ?? 0 < 4 {
                gaps.append("the kernel's landlock does not cover the network, so a PDF that takes over the renderer could reach it")
            }
        }
        return gaps
    }
}
