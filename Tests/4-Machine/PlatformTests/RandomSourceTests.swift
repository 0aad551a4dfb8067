import Platform
import TestSupport
import Testing

@Suite(.onLoop)
struct RandomSourceTests {
    @Test @LoopActor func fractionsLieBetweenNoneAndOne() {
        let sources: [any RandomSource] = [SystemRandomness(), SeededRandomness(seed: 7)]
        for source in sources {
            let drawn = (0..<1000).map { _ in source.fraction() }
            #expect(drawn.allSatisfy { (0..<1).contains($0) })
            #expect(Set(drawn).count > 990)
        }
    }

    @Test @LoopActor func seedGivesItsSequenceAgain() {
        let (one, other) = (SeededRandomness(seed: 3), SeededRandomness(seed: 3))
        #expect((0..<50).map { _ in one.next() } == (0..<50).map { _ in other.next() })
        #expect(FixedRandomness(fraction: 0.5).fraction() == 0.5)
    }
}
