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
    private let slots: [ImageSlot: [ImageName]]
    /// Who drew what is there now.
    private let renderers: [ImageSlot: String]

    @LoopActor
    init(_ present: Set<ImageName>, _ library: Library) throws(LibraryError) {
        let records = try library.imageRecords().filter { present.contains($0.name) }
        self.init(present, renderers: Dictionary(records.map { ($0.name.slot, $0.renderer) }) { first, _ in first })
    }

    init(_ present: Set<ImageName>, renderers: [ImageSlot: String]) {
        self.present = present
        slots = Dictionary(grouping: present, by: \.slot)
        self.renderers = renderers
    }

    /// Those that show what `image` would, if they are whole.
    func showing(_ image: WantedImage) -> [ImageName] {
        guard let names = slots[image.name.slot] else { return [] }
        guard image.inputs.variant == .annotated else { return names }
        // Its name is told again as that renderer would: with the present marks and the present size.
        guard let renderer = renderers[image.name.slot], let name = image.inputs.name(drawnBy: renderer) else { return [] }
        return present.contains(name) ? [name] : []
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
