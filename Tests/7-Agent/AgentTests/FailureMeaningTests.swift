import Library
import Model
import Platform
import Rendering
import Testing

@testable import Agent

/// The conclusions from a failure to make a page's images together.
@Suite struct FailureMeaningTests {
    private typealias Meaning = (blame: String, rests: Bool, isDue: Bool)

    private static let most = RenderFailure.mostMisfortunes
    private static let cases: [(RenderFailure, of: [Variant], isDoubtful: Bool, Meaning)] = [
        // What we broke off says nothing.
        (.stopped, [.plain], false, ("none", false, false)), (.cancelled, [.plain], false, ("none", false, false)),
        // A fault of the page is final at once; one that may be of the marks is held against nothing yet.
        (.drawing("x"), [.plain], false, ("1 of 0", false, false)), (.drawing("x"), [.annotated], false, ("1 of 0", false, false)),
        (.drawing("x"), [.plain, .annotated], false, ("0 of any", false, true)),
        (.crashed("x"), [.plain, .annotated], false, ("1 of any", false, true)),
        // What took the renderer down is tried twice, and once in a doubtful chart.
        (.timedOut(seconds: 30), [.plain], false, ("1 of \(most)", false, true)),
        (.timedOut(seconds: 10), [.plain], true, ("\(most) of \(most)", true, true)),
        // A busy machine lets the chart rest.
        (.heldUp(seconds: 60), [.plain], false, ("passing", true, true)),
        (.cannotWrite(28), [.plain], false, ("passing", false, false)), (.cannotStart("x"), [.plain], false, ("passing", false, false)),
        // Under other fonts the image has another name.
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
