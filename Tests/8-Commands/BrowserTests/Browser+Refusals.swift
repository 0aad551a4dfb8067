import Testing

/// Refused requests are written to the pages' consoles, which outlive the pages, with the agent's reasons.
extension Browser {
    /// The beginning of every line that the tests' scripts write to a console.
    static let note = "woodshed-test-note"
    private static let refused = note + " refused"

    /// Writes a line for each request that is answered with 400 or above: requests of the page, and those of the worker that
    /// fetches its images. Requests of image elements cannot be followed.
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

    /// The refused requests of all pages since the browser was last emptied.
    func refusals() async throws -> [String] {
        // The reason of a refusal may not have been read yet.
        let _: Bool? = try? await ask("return (window.refusalsAreNoted?.() ?? Promise.resolve()).then(() => true)")
        return try await noted().filter { $0.contains(Self.refused) }
    }

    /// Attaches the refusals to the test's results.
    func recordRefusals() async {
        guard let refusals = try? await noted().filter({ $0.contains(Self.refused) }), refusals != [] else { return }
        Attachment.record(refusals.joined(separator: "\n"), named: "refusals.txt")
    }
}
