extension ImageCause {
    /// Why the image `name` was made from `makings` by `renderer`, judging by the last record of the same page and variant.
    public static func causes(
        of name: ImageName, _ makings: ImageMakings, renderer: String, former: ImageRecord?, _ circumstances: Circumstances
    ) -> [ImageCause] {
        guard let former else {
            if name.variant == .annotated, circumstances.hasPlain { return [.firstMarks] }
            return [circumstances.isReplacement ? .chartReplaced : .firstNeeded(by: circumstances.plan)]
        }
        guard former.name != name else { return [.again(former.fate.missReason)] }
        var causes = rendererCauses(renderer, former: former.renderer)
        if let old = former.origin?.makings {
            if (old.size, old.scaledFrom) != (makings.size, makings.scaledFrom) { causes.append(.size) }
            if old.paper != makings.paper { causes.append(.paper) }
            if old.marks != makings.marks { causes.append(markCause(makings.layers, former: old.layers)) }
        }
        return causes.isEmpty ? [.forgotten] : causes
    }

    private static func rendererCauses(_ name: String, former: String) -> [ImageCause] {
        // It is not known who drew it.
        guard !former.isEmpty else { return [] }
        let (new, old) = (ImageInputs.rendererParts(name), ImageInputs.rendererParts(former))
        guard new.tag == old.tag else { return [.renderer] }
        // If an image needs fonts now and did not before, that follows from its marks.
        return new.fonts != nil && old.fonts != nil && new.fonts != old.fonts ? [.fonts] : []
    }

    private static func markCause(_ new: [ImageMakings.LayerPart]?, former: [ImageMakings.LayerPart]?) -> ImageCause {
        guard let new, let former else { return .marks(layers: nil) }
        let (now, then) = (digests(new), digests(former))
        let changes = Set(now.keys).union(then.keys).sorted().compactMap { layer -> LayerChange? in
            switch (then[layer], now[layer]) {
            case (nil, _): LayerChange(layer, .came)
            case (_, nil): LayerChange(layer, .went)
            case (let then, let now): then == now ? nil : LayerChange(layer, .changed)
            }
        }
        return changes.isEmpty ? .order : .marks(layers: changes)
    }

    private static func digests(_ parts: [ImageMakings.LayerPart]) -> [LayerID: String] {
        Dictionary(parts.map { ($0.layer, $0.digest) }) { first, _ in first }
    }
}

extension ImageFate {
    /// Why an image with this fate is not in the cache.
    public var missReason: MissReason {
        switch self {
        // It should be there: nobody saw it disappear.
        case .made, .vanished: .vanished
        case .trimmed: .trimmed
        case .cleared: .cleared
        case .corrupt: .corrupt
        }
    }
}
