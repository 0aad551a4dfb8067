import ChartFiles
import Freshness
import Glibc
import ImageKeeping
import Library
import Model
import PageCache
import Platform

extension ReadinessCheck {
    /// Checks the charts' files: that each exists with the right length; if thorough, also that its bytes match its hash.
    func lookAtFiles(of charts: inout [ChartUse: Chart], isThorough: Bool) async throws {
        let due = try charts.values.compactMap { chart in try chart.facts.stored.flatMap { try library.charts.chartFile(of: $0.hash) } }
        let found = await cache.side.run { Dictionary(due.map { ($0.chart, Self.look(at: $0, isThorough)) }) { first, _ in first } }
        for (id, chart) in charts {
            if let hash = chart.facts.stored?.hash, let (file, _) = found[hash] { charts[id]?.facts.file = file }
        }
        // Report the damage even if it cannot be recorded.
        try? library.charts.note(damaged: found.compactMap { chart, look in look.damage.map { (chart, $0) } })
    }

    /// The state of a file, and the reading if it shows new damage.
    private nonisolated static func look(at file: ChartFile, _ isThorough: Bool) -> (ChartFacts.File, damage: ChartFile.Reading?) {
        do throws(SystemError) {
            let (state, reading) = try file.examine(isThorough: isThorough)
            return switch state {
            case .intact: (.intact, nil)
            case .gone: (.gone, nil)
            case .changed: (.changed, reading == file.lastReading ? nil : reading)
            }
        } catch {
            return (.unreadable("\(error)"), nil)
        }
    }

    /// Checks every image that the charts should have, and finds out why the missing ones are missing.
    func lookAtImages(of charts: inout [ChartUse: Chart], _ known: LibraryFacts, _ circumstances: Circumstances) async throws {
        let names = Set(charts.values.flatMap { $0.images.map(\.name) }).sorted()
        let conditions = await conditions(of: names, circumstances)
        let isAnyMissing = conditions.values.contains(.missing)
        let former = isAnyMissing ? try await former(for: charts, besides: conditions, circumstances) : []
        var withheld: Set<ImageName> = []
        if isAnyMissing { withheld = try await self.withheld(circumstances.now) }
        let reason = withheld.isEmpty ? nil : keeper.reasonToWithhold(withheld.count)
        for (id, chart) in charts where chart.facts.pages != nil {
            charts[id]?.facts.reasonToWithhold = reason
            charts[id]?.facts.images = chart.images.map { image in
                var condition = conditions[image.name] ?? .missing
                if condition == .missing, former.contains(image.name) { condition = .former }
                return ChartFacts.Image(
                    page: image.inputs.page, variant: image.inputs.variant, condition: condition, failure: known.imageFaults[image.name],
                    isWithheld: withheld.contains(image.name))
            }
            try charts[id]?.facts.noteMarkers { chart, hash throws(LibraryError) in try library.drawings.visibleLayers(of: chart, on: hash)
            }
        }
    }

    private func conditions(
        of names: [ImageName], _ circumstances: Circumstances
    ) async -> [ImageName: ChartFacts.Condition] {
        guard circumstances.isThorough else { return cache.conditions(of: names).mapValues(ChartFacts.Condition.init) }
        return await checked(names)
    }

    /// The missing images that have a former image to show instead; former images are checked like all others.
    private func former(
        for charts: [ChartUse: Chart], besides conditions: [ImageName: ChartFacts.Condition], _ circumstances: Circumstances
    ) async throws -> Set<ImageName> {
        let images = FormerImages(cache.present(), library)
        var places: [ImageName: [ImageName]] = [:]
        for image in charts.values.flatMap(\.images) where conditions[image.name] == .missing {
            places[image.name] = try images.showing(image)
        }
        let found = await self.conditions(of: Set(places.values.joined()).sorted(), circumstances)
        return Set(places.filter { $0.value.contains { found[$0] == .intact } }.keys)
    }

    private func checked(_ names: [ImageName]) async -> [ImageName: ChartFacts.Condition] {
        let report = await cache.verify(names)
        var conditions = Dictionary(names.map { ($0, ChartFacts.Condition.intact) }) { first, _ in first }
        for name in report.missing { conditions[name] = .missing }
        for name in report.bad { conditions[name] = .damaged }
        for unreadable in report.unreadable { conditions[unreadable.name] = .unreadable("\(unreadable.error)") }
        return conditions
    }

    private func withheld(_ now: Timestamp) async throws -> Set<ImageName> {
        let set = try wants.set(by: renderer, now: now)
        let present = Set(await cache.survey().map(\.name))
        try keeper.recall()
        return Set(try keeper.admission(of: set, present: present).withheld.map(\.name))
    }
}

extension ChartFacts.Condition {
    fileprivate init(_ condition: ImageCondition) {
        switch condition {
        case .intact: self = .intact
        case .missing: self = .missing
        case .damaged: self = .damaged
        case .unreadable(let error): self = .unreadable("\(error)")
        }
    }
}

/// Present images under other names than the wanted ones: from another renderer, or with another size or paper.
///
/// No stale image may be shown. A plain image or thumbnail of the same version of a chart shows the page, whichever renderer drew
/// it; an annotated image shows the present marks only if its name can be derived from them.
struct FormerImages {
    private let present: Set<ImageName>
    private let slots: [ImageSlot: [ImageName]]
    /// Looks up the record of the last image of the same page and variant.
    private let record: @LoopActor (ImageName) throws(LibraryError) -> ImageRecord?

    @LoopActor
    init(_ present: Set<ImageName>, _ library: Library) {
        self.init(present) { name throws(LibraryError) in try library.images.record(besides: name) }
    }

    init(_ present: Set<ImageName>, record: @escaping @LoopActor (ImageName) throws(LibraryError) -> ImageRecord?) {
        self.present = present
        slots = Dictionary(grouping: present, by: \.slot)
        self.record = record
    }

    /// The images with the same content as `image`, provided that they are intact.
    @LoopActor
    func showing(_ image: WantedImage) throws(LibraryError) -> [ImageName] {
        guard let names = slots[image.name.slot] else { return [] }
        guard image.inputs.variant == .annotated else { return names }
        // Derive the name that the former image should have: with the present marks, by the former renderer, in the former size.
        guard let record = try record(image.name), let name = image.inputs.name(madeAs: record) else { return [] }
        return present.contains(name) ? [name] : []
    }
}

extension ImageInputs {
    /// The name that this image would have if made as `other` was; `nil` if that is unknown.
    fileprivate func name(madeAs other: ImageRecord) -> ImageName? {
        var tag = other.renderer
        if let fonts {
            // Only the beginning of the digest of `other`'s fonts is recorded, so the name is known only if they are this image's fonts.
            let ending = " fonts-\(fonts)"
            guard tag.hasSuffix(ending) else { return nil }
            tag = String(tag.dropLast(ending.count))
        }
        let inputs = drawn(by: RendererTag(tag))
        return ImageName(other.format.map { inputs.made(in: $0) } ?? inputs)
    }
}
