import JSON
import Model
import Testing

struct JSONTextTests {
    @Test func jsonIsSoundAndKeepsItsOrder() {
        let value: JSONText = [
            "n": .number(.infinity), "a/b": .number(1.5), "t": "ä\u{1}\u{85}\u{2028}\\\"\n\t", "l": [1, .null, false], "o": [:],
        ]
        #expect(value.line == #"{"n":null,"a/b":1.5,"t":"ä\u0001\u0085\u2028\\\"\n\t","l":[1,null,false],"o":{}}"#)
        #expect(JSONText.list([.maybe(nil), .maybe("x"), .texts(["y"])]).line == #"[null,"x",["y"]]"#)
    }

    @Test func nothingThatCouldBeginATagReachesABrowser() {
        let value: JSONText = ["<b>": .text("</script>")]
        #expect(String(decoding: value.bytes(forBrowsers: true), as: UTF8.self) == #"{"\u003cb>":"\u003c/script>"}"#)
        #expect(value.line == #"{"<b>":"</script>"}"#)
    }
}
