import Platform

extension PlanningCenterClient {
    /// Whether the service has refused the token, so that no requests are sent until `resume()`.
    public var isRefused: Bool { refusal != nil }

    /// Allows requests again after the service has refused the token; a token in a file is read again.
    public func resume() async {
        refusal = nil
        guard let source = account.credentialSource, source.isCheap else { return }
        // If it cannot be read, for example because it is being written, that is reported once the token we have is refused.
        _ = await renew(credentials)
    }

    /// Stops all further requests, and says why.
    func refuse(_ message: String) -> ServiceFailure {
        let failure = ServiceFailure.notAuthorised(message)
        refusal = failure
        return failure
    }

    /// Reads the token again, unless it has been replaced since `used`; returns why it could not be read, if so.
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
