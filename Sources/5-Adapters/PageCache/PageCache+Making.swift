import Glibc
public import Model
public import Platform

extension PageCache {
    /// How often we try to make a folder before giving up. Folders may vanish at any time, even just after they were made.
    private static let mostAttempts = 8

    /// Begins an image's file, in its final folder. The file is deleted automatically unless it is published.
    public func begin(_ name: ImageName) throws(PageCacheError) -> TemporaryFile {
        guard mayWrite else { throw .readOnly(path: folder) }
        return try system { () throws(SystemError) in
            var attempt = 1
            while true {
                do throws(SystemError) {
                    clearWay(toFolder: pages.path(ofChart: name.chart))
                    return try TemporaryFile.create(inFolderOf: path(of: name))
                } catch {
                    // The folder is missing: this is the chart's first image, or the folder or the whole cache was removed.
                    guard error.code == ENOENT, attempt < Self.mostAttempts else { throw error }
                    attempt += 1
                }
                do throws(SystemError) {
                    try makeFolders(with: pages.path(ofChart: name.chart))
                } catch {
                    guard error.code == ENOENT else { throw error }
                }
            }
        }
    }

    /// Gives a finished image its name. The file is not flushed to disk, since the image can be made again.
    ///
    /// Returns `false` if the image's folder was removed meanwhile. The image is then a miss like any other.
    @discardableResult
    public func publish(_ file: TemporaryFile, as name: ImageName) throws(PageCacheError) -> Bool {
        guard mayWrite else { throw .readOnly(path: folder) }
        guard let sound = PNGCheck.sound(file.descriptor) else { throw .notWhole(name) }
        do throws(SystemError) {
            do throws(SystemError) {
                try file.publish(as: path(of: name), durability: .none)
            } catch {
                // Anything but a folder in the image's place is simply replaced.
                guard error.code == EISDIR else { throw error }
                Self.clearWay(ofFolder: path(of: name))
                try file.publish(as: path(of: name), durability: .none)
            }
        } catch {
            guard error.isAbsence else { throw .system(error) }
            forget(name, as: .vanished)
            return false
        }
        if leaving.contains(name) { madeAgain.insert(name) }
        note(name, size: sound.status.space, isIntact: true, ink: sound.ink)
        onImageEvent?(name, .made, sound.status.space)
        return true
    }

    /// Removes an image, and its chart's folder along with the last image. A missing image is not an error.
    public func remove(_ name: ImageName, as event: ImageEvent = .cleared) throws(PageCacheError) {
        guard mayWrite else { throw .readOnly(path: folder) }
        switch pages.remove([name])[0] {
        case .removed(let size):
            ledger.remove(name)
            changes?.insert(name)
            onImageEvent?(name, event, size)
        case .gone: forget(name, as: .vanished)
        case .failed(let error): throw .system(error)
        }
        pages.removeIfEmpty(chart: name.chart)
    }

    /// Removes unfinished images that killed processes left behind. Only for the process that holds the agent's lock.
    public func removeAbandoned() throws(PageCacheError) {
        guard mayWrite else { throw .readOnly(path: folder) }
        AtomicFile.removeAbandoned(in: folder)
        for chart in try system({ () throws(SystemError) in try pages.charts() }) {
            AtomicFile.removeAbandoned(in: pages.path(ofChart: chart), followingLinks: false)
        }
    }

    // MARK: Folders

    nonisolated func makeFolders(with path: String) throws(SystemError) {
        try Folder.create(path)
        let tag = folder + "/" + CacheTag.name
        // On a full disk, leave the tag for the next time: the cache must be accessible, not least for trimming.
        if access(tag, F_OK) != 0 { try? AtomicFile.write(CacheTag.text, to: tag) }
    }

    /// Makes way for a chart's folder. A link at its path is removed, and anything else but a folder is moved aside.
    private func clearWay(toFolder path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return
        // Remove only the link, not its target: images behind a link would never be listed.
        case S_IFLNK: unlink(path)
        default: Self.moveAside(path)
        }
    }

    /// Makes way for an image where a folder has the image's name. An empty folder is removed. A folder with contents was never
    /// ours, and is moved aside.
    private static func clearWay(ofFolder path: String) {
        if rmdir(path) != 0 { moveAside(path) }
    }

    /// Renames a file or folder that is not ours to an unused name in the same folder.
    private static func moveAside(_ path: String) {
        for number in 1... {
            let other = "\(path).aside-\(number)"
            var status = stat()
            guard lstat(other, &status) != 0 else { continue }
            rename(path, other)
            return
        }
    }
}
