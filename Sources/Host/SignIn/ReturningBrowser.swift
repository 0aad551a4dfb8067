package import CommandLine
import LocalHTTP
import PlanningCenter
package import Platform

/// Waits on this machine for the browser to come back from the service.
@LoopActor
package final class ReturningBrowser {
    /// Where the browser is sent.
    package let address: String
    private let server: WebServer
    private let back: Back

    /// What came back.
    @LoopActor
    private final class Back {
        var state: Secret?
        var answer: Result<String, CommandFailure>?
        /// Whether the browser has been told, or will not be.
        var isOver = false
        let waiters = Waiters()

        func end() {
            isOver = true
            waiters.wake()
        }

        /// Whether this is the answer to our question: nobody else knows `state`.
        func take(_ request: WebRequest) -> WebReply {
            guard let state, answer == nil, state.isSame(as: request.parameter("state") ?? "") else {
                return ReturningBrowser.page(400, "This is not what was asked for", "Run 'woodshed sign-in' again, and use its page.")
            }
            var reply: WebReply
            if let code = request.parameter("code"), !code.isEmpty {
                answer = .success(code)
                reply = ReturningBrowser.page(200, "You are signed in", "You may close this page.")
            } else {
                let why = (request.parameter("error_description") ?? request.parameter("error") ?? "no reason").prefix(200)
                answer = .failure(CommandFailure(.notAuthorised, "it was not allowed at the service (\(String(why).printable))"))
                reply = ReturningBrowser.page(200, "Not signed in", "It was not allowed at the service. You may close this page.")
            }
            reply.whenOver = { spawn { self.end() } }
            return reply
        }
    }

    package init() throws(CommandFailure) {
        let back = Back()
        var found: (WebServer, UInt16)?
        for port in SignInApplication.ports where found == nil {
            let server = try? WebServer(port: port) { request in
                guard request.method == "GET", request.path == SignInApplication.path else {
                    return .text(status: 404, "Nothing is here.\n")
                }
                return .later { responder in spawn { responder.answer(back.take(request)) } }
            }
            if let server { found = (server, port) }
        }
        guard let (server, port) = found else {
            throw CommandFailure(
                .failed,
                "the service may send your browser to ports \(SignInApplication.ports[0]) and \(SignInApplication.ports[1]) only, and both are taken"
            )
        }
        (self.server, self.back, address) = (server, back, SignInApplication.redirect(port: port))
    }

    package func stop() { server.stop() }

    /// What the service gave the browser to bring here.
    package func code(for state: Secret, within limit: Duration, clock: any TimeKeeper) async throws(CommandFailure) -> String {
        back.state = state
        let timer = clock.schedule(at: clock.now + limit) { [back] in
            back.answer = back.answer ?? .failure(CommandFailure(.failed, "nobody allowed it within ten minutes; try again"))
            back.end()
        }
        await back.waiters.wait(unless: { back.isOver })
        clock.cancel(timer)
        guard let answer = back.answer else { throw CommandFailure(.failed, "the browser brought nothing") }
        return try answer.get()
    }

    nonisolated private static func page(_ status: Int, _ title: String, _ text: String) -> WebReply {
        let page = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>\(title)</title>
            <body style="max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; font: 1.15rem/1.5 system-ui, sans-serif">
            <h1>\(title)</h1><p>\(text)</p></html>
            """
        return WebReply(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer"),
                ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
            ],
            body: Array(page.utf8))
    }
}
