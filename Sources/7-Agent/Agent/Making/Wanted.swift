import Freshness
import ImageKeeping
import Model
import Platform
import Rendering

/// The wanted images as of the last look, and those of them without room.
@LoopActor
final class Wanted {
    /// Everything that the cache is to hold, even if this run is limited to less.
    private(set) var inCache: WantedSet?
    private var byName: WantedByName?
    private(set) var renderer: RendererIdentity?
    /// The plain images of the pages that this run is for.
    private(set) var plainImages: [WantedImage.Page: ImageName] = [:]
    /// How many images and pages this run is for.
    private(set) var images = 0
    private(set) var pages = 0
    /// The images for which there is no room.
    private(set) var withheld: Set<ImageName> = []
    /// How many images had no room at the last report.
    private var withheldAsTold = 0
    /// True if images were made since the room was last shared out.
    private var hasLearnedSizes = false

    nonisolated init() {}

    subscript(name: ImageName) -> WantedImage? { byName?[name] }

    /// Takes over what is wanted now: `set` by this run, `whole` in the cache.
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

    /// Notes that an image was made, so that its size is known.
    func learnSize() { hasLearnedSizes = true }

    /// True if something that was withheld because of estimated sizes may fit now that more sizes are known.
    var mayFitMore: Bool { !withheld.isEmpty && hasLearnedSizes }

    /// How many are withheld, if that has not been reported yet.
    func withheldToTell() -> Int? {
        guard withheld.count != withheldAsTold else { return nil }
        withheldAsTold = withheld.count
        return withheld.count
    }

    /// True if an image is drawn by the same renderer as the plain images that are known: a page on a screen may be the first one drawn
    /// with other fonts.
    func isOfSameRenderer(_ inputs: ImageInputs) -> Bool {
        inputs.tag == renderer?.tag && (inputs.fonts == nil || inputs.fonts == renderer?.fonts)
    }
}
