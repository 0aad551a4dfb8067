import Freshness
import Library
import Model
import Platform

/// The images that are there under other names than those that are wanted: what another renderer drew, or in another size.
///
/// Nothing that is shown may be stale. Plain images and thumbnails of a chart's bytes show that page whoever drew them; an
/// annotated image shows the present marks only if its name follows from them.
struct FormerImages {
    private let present: Set<ImageName>
    private let slots: Set<ImageSlot>
    /// Who drew what is there now.
    private let renderers: [ImageSlot: String]

    @LoopActor
    init(_ present: Set<ImageName>, _ library: Library) throws(LibraryError) {
        let records = try library.imageRecords().filter { present.contains($0.name) }
        self.init(present, renderers: Dictionary(records.map { ($0.name.slot, $0.renderer) }) { first, _ in first })
    }

    init(_ present: Set<ImageName>, renderers: [ImageSlot: String]) {
        self.present = present
        slots = Set(present.lazy.map(\.slot))
        self.renderers = renderers
    }

    /// Whether one of them shows what `image` would.
    func showsTheSame(as image: WantedImage) -> Bool {
        guard slots.contains(image.name.slot) else { return false }
        guard image.inputs.variant == .annotated else { return true }
        // Its name is told again as that renderer would: with the present marks and the present size.
        guard let renderer = renderers[image.name.slot], let name = image.inputs.name(drawnBy: renderer) else { return false }
        return present.contains(name)
    }
}

extension ImageInputs {
    /// What the image would be called that another renderer makes of the same; `nil` where that cannot be told.
    fileprivate func name(drawnBy other: String) -> ImageName? {
        var tag = other
        if let fonts {
            // Of other fonts only the beginning of their digest is remembered.
            let ending = " fonts-\(fonts)"
            guard other.hasSuffix(ending) else { return nil }
            tag = String(other.dropLast(ending.count))
        }
        return ImageName(drawn(by: RendererTag(tag)))
    }
}
