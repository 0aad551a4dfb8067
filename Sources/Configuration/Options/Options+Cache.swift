package import Model

extension Options {
    /// How much the page cache may take.
    package var cacheSettings: CacheSettings {
        CacheSettings(limit: cache.limit, leastFree: cache.leastFree, greatestAge: cache.greatestAge)
    }
}
