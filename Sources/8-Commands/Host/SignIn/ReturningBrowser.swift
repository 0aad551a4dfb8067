package import CommandLine
import LocalHTTP
import Model
import PlanningCenter
package import Platform

/// A web server on this machine, to which the service redirects the browser after sign-in.
@LoopActor
package final class ReturningBrowser {
    /// The address to which the service redirects the browser.
    package let address: String
    private let server: WebServer
    private let back: Back
    /// Prevents other programs from using the same port of `::1`.
    private var reservation: Descriptor?

    @LoopActor
    private final class Back {
        var state: Secret?
        var answer: Result<String, CommandFailure>?
        /// The open request of the browser, which is answered with the result.
        var responder: Responder?
        var isTold = false
        let waiters = Waiters()

        /// Accepts the redirect that carries our `state`. Refuses any other request.
        func receive(_ request: WebRequest, _ responder: Responder) {
            guard let state, answer == nil, state.isSame(as: request.parameter("state") ?? "") else {
                let text = "Run 'woodshed sign-in' again, and use its page."
                return responder.answer(ReturningBrowser.page(400, "This is not what was asked for", text))
            }
            self.responder = responder
            if let code = request.parameter("code"), !code.isEmpty {
                answer = .success(code)
            } else {
                let why = (request.parameter("error_description") ?? request.parameter("error") ?? "no reason").prefix(200)
                answer = .failure(CommandFailure(.notAuthorised, "it was not allowed at the service (\(String(why).printable))"))
            }
            waiters.wake()
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
                return .later { responder in spawn { back.receive(request, responder) } }
            }
            guard let server else { continue }
            do throws(Trouble) {
                // For `localhost`, browsers try `::1` first: a program that listens there would receive the code.
                reservation = try Listening.reserve(port: port, of: .loopback6)
                found = (server, port)
            } catch {
                server.stop()
            }
        }
        guard let (server, port) = found else {
            throw CommandFailure(
                .failed,
                "the service may send your browser to ports \(SignInApplication.ports[0]) and \(SignInApplication.ports[1]) only, and both are taken"
            )
        }
        (self.server, self.back, address) = (server, back, SignInApplication.redirect(port: port))
    }

    /// Shows the result in the browser, and stops the server.
    package func end(isSignedIn: Bool) async {
        if let responder = back.responder {
            let text = isSignedIn ? "You may close this page." : "Where you ran 'woodshed sign-in' it says why. You may close this page."
            var reply = Self.page(200, isSignedIn ? "You are signed in" : "Not signed in", text)
            reply.whenOver = { [back] in
                spawn {
                    back.isTold = true
                    back.waiters.wake()
                }
            }
            responder.answer(reply)
            await back.waiters.wait(unless: { back.isTold })
        }
        server.stop()
        reservation = nil
    }

    /// Waits for the code that the service passes through the browser. Throws if access was refused, or nobody allowed it within `limit`.
    package func code(for state: Secret, within limit: Duration, clock: any TimeKeeper) async throws(CommandFailure) -> String {
        back.state = state
        let timer = clock.schedule(at: clock.now + limit) { [back] in
            back.answer = back.answer ?? .failure(CommandFailure(.failed, "nobody allowed it within ten minutes; try again"))
            back.waiters.wake()
        }
        await back.waiters.wait(unless: { back.answer != nil })
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
