public import Model
import PageCache
import Platform

extension Agent {
    /// Somebody could not show this image: checks every byte of it, and has it made again if it is damaged. Answers whether it was.
    ///
    /// One image at a time. What was checked within the minute is not checked again, whoever asks: a disk that damages whatever is
    /// written to it would have us do nothing else.
    public func checkDamage(of name: ImageName) async -> Bool {
        // Only what is there, so that nobody has us remember names that he made up.
        guard !isStopping, parts.cache.contains(name) || parts.cache.look(name) != nil else { return false }
        memory.letGo(of: name)
        return await mend(name)
    }

    /// Has an image that turned out to be damaged removed and made again, unless that was tried a moment ago. Answers whether it was.
    @discardableResult
    func mend(_ name: ImageName) async -> Bool {
        guard !isStopping else { return false }
        return await mending.check(name, parts.time) { [self] in
            guard await parts.cache.verify([name]).bad.contains(name) else { return false }
            parts.log.warning("the image \(name) was damaged; it is drawn again when it is wanted")
            reconcile()
            return true
        }
    }

    /// Has an image in memory before it is asked for.
    func hold(_ name: ImageName) async {
        do throws(PageCacheError) {
            _ = try await memory.bytes(of: name)
        } catch .damaged {
            await mend(name)
        } catch {
            // It is told to who asks for it.
        }
    }
}
