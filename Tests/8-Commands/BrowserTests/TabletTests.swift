import Platform
import TestSupport
import Testing

/// A tablet on the music stand, which reaches the laptop through the network.
@Suite(.onLoop, .browsers, .serialized, .enabled(if: Browser.isInstalled, Browser.isMissing))
struct TabletTests {
    @Test @LoopActor func tokenIsAskedForOnceAndMusicIsShown() async throws {
        let folder = TemporaryFolder()
        try AtomicFile.write("geheim+geheim=%25\n", to: folder.path("viewer"))
        let settings = "  listen: 0.0.0.0\n  names: [\(Browser.elsewhere)]\n  token_file: \(folder.path("viewer"))"
        try await Desk.use(viewer: settings) { desk in
            let browser = desk.browser
            let port = desk.address.split(separator: ":").last ?? ""
            let tablet = "http://\(Browser.elsewhere):\(port)"
            try await browser.resize(820, 1180)
            try await browser.open(tablet + "/")
            #expect(try await browser.ask("return isSecureContext") == false, "as it is for a tablet")
            try await browser.screenshot("token")
            try await enter("geheim+geheim=%24", browser)
            try await browser.wait(for: "document.body.innerText.includes('not the token')")
            try await enter("geheim+geheim=%25", browser)
            try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelectorAll('.plan-card').length > 1")
            #expect(try await browser.ask("return location.href") == tablet + "/")
            #expect(try await browser.ask("return document.cookie") == "")

            try await browser.open(tablet + "/")
            try await browser.wait(for: "document.body.dataset.state === 'ready'")
            try await browser.run("document.querySelector('.plan-card a').click()")
            try await browser.wait(for: "document.querySelector('ol.items a')")
            try await browser.run("document.querySelector('ol.items a').click()")
            try await browser.wait(for: "document.body.dataset.state === 'ready' && document.querySelector('.stage canvas.page')")
            try await browser.screenshot("tablet-chart")

            // The agent is started again: the music stays, and the token is typed where one is.
            try await desk.endAgent()
            try await desk.beginAgain()
            let signIn = "document.querySelector('.banner:not([hidden]) .button:not([hidden])')"
            try await browser.wait(for: "\(signIn) && document.querySelector('.stage canvas.page')")
            try await browser.screenshot("tablet-restarted")
            try await browser.run("\(signIn).click()")
            for (token, isRight) in [("geheim", false), ("geheim+geheim=%25", true)] {
                try await browser.wait(for: "document.querySelector('dialog input#token')")
                try await browser.run(
                    "document.querySelector('#token').value = '\(token)'; document.querySelector('dialog [type=submit]').click()")
                if isRight {
                    try await browser.wait(for: "!document.querySelector('dialog') && document.getElementById('banner').hidden")
                } else {
                    try await browser.wait(for: "document.querySelector('dialog .trouble').textContent === 'That is not the token.'")
                    try await browser.screenshot("tablet-sign-in")
                }
            }
            try await browser.press(.right)
            try await browser.wait(for: "document.body.dataset.position === '1' && document.body.dataset.state === 'ready'")
        }
    }

    @LoopActor
    private func enter(_ token: String, _ browser: Browser) async throws {
        try await browser.run("document.querySelector('input').value = '\(token)'; document.querySelector('button').click()")
    }
}
