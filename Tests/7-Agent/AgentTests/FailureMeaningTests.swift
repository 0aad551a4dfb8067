import Library
import Model
import Platform
import Rendering
import Testing

@testable import Agent

/// The conclusions from the failure of a job that was to make a page's images together.
@Suite struct FailureMeaningTests {
    private typealias Meaning = (blame: String, rests: Bool, isDue: Bool)

    private static let most = RenderFailure.mostMisfortunes
    private static let cases: [(RenderFailure, of: [Variant], isDoubtful: Bool, Meaning)] = [
        // A job that we stopped proves nothing.
        (.stopped, [.plain], false, ("none", false, false)), (.cancelled, [.plain], false, ("none", false, false)),
        // A fault of the page alone is final. While the marks may be at fault, nothing is blamed.
        (.drawing("x"), [.plain], false, ("1 of 0", false, false)), (.drawing("x"), [.annotated], false, ("1 of 0", false, false)),
        (.drawing("x"), [.plain, .annotated], false, ("0 of any", false, true)),
        (.crashed("x"), [.plain, .annotated], false, ("1 of any", false, true)),
        // A job that brought the renderer down is tried twice, but only once in a doubtful chart.
        (.timedOut(seconds: 30), [.plain], false, ("1 of \(most)", false, true)),
        (.timedOut(seconds: 10), [.plain], true, ("\(most) of \(most)", true, true)),
        // On a busy machine, the chart is put off.
        (.heldUp(seconds: 60), [.plain], false, ("passing", true, true)),
        (.cannotWrite(28), [.plain], false, ("passing", false, false)), (.cannotStart("x"), [.plain], false, ("passing", false, false)),
        // With other fonts, the image has another name, so this failure is not a fault of the page.
        (.fontsChanged, [.plain], false, ("passing", false, true)),
    ]

    @Test(arguments: cases.indices) func whatFollows(index: Int) {
        let (failure, variants, isDoubtful, expected) = Self.cases[index]
        let meaning = FailureMeaning(failure, of: variants, isDoubtfulChart: isDoubtful)
        let blame =
            switch meaning.blame {
            case .none: "none"
            case .passing: "passing"
            case .page(let tries, let most): "\(tries) of \(most.map { "\($0)" } ?? "any")"
            }
        #expect((blame, meaning.restsChart(isDoubtful: isDoubtful), meaning.isDueAtOnce) == expected, "\(failure)")
    }
}
