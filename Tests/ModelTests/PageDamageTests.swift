import Model
import Testing

@Suite(.timeLimit(.minutes(60)))
struct PageDamageTests {
    @Test(arguments: [
        ("Syntax error at position 439: Unknown compression method in flate stream", true),
        ("Syntax error: Bad block header in flate stream", true),
        ("Syntax error: Bad LZW stream - unexpected code", true),
        ("Syntax error at position -1: End of file inside array", true),
        ("Syntax error at position -1: Unterminated string", true),
        (PageDamage.contentMissing, true),
        ("Syntax error: Unexpected end of file in flate stream", false),
        ("Syntax error: Unknown font tag 'F1'", false),
        ("the picture of mark 7 cannot be read or is too large", false),
    ])
    func onlyWhatIsNotOnThePageIsLost(warning: String, isLost: Bool) {
        #expect(PageDamage.lostContent(by: ["something else", warning]) == (isLost ? warning : nil))
    }
}
