import Freshness
import ImageKeeping
import Model
import Platform
import Rendering

/// The wanted images as of the last reconcile run, and those without room.
@LoopActor
final class Wanted {
    /// All images that belong in the cache, even if this run is limited to fewer.
    private(set) var inCache: WantedSet?
    private var byName: WantedByName?
    private(set) var renderer: RendererIdentity?
    /// The plain images of the pages in this run's scope.
    private(set) var plainImages: [WantedImage.Page: ImageName] = [:]
    /// The number of images and pages in this run's scope.
    private(set) var images = 0
    private(set) var pages = 0
    /// The images for which there is no room.
    private(set) var withheld: Set<ImageName> = []
    /// How many images had no room when this was last reported.
    private(set) var withheldAsTold = 0
    /// Whether images have been made since the images without room were last determined.
    private var hasLearnedSizes = false

    nonisolated init() {}

    subscript(name: ImageName) -> WantedImage? { byName?[name] }

    /// Takes over the wanted images: `set` for this run, `whole` for the cache.
    func adopt(_ set: WantedSet, in whole: WantedSet, by renderer: RendererIdentity) {
        plainImages = set.images.reduce(into: [:]) { if $1.inputs.variant == .plain { $0[$1.page] = $1.name } }
        images = set.images.count
        pages = Set(set.images.map(\.page)).count
        self.renderer = renderer
        inCache = whole
        byName = WantedByName(whole)
    }

    func withhold(_ names: Set<ImageName>) {
        withheld = names
        hasLearnedSizes = false
    }

    /// Notes that an image was made, so its size is known.
    func learnSize() { hasLearnedSizes = true }

    /// Whether images withheld because of estimated sizes may fit, now that more sizes are known.
    var mayFitMore: Bool { !withheld.isEmpty && hasLearnedSizes }

    /// The number of withheld images; `nil` if it has already been reported.
    func withheldToTell() -> Int? {
        guard withheld.count != withheldAsTold else { return nil }
        withheldAsTold = withheld.count
        return withheld.count
    }

    /// Whether the image's renderer is the one that drew the known plain images. A page on a screen may be the first page that is
    /// drawn with other fonts.
    func isOfSameRenderer(_ inputs: ImageInputs) -> Bool {
        inputs.tag == renderer?.tag && (inputs.fonts == nil || inputs.fonts == renderer?.fonts)
    }
}
