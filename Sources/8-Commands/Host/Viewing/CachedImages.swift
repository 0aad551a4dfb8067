import Agent
import Keeping
import Model
import PageCache
import Viewer

/// The images that are there, for the thread that answers browsers: from memory, otherwise from the cache's files.
struct CachedImages: ViewerImages {
    let memory: MemoryTier
    let cache: PageCache
    let shown: ShownImages

    func image(_ name: ImageName) -> ViewerImageBytes? {
        guard let image = find(name) else { return nil }
        shown.noteServed(name)
        return image
    }

    private func find(_ name: ImageName) -> ViewerImageBytes? {
        if let bytes = memory.held(name) { return .bytes(bytes) }
        // Opening it records the use, in the file itself and at most once an hour.
        guard let image = cache.use(name) else { return nil }
        let size = image.length
        return .file(descriptor: image.release(), size: size)
    }
}
