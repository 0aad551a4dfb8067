import Glibc
import Model
import PageCache
import Platform
import TestSupport
import Testing

/// Random operations on a cache while its files vanish.
@Suite(.onLoop)
struct PageCachePropertyTests {
    private func name(_ generator: inout SeededGenerator) -> ImageName {
        Samples.name(
            "chart \(Int.random(in: 0..<4, using: &generator))", page: .random(in: 0..<3, using: &generator),
            variant: Variant.allCases.randomElement(using: &generator) ?? .plain, size: .random(in: 100..<102, using: &generator))
    }

    @Test(arguments: 0..<10 as Range<UInt64>) @LoopActor func theListingEqualsWhatWasPublished(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let home = TemporaryFolder()
        let cache = try PageCache(folder: home.path)
        // The intact files on disk, and the damaged ones.
        var whole: Set<ImageName> = []
        var bad: Set<ImageName> = []
        for step in 0..<300 {
            let name = name(&generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0...2:
                #expect(try cache.store(name, Samples.png(filler: .random(in: 1..<500, using: &generator))))
                whole.insert(name)
                bad.remove(name)
            case 3:
                try cache.remove(name)
                whole.remove(name)
                bad.remove(name)
            case 4:
                unlink(cache.path(of: name))
                whole.remove(name)
                bad.remove(name)
            case 5 where whole.contains(name):
                truncate(cache.path(of: name), Int.random(in: 0..<80, using: &generator))
                whole.remove(name)
                bad.insert(name)
            case 6 where Int.random(in: 0..<10, using: &generator) == 0:
                Shell.remove(home.path("pages/\(name.chart)"))
                whole = whole.filter { $0.chart != name.chart }
                bad = bad.filter { $0.chart != name.chart }
            default:
                #expect((cache.intactPath(of: name) != nil) == whole.contains(name), "step \(step)")
                #expect(cache.contains(name) == whole.contains(name), "step \(step)")
                bad.remove(name)
            }
            // The index may still contain images that have vanished, but it contains every published image.
            #expect(cache.present().isSuperset(of: whole), "step \(step)")
        }
        #expect(try PageCache(folder: home.path).present() == whole.union(bad))
        try cache.rescan()
        #expect(cache.present() == whole.union(bad))
        for name in cache.present() { #expect((cache.intactPath(of: name) != nil) == whole.contains(name)) }
        #expect(cache.present() == whole)
    }

    @Test(arguments: 0..<5 as Range<UInt64>) @LoopActor func namesRoundTripThroughTheDisk(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let home = TemporaryFolder()
        let cache = try PageCache(folder: home.path)
        let names = Set(
            (0..<100).map { _ in
                Samples.name(
                    "\(UInt64.random(in: 0...20, using: &generator))", page: .random(in: 0..<100_000, using: &generator),
                    variant: Variant.allCases.randomElement(using: &generator) ?? .plain, size: .random(in: 1..<10_000, using: &generator))
            })
        for name in names { try cache.store(name) }
        #expect(try PageCache(readingFrom: home.path).present() == names)
    }
}
