import Library
import Model
import Platform
import Rendering
import Testing

@testable import Agent

/// The conclusions from a failure to make a page's images together.
@Suite struct FailureMeaningTests {
    private func meaning(
        _ error: any Error, of variants: [Variant] = [.plain], doubtful: Bool = false
    ) -> (blame: String, rests: Bool, isDue: Bool) {
        let meaning = FailureMeaning(error, of: variants, isDoubtfulChart: doubtful)
        let blame =
            switch meaning.blame {
            case .none: "none"
            case .passing: "passing"
            case .page(let tries, let most): "\(tries) of \(most.map { "\($0)" } ?? "any")"
            }
        return (blame, meaning.restsChart(isDoubtful: doubtful), meaning.isDueAtOnce)
    }

    @Test(arguments: [RenderFailure.stopped, .cancelled]) func whatWeBrokeOffSaysNothing(failure: RenderFailure) {
        #expect(meaning(failure) == ("none", false, false))
    }

    @Test func aFaultOfThePageIsFinalAtOnce() {
        #expect(meaning(RenderFailure.drawing("x")) == ("1 of 0", false, false))
    }

    @Test func aFaultThatMayBeTheMarksIsHeldAgainstNothingYet() {
        #expect(meaning(RenderFailure.drawing("x"), of: [.plain, .annotated]) == ("0 of any", false, true))
        #expect(meaning(RenderFailure.drawing("x"), of: [.annotated]) == ("1 of 0", false, false))
        #expect(meaning(RenderFailure.crashed("x"), of: [.plain, .annotated]) == ("1 of any", false, true))
    }

    @Test func whatTookTheRendererDownIsTriedTwiceAndInADoubtfulChartOnce() {
        let most = RenderFailure.mostMisfortunes
        #expect(meaning(RenderFailure.timedOut(seconds: 30)) == ("1 of \(most)", false, true))
        #expect(meaning(RenderFailure.timedOut(seconds: 10), doubtful: true) == ("\(most) of \(most)", true, true))
    }

    @Test func aBusyMachineLetsTheChartRest() {
        #expect(meaning(RenderFailure.heldUp(seconds: 60)) == ("passing", true, true))
    }

    @Test(arguments: [RenderFailure.cannotWrite(28), .cannotStart("x")])
    func whatSaysNothingAboutThePagePasses(failure: RenderFailure) {
        #expect(meaning(failure) == ("passing", false, false))
    }

    @Test func otherFontsAreDueAtOnceUnderTheirOwnName() {
        #expect(meaning(RenderFailure.fontsChanged) == ("passing", false, true))
    }
}
