import Freshness
import Model
import TestSupport

/// Random libraries: small and full of coincidences (shared charts, equal times, marks on pages that do not exist).
struct RandomLibrary {
    var generator: SeededGenerator
    static let now = Timestamp("2026-11-21T09:00:00Z")!
    static let rules = WantedSet.Rules(
        settings: RenderSettings(fullSize: 2732, thumbnailSize: 320), renderer: renderer("test-1"), ahead: .seconds(28 * 86_400))

    static func renderer(_ tag: String, fonts: String = "some") -> RendererIdentity {
        RendererIdentity(tag: RendererTag(tag), fonts: FontSet(SHA256.digest(of: fonts)))
    }

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    mutating func library() -> LibrarySnapshot {
        let charts = (0..<Int.random(in: 1...6, using: &generator)).map { number in
            (ChartHash(SHA256.digest(of: "chart \(number)")), Int.random(in: 0...6, using: &generator))
        }
        return LibrarySnapshot(
            plans: (0..<Int.random(in: 0...5, using: &generator)).map { number in
                let first = time()
                return PlanSnapshot(
                    plan: Plan(
                        id: PlanID("plan \(number)"), serviceType: ServiceTypeID("s"), firstTime: first,
                        lastTime: first.map { $0 + .seconds(5400) }),
                    charts: (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                        let (hash, pages) = charts.randomElement(using: &generator)!
                        return ChartSnapshot(
                            attachment: AttachmentID("a\(Int.random(in: 0...9, using: &generator))"), hash: hash, isHere: Self.isHere(hash),
                            pageCount: pages, needsFonts: Self.needsFonts(hash), marks: marks())
                    })
            })
    }

    /// A third of all charts lack fonts, whichever plans they are in.
    static func needsFonts(_ chart: ChartHash) -> Bool { chart.digest.bytes[0] % 3 == 0 }

    /// The files of a fifth of all charts are missing, whichever plans they are in.
    static func isHere(_ chart: ChartHash) -> Bool { chart.digest.bytes[1] % 5 != 0 }

    mutating func present(of set: WantedSet) -> Set<ImageName> {
        let foreign = ImageInputs(
            renderer: Self.renderer("older"), chart: ChartHash(SHA256.digest(of: "gone")), chartNeedsFonts: false, page: PageIndex(0),
            variant: .plain, settings: RenderSettings())
        var names = Set(set.images.map(\.name).filter { _ in Bool.random(using: &generator) })
        if Bool.random(using: &generator) { names.insert(ImageName(foreign)) }
        return names
    }

    mutating func marks() -> [PageIndex: MarkDigest] {
        var marks: [PageIndex: MarkDigest] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            marks[PageIndex(Int.random(in: 0...7, using: &generator))] = markDigest()
        }
        return marks
    }

    mutating func markDigest() -> MarkDigest {
        let number = Int.random(in: 0...3, using: &generator)
        return MarkDigest(SHA256.digest(of: "marks \(number)"), showsText: number == 3)
    }

    private mutating func time() -> Timestamp? {
        // From 40 days ago to 40 days ahead, in whole days, so that plans often have equal times.
        Int.random(in: 0...6, using: &generator) == 0
            ? nil : Self.now + .seconds(86_400 * Int.random(in: -40...40, using: &generator))
    }
}
