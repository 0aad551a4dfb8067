import CommandLine
import Configuration
import Host
import Model
import PlanningCenter
import Platform

extension Command {
    static let signIn = Command(
        name: "sign-in",
        summary: "Signs in at the service with your browser, instead of with a token",
        details: """
            For a band whose administrator has registered an application at the service, and named it as account.sign_in. Your \
            browser shows the service's own page, where you allow this program to read your plans; it never sees your password. What \
            it is given is kept in a file that only you can read, or with --keyring in the keyring of your desktop, and is renewed by \
            itself.
            """,
        flags: [Flag("keyring", "keep it in the desktop's keyring (needs secret-tool)")],
        examples: [Example("woodshed sign-in", "Sign in, for the first time or again.")],
        settings: Options.flags,
        run: { invocation, context in
            try await SignInCommand(try context.configuration(invocation), context).run(keyring: invocation.has("keyring"))
        })

    static let signOut = Command(
        name: "sign-out",
        summary: "Forgets who is signed in, here and at the service; charts and marks stay",
        examples: [Example("woodshed sign-out", "Sign out.")],
        settings: Options.flags,
        run: { invocation, context in
            let configuration = try context.configuration(invocation)
            if let trouble = try await SignIn(configuration, context: context).end() {
                context.output.warning("the service was not told (\(trouble)); you can withdraw it in your account there")
            }
            context.output.message("Signed out. What is here stays.")
            return .fine
        })
}

@LoopActor
struct SignInCommand {
    private let context: CommandContext
    private let configuration: Configuration
    private let signIn: SignIn

    /// How long the user may take in the browser.
    private static let patience: Duration = .seconds(600)

    init(_ configuration: Configuration, _ context: CommandContext) throws {
        (self.context, self.configuration) = (context, configuration)
        guard SecretSource(configuration.options.account) == .signIn else {
            throw CommandFailure(
                .configuration,
                """
                account.sign_in in \(configuration.paths.configuration) names no application to sign in through. Register one at
                \(SecretSource.page) that may come back to
                \(SignInApplication.ports.map(SignInApplication.redirect).joined(separator: " and ")),
                and put its client id there; or use a token: \(woodshed("setup"))
                """)
        }
        signIn = SignIn(configuration, context: context)
    }

    func run(keyring: Bool) async throws -> ExitCode {
        guard !keyring || context.environment.program("secret-tool") != nil else {
            throw CommandFailure(.failed, "there is no secret-tool to reach the desktop's keyring; install the package libsecret-tools")
        }
        let application = try signIn.application()
        let returning = try ReturningBrowser()
        do {
            let tokens = try await tokens(application, returning)
            try await signIn.keep(tokens, in: keyring ? .keyring : .file)
        } catch {
            await returning.end(isSignedIn: false)
            throw error
        }
        await returning.end(isSignedIn: true)
        context.output.message("Signed in. It is kept in \(keyring ? "the desktop's keyring" : signIn.path), and renewed by itself.")
        return .fine
    }

    private func tokens(_ application: SignInApplication, _ returning: ReturningBrowser) async throws -> SignInTokens {
        let (state, proof) = (Secret.random(), Secret.random())
        let page = application.page(redirect: returning.address, state: state, proof: proof)
        context.output.message("Allow this program to read your plans, on this page of the service:\n  \(page)")
        await context.open(page: page, configuration)
        let code = try await returning.code(for: state, within: Self.patience, clock: context.clock)
        return try await application.tokens(for: code, redirect: returning.address, proof: proof)
    }

}

extension CommandContext {
    /// Opens a page of a service in the browser, if this is a desktop. Other users of this machine can read a program's arguments,
    /// so the browser gets the address through a file.
    @LoopActor
    func open(page: String, _ configuration: Configuration) async {
        let desktop = Desktop(self)
        guard desktop.opensPages else { return }
        do throws(SystemError) {
            let folder = await desktop.pageFolder(usual: configuration.paths.runtime)
            try Folder.create(folder)
            try desktop.open(page: HandoverPage(to: page.replacing("&", with: "&amp;"), in: folder).path)
        } catch {
            output.warning("no browser was opened: \(error)")
        }
    }
}
