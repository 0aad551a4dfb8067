import Testing

/// Notes in the pages' consoles, where they outlive the pages: which requests were refused, in the agent's words.
extension Browser {
    /// The beginning of such a note.
    static let note = "woodshed-test-note"
    private static let refused = note + " refused"

    /// Notes requests that were refused (400 and above), of the page's own and of the worker that fetches its pages' images. Requests of
    /// image elements are not seen.
    static let notingRefusals = """
        (() => {
          let noted = Promise.resolve();
          window.refusalsAreNoted = () => noted;
          const note = (status, what, words) => {
            const place = location.pathname + location.search;
            noted = Promise.all([noted, words]).then(([, text]) => console.warn(`\(refused) ${status} ${what}, at ${place}: ${text}`));
          };
          const ask = window.fetch;
          window.fetch = async (...rest) => {
            const reply = await ask(...rest);
            if (reply.status >= 400) note(reply.status, `${rest[1]?.method ?? "GET"} ${reply.url}`, reply.clone().text().catch(String));
            return reply;
          };
          const Plain = window.Worker;
          window.Worker = class extends Plain {
            #asked = new Map();
            constructor(...rest) {
              super(...rest);
              this.addEventListener("message", ({ data }) => {
                if (data?.status >= 400) note(data.status, `GET ${this.#asked.get(data.id)}`, data.reason);
                this.#asked.delete(data?.id);
              });
            }
            postMessage(message, ...rest) {
              if (message?.src) this.#asked.set(message.id, message.src);
              super.postMessage(message, ...rest);
            }
          };
        })();
        """

    /// The requests of pages that were refused since the browser was last emptied.
    func refusals() async throws -> [String] {
        // The reasons may still be on their way.
        let _: Bool? = try? await ask("return (window.refusalsAreNoted?.() ?? Promise.resolve()).then(() => true)")
        return try await noted().filter { $0.contains(Self.refused) }
    }

    /// Keeps the refusals with the test's results.
    func recordRefusals() async {
        guard let refusals = try? await noted().filter({ $0.contains(Self.refused) }), refusals != [] else { return }
        Attachment.record(refusals.joined(separator: "\n"), named: "refusals.txt")
    }
}
