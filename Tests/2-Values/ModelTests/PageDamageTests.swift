import Model
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PageDamageTests {
    @Test(arguments: [
        ("Syntax error at position 439: Unknown compression method in flate stream", true),
        ("Syntax error: Bad block header in flate stream", true),
        ("Syntax error: Bad LZW stream - unexpected code", true),
        ("Syntax error at position -1: End of file inside array", true),
        ("Syntax error at position -1: Unterminated string", true),
        (PageDamage.contentMissing, true),
        ("Syntax error: Unexpected end of file in flate stream", true),
        ("Syntax error (439): XObject 'I' is unknown", true),
        ("Syntax error (31): No font in show", true),
        ("Syntax error: A picture is odd: Premature end of JPEG file", true),
        ("Syntax error: A picture is odd: Corrupt JPEG data: 18 extraneous bytes before marker 0xd9", false),
        ("Syntax error: ExtGState 'G' is unknown", false),
        ("Syntax error: Unknown font tag 'F1'", false),
        ("the picture of mark 7 cannot be read or is too large", false),
    ])
    func onlyWhatIsNotOnThePageIsLost(warning: String, isLost: Bool) {
        #expect(PageDamage.lostContent(by: ["something else", warning]) == (isLost ? warning : nil))
    }
}
