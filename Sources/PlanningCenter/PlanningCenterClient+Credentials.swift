import Platform

extension PlanningCenterClient {
    /// Whether the service has refused the token, so that nothing is asked until `resume()`.
    public var isRefused: Bool { refusal != nil }

    /// Lets the service be asked again after it has refused the token; a token that stands in a file is read anew.
    public func resume() async {
        refusal = nil
        guard let source = account.credentialSource, source.isCheap else { return }
        // One that cannot be read, as while it is written, is told when the one that we have is refused.
        _ = await renew(credentials)
    }

    /// Has nothing asked any more, and says why.
    func refuse(_ message: String) -> ServiceFailure {
        let failure = ServiceFailure.notAuthorised(message)
        refusal = failure
        return failure
    }

    /// Reads the token again, unless it is another one than `used` by now; answers why it cannot be read.
    func renew(_ used: Secret) async -> String? {
        guard credentials == used, let source = account.credentialSource else { return nil }
        let task =
            reading
            ?? spawn { [self] in
                defer { reading = nil }
                do {
                    credentials = try await source.read()
                    return nil
                } catch {
                    return "\(error)"
                }
            }
        reading = task
        return await task.value
    }
}
