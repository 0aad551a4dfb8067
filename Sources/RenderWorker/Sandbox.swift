import CShims
import Glibc

/// What shuts a worker in, before it reads a byte of a PDF: it reads fonts and what it is handed, writes what it is handed,
/// and does nothing else.
enum Sandbox {
    /// The walls, by the names under which tests leave one out.
    enum Wall: String, Hashable, CaseIterable {
        /// The kernel's rules about files.
        case landlock
        /// The list of system calls that may be made.
        case filter
    }

    /// Puts up all walls that the kernel offers, for good; answers what is missing, a sentence each.
    ///
    /// Both bind the calling thread and those that it starts, so there must be no other yet.
    static func enter(without omitted: Set<Wall> = []) -> [String] {
        // Not even the kernel's rules hold for one who gains rights by starting a program.
        let isBound = woodshed_no_new_privileges() == 0
        let landlock = omitted.contains(.landlock) ? nil : hideFiles()
        // Last, for it forbids the calls that put up the other.
        let hasFilter = isBound && !omitted.contains(.filter) && SystemCallFilter.load()
        return gaps(landlock: landlock, hasFilter: hasFilter)
    }

    /// Answers the version of the rules that hold.
    private static func hideFiles() -> Int? {
        let version = Int(woodshed_landlock_version())
        var paths = FontPaths.all { name in getenv(name).map { String(cString: $0) } }.map { UnsafePointer(strdup($0)) }
        defer { for path in paths { free(UnsafeMutablePointer(mutating: path)) } }
        return woodshed_landlock_read_only(&paths, Int32(paths.count)) == 0 ? version : nil
    }

    /// What could be done through the holes. The filter covers what an old landlock leaves open.
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
