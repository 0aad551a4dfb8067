import BandLayout
package import Catalogue
package import CommandLine
package import Configuration
package import Library
import Model
package import PageCache
package import Platform

/// The library and the cache, with the locks that give this process exclusive use.
@LoopActor
package struct Stores {
    package let library: Library
    package var libraryLock: AgentLock?
    package let cache: PageCache
    /// The cache has its own lock, since the agent of another library may use the same cache.
    package var cacheLock: AgentLock?

    /// Locks and opens the library and the cache. Unless `keepsAll`, opens each one only for reading if its disk is read-only or full.
    package init(_ paths: Paths, keepsAll: Bool = true) throws {
        (library, libraryLock) = try Self.openLibrary(paths, keepsAll: keepsAll)
        if !keepsAll, Folder.isOnReadOnlyDisk(paths.cache) {
            cache = try PageCache(readingFrom: paths.cache)
            return
        }
        do {
            try Folder.create(paths.cache)
            cacheLock = try AgentLock.take(besideCache: paths.cache)
            cache = try Self.openCache(paths, keepsAll: keepsAll)
        } catch {
            library.close()
            throw error
        }
    }

    /// Opens the cache and removes files left by killed processes.
    ///
    /// This requires the cache's lock: another process may have just created a file without having locked it yet, and that file
    /// would be removed, too.
    private static func openCache(_ paths: Paths, keepsAll: Bool) throws(PageCacheError) -> PageCache {
        do throws(PageCacheError) {
            let cache = try PageCache(folder: paths.cache)
            try cache.removeAbandoned()
            return cache
        } catch {
            guard !keepsAll, case .system(let reason) = error, reason.isDiskFull else { throw error }
            return try PageCache(readingFrom: paths.cache)
        }
    }

    private static func openLibrary(_ paths: Paths, keepsAll: Bool) throws -> (Library, AgentLock?) {
        if !keepsAll, Folder.isOnReadOnlyDisk(paths.data) {
            let lock = try lockThatIsThere(paths.data)
            return (try Library(inMemoryFrom: paths.data), lock)
        }
        try Folder.create(paths.data)
        let lock = try AgentLock.take(in: paths.data)
        do throws(LibraryError) {
            return (try Library(folder: paths.data), lock)
        } catch {
            // If the disk is full, show the library that is there. If there is none to show, throw the error.
            guard !keepsAll, case .system(let reason) = error, reason.isDiskFull,
                let library = try? Library(inMemoryFrom: paths.data, because: reason)
            else { throw error }
            return (library, lock)
        }
    }

    /// The lock of a library whose folder cannot be written; nil if the lock file cannot be opened, for example because it does not exist.
    private static func lockThatIsThere(_ folder: String) throws(AgentLock.Failure) -> AgentLock? {
        do throws(AgentLock.Failure) {
            return try AgentLock.take(in: folder)
        } catch {
            guard case .system = error else { throw error }
            return nil
        }
    }
}

extension CommandFailure {
    /// Turns any error of a command into a failure with the right exit code.
    package init(of error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConfigurationError: self.init(error)
        case let failure as AgentLock.Failure:
            if case .held = failure { self.init(heldBy: failure) } else { self.init(.failed, "\(failure)") }
        // A folder or server that cannot be reached, such as the band's, may respond later. One that refuses access will not.
        case let trouble as Trouble: self.init(trouble.kind == .away ? .notReady : .failed, "\(trouble)")
        default: self.init(.failed, "\(error)")
        }
    }

    private init(heldBy failure: AgentLock.Failure) {
        self.init(.locked, "\(failure)")
        if case .held(_, _, _, isAgent: false) = failure { isPassing = true }
    }

    /// The failure of a command that must store data. If a disk that cannot be written still has charts to play from, the exit
    /// code is that of `notReady`.
    @LoopActor
    init(opening paths: Paths, _ error: any Error) {
        if let failure = error as? AgentLock.Failure, case .held = failure {
            self.init(heldBy: failure)
            return
        }
        let error: any Error = if case AgentLock.Failure.system(let reason) = error { LibraryError.system(reason) } else { error }
        let isDiskFull = if case LibraryError.system(let reason) = error { reason.isDiskFull } else { false }
        guard isDiskFull || [paths.data, paths.cache].contains(where: Folder.isOnReadOnlyDisk),
            let library = try? Library(readingFrom: paths.data)
        else {
            self.init(.failed, "\(error)")
            return
        }
        defer { library.close() }
        self.init((try? library.charts.count) ?? 0 > 0 ? .notReady : .failed, "\(error)")
    }
}

extension CommandContext {
    /// Reports to people and to programs why a command ends without an answer, and returns the exit code.
    package func fail(_ error: any Error, of invocation: Invocation) -> ExitCode {
        let failure = CommandFailure(of: error)
        report(failure, of: invocation)
        return failure.code
    }
}
